//! The program `promptweave`, built and run.
//!
//! In: arguments and standard input. Out: what it wrote and how it ended. Never: looks inside.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use serde_json::Value as Json;

/// The program's path; it is built when needed.
///
/// # Panics
/// When it cannot be built.
pub fn binary() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| artifact(&["--package", "promptweave-cli"], "promptweave"))
}

/// Builds what the arguments name, and finds the file that cargo made for the target `name`.
///
/// # Panics
/// When it cannot be built.
pub fn artifact(what: &[&str], name: &str) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    let mut command = Command::new(cargo);
    command.arg("build").args(what).args(["--message-format", "json"]);
    command.current_dir(crate::pack::root()).stderr(Stdio::inherit());
    let output = command.output().expect("cargo can be started");
    assert!(output.status.success(), "`{name}` does not build");
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let made = messages.filter(|message| {
        message["reason"] == "compiler-artifact" && message["target"]["name"] == name
    });
    // A library may have the program's name; cargo names what it depends on first.
    let mut files = made.filter_map(|made| {
        let file = made["executable"].as_str().or(made["filenames"][0].as_str());
        file.map(PathBuf::from)
    });
    files.next_back().expect("cargo says where it put the file")
}

/// Runs the program without input.
///
/// # Panics
/// When it cannot be started.
pub fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    run_with(arguments, b"")
}

/// Runs the program and writes `input` to its standard input. It sees an empty home, no project and no
/// colours, so that the machine does not show.
///
/// # Panics
/// When it cannot be started.
pub fn run_with<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>, input: &[u8]) -> Output {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(home.path());
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "APPDATA"] {
        command.env(variable, home.path());
    }
    command
        .env("NO_COLOR", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // A program that does not read its input closes the pipe: that is its right.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().expect("the program ends")
    })
}
