//! The commands of the README run as they stand there.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

use promptweave_tests::{cli, conformance::read, pack};

/// The lines of the blocks marked `sh` that call our program, with the words behind its name.
fn commands(readme: &str) -> Vec<String> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in readme.lines() {
        if line.starts_with("```") {
            inside = line.trim_end() == "```sh";
        } else if inside {
            let line = line.split(" #").next().unwrap_or_default().trim();
            let cargo = line.strip_prefix("cargo run").and_then(|rest| rest.split_once(" -- "));
            let ours = line.strip_prefix("promptweave ").or(cargo.map(|(_, arguments)| arguments));
            commands.extend(ours.map(str::to_owned));
        }
    }
    commands
}

/// In a shell, since lines may hold pipes and quotes; each in the order of the README, in one folder.
#[test]
#[cfg(unix)]
fn commands_run() {
    let path = pack::root().join("README.md");
    let commands = commands(&read(&path));
    assert!(!commands.is_empty(), "the README shows no command");
    let home = tempfile::tempdir().unwrap();
    let program = cli::binary().to_str().unwrap();
    let search =
        format!("{}:{}", cli::binary().parent().unwrap().display(), std::env::var("PATH").unwrap());
    for arguments in commands {
        let mut shell = Command::new("sh");
        shell.arg("-euc").arg(format!("'{program}' {arguments}"));
        for folder in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
            shell.env(folder, home.path());
        }
        let output = shell.current_dir(pack::root()).env("PATH", &search).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "promptweave {arguments}\n{said}");
        assert!(!output.stdout.is_empty(), "promptweave {arguments} prints nothing\n{said}");
    }
}

#[test]
fn finds_commands() {
    let readme = "```sh\ncargo run -- list\ncargo run -p x -- a | b # why\npromptweave check .\nls\n```\n```text\npromptweave no\n```\n";
    assert_eq!(commands(readme), ["list", "a | b", "check ."]);
}
