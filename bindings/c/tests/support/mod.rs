//! Compiles and runs programs in C and C++ against the library.
//!
//! In: sources. Out: programs, what they print. Never: skips what a compiler is missing for where that is required.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part")]

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A language of sources.
#[derive(Clone, Copy, Debug)]
pub enum Language {
    C,
    Cpp,
}

/// What looks for mistakes while a program runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    Nothing,
    /// Compiled with AddressSanitizer and UndefinedBehaviorSanitizer.
    Sanitizers,
    /// Run by valgrind.
    Valgrind,
}

/// The folder of this crate.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folder with the library, beside this test.
pub fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

/// The compiler of a language; none where it does not start, which is an error where `WEAVE_REQUIRE_CC` is 1.
pub fn compiler(language: Language) -> Option<Command> {
    let (variable, name, standard) = match language {
        Language::C => ("CC", "cc", "-std=c99"),
        Language::Cpp => ("CXX", "c++", "-std=c++11"),
    };
    let program = std::env::var_os(variable).unwrap_or_else(|| name.into());
    let mut command = needed(&program)?;
    command.args([standard, "-Wall", "-Wextra", "-Werror", "-pedantic", "-g"]);
    command.arg("-I").arg(folder().join("include"));
    command.arg("-I").arg(folder().join("../../sdk/include"));
    Some(command)
}

/// A program, if it starts.
pub fn needed(program: &OsStr) -> Option<Command> {
    let mut asked = Command::new(program);
    asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
    if asked.status().is_ok_and(|status| status.success()) {
        return Some(Command::new(program));
    }
    let is_required = std::env::var("WEAVE_REQUIRE_CC").is_ok_and(|value| value == "1");
    assert!(!is_required, "{} does not start", program.display());
    eprintln!("skipped: {} does not start", program.display());
    None
}

/// Compiles one source into a program; none without a compiler.
pub fn compile(
    language: Language,
    source: &Path,
    (watch, into): (Watch, &Path),
) -> Option<PathBuf> {
    let mut command = compiler(language)?;
    if watch == Watch::Sanitizers {
        command.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
    }
    let program = into.join(format!("{}-{watch:?}", source.file_stem().unwrap().display()));
    command.arg(source).arg("-o").arg(&program);
    command.arg("-L").arg(libraries()).args(["-lpromptweave_engine", "-lpthread"]);
    command.arg(format!("-Wl,-rpath,{}", libraries().display()));
    let done = command.output().unwrap();
    assert!(done.status.success(), "{}\n{}", source.display(), text(&done.stderr));
    Some(program)
}

/// Runs a program in a folder; none where the watcher does not start.
pub fn run(program: &Path, (watch, within): (Watch, &Path), input: &[u8]) -> Option<Output> {
    let mut command = match watch {
        Watch::Nothing | Watch::Sanitizers => Command::new(program),
        Watch::Valgrind => {
            let mut valgrind = needed("valgrind".as_ref())?;
            valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
            valgrind.args([
                "--errors-for-leak-kinds=definite,indirect",
                "--show-leak-kinds=definite,indirect",
            ]);
            valgrind.arg(program);
            valgrind
        }
    };
    // Cargo sets it for this test, and an older build of the library may lie there.
    command.env("LD_LIBRARY_PATH", libraries());
    command.current_dir(within).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeding = std::thread::spawn(move || stdin.write_all(&input));
    let done = child.wait_with_output().unwrap();
    // A program that ends early has not read everything; its status says why.
    let _ = feeding.join();
    assert!(
        done.status.success(),
        "{} under {watch:?}: {}\n{}",
        program.display(),
        done.status,
        text(&done.stderr)
    );
    Some(done)
}

/// Bytes as a text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
