//! A folder, a home and a program for one test.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// The folder that commands run in; gone when it is dropped.
pub(crate) struct Sandbox {
    folder: TempDir,
}

impl Sandbox {
    /// A folder with copies of the packs in `tests/packs`.
    pub(crate) fn new() -> Self {
        let sandbox = Self { folder: tempfile::tempdir().unwrap() };
        copy(&packs(), &sandbox.path());
        sandbox
    }

    /// The folder, as the system calls it.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path().join(path)).unwrap()
    }

    /// The program, with a home of its own and nothing else from outside.
    pub(crate) fn command(&self, args: &[impl AsRef<str>]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_promptweave"));
        command.args(args.iter().map(AsRef::as_ref)).current_dir(self.path());
        command.env_clear().envs([("SHELL", "/bin/sh"), ("TZ", "UTC")]);
        command.env("HOME", self.path().join("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[impl AsRef<str>], stdin: &[u8]) -> Output {
        let mut child = self.command(args).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let stdin = stdin.to_vec();
        let writer = std::thread::spawn(move || _ = pipe.write_all(&stdin));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        output
    }

    /// What was printed, without this folder's name and without times.
    pub(crate) fn neutral(&self, text: &str) -> String {
        let folder = self.path();
        let text = text.replace(&*folder.to_string_lossy(), "[DIR]");
        let lines = text.split_inclusive('\n').map(|line| match line.split_once("\"ms\": ") {
            Some((before, after)) => {
                let rest = after
                    .trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
                format!("{before}\"ms\": 0{rest}")
            }
            None => line.to_owned(),
        });
        lines.collect()
    }
}

/// Where the packs of these tests are.
pub(crate) fn packs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packs")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
