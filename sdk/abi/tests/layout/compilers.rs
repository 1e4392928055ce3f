//! The C and C++ compilers of the machine.
//!
//! In: source text. Out: what the program prints. Never: a compiler that is missing goes unsaid.

use std::env;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
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
        eprintln!("SKIPPED: `{program}` does not start, so the headers were compared with nothing");
        None
    }

    /// Compiles and runs a C99 program.
    pub(crate) fn run(&self, source: &str) -> String {
        let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("weave_layout");
        self.compile(&["-std=c99", "-o", &binary.display().to_string()], source);
        let output = Command::new(&binary).output().unwrap();
        assert!(output.status.success());
        fs::remove_file(binary).unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Compiles without a result; any warning fails.
    pub(crate) fn check(&self, standard: &str, source: &str) {
        self.compile(&[standard, "-fsyntax-only"], source);
    }

    fn compile(&self, options: &[&str], source: &str) {
        let mut child = Command::new(&self.program)
            .args(WARNINGS)
            .args(options)
            .arg("-I")
            .arg(super::include())
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
