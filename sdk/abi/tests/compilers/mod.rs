//! The C and C++ compilers of the machine.
//!
//! In: source text. Out: what it is compiled to. Never: goes on in silence without a compiler.

use std::env;
use std::io::Write;
use std::process::{Command, Stdio};

#[derive(Clone, Copy)]
pub(crate) enum Language {
    C,
    Cxx,
}

pub(crate) struct Compiler {
    program: String,
    language: &'static str,
}

/// The folder of the headers.
pub(crate) const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../include");

const WARNINGS: [&str; 4] = ["-Wall", "-Wextra", "-pedantic", "-Werror"];

impl Compiler {
    /// `$CC` or `cc`, `$CXX` or `c++`; none if it does not start, which is an error where
    /// `WEAVE_REQUIRE_CC` is 1.
    pub(crate) fn find(language: Language) -> Option<Self> {
        let (variable, usual, language) = match language {
            Language::C => ("CC", "cc", "c"),
            Language::Cxx => ("CXX", "c++", "c++"),
        };
        let program = env::var(variable).unwrap_or_else(|_| usual.to_owned());
        let starts = Command::new(&program).arg("--version").stdout(Stdio::null()).status();
        if starts.is_ok_and(|status| status.success()) {
            return Some(Self { program, language });
        }
        let required = env::var("WEAVE_REQUIRE_CC").is_ok_and(|value| value == "1");
        assert!(!required, "`{program}` does not start: install a compiler, or set `{variable}`");
        // The macro's output is kept back while a test passes.
        let line = format!("SKIPPED: `{program}` does not start; set `{variable}` to a compiler\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        None
    }

    /// Compiles a text; any warning fails.
    pub(crate) fn compile(&self, options: &[&str], source: &str) {
        let mut child = Command::new(&self.program)
            .args(WARNINGS)
            .args(options)
            .args(["-I", INCLUDE])
            .args(["-x", self.language, "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(source.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
