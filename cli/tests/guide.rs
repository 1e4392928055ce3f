//! The guides: each command of their `console` blocks runs and prints what the guide
//! says, and the code of the guide to plugins is that of files that are built elsewhere.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use minisign::{KeyPair, SecretKeyBox};
use tempfile::TempDir;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The blocks of a page that are marked with a word, each with the number of its first line.
fn blocks<'t>(page: &'t str, word: &str) -> Vec<(usize, Vec<&'t str>)> {
    let mut found: Vec<(usize, Vec<&str>)> = Vec::new();
    let mut open = None;
    for (at, line) in page.lines().enumerate() {
        match (line.strip_prefix("```"), open) {
            (Some(marked), None) => {
                open = Some(marked);
                if marked == word {
                    found.push((at + 2, Vec::new()));
                }
            }
            (Some(_), Some(_)) => open = None,
            (None, Some(marked)) if marked == word => found.last_mut().unwrap().1.push(line),
            (None, _) => {}
        }
    }
    found
}

/// A command of a block, and the lines that it is said to print; none: nothing is said.
struct Step {
    line: usize,
    command: String,
    prints: Vec<String>,
}

/// A command begins with `$ `; one that ends with `<<END` goes on up to that word, one that ends with `\\` on the
/// next line.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for (first, lines) in blocks(page, "console") {
        let mut text = false;
        for (at, line) in lines.iter().enumerate() {
            if let Some(command) = line.strip_prefix("$ ") {
                text = command.ends_with("<<END");
                let command = command.replace("<<END", "<<'END'");
                steps.push(Step { line: first + at, command, prints: Vec::new() });
                continue;
            }
            let step = steps.last_mut().unwrap();
            if step.command.ends_with('\\') {
                step.command.push_str(&format!("\n{line}"));
            } else if text {
                step.command.push_str(&format!("\n{line}"));
                text = *line != "END";
            } else {
                step.prints.push(line.to_string());
            }
        }
    }
    steps
}

/// Whether lines are as they were said to be: `…` is any text, alone on a line any lines.
fn fits(said: &[String], lines: &[&str]) -> bool {
    match (said.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            fits(rest, lines) || lines.split_first().is_some_and(|(_, lines)| fits(said, lines))
        }
        (Some((first, rest)), Some((line, lines))) => glob(first, line) && fits(rest, lines),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

fn glob(said: &str, line: &str) -> bool {
    match said.split_once('…') {
        None => said == line,
        Some((front, rest)) => line.strip_prefix(front).is_some_and(|line| {
            line.char_indices()
                .map(|(at, _)| at)
                .chain([line.len()])
                .any(|at| glob(rest, &line[at..]))
        }),
    }
}

/// A machine of its own: a home, a checkout to build with, and the program.
struct Machine {
    root: TempDir,
    here: PathBuf,
    /// The folder of a page's commands in whose place the kept one is taken.
    target: Option<&'static str>,
}

impl Machine {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("home")).unwrap();
        std::os::unix::fs::symlink(WORKSPACE, root.path().join("promptweave")).unwrap();
        let examples = Path::new(WORKSPACE).join("examples");
        std::os::unix::fs::symlink(examples, root.path().join("examples")).unwrap();
        let here = root.path().canonicalize().unwrap();
        Self { root, here, target: None }
    }

    /// Runs a command where the last one ended, and gives all that it printed.
    fn run(&mut self, step: &Step) -> Vec<String> {
        if let Some(words) = step.command.strip_prefix("minisign ") {
            return self.minisign(&words.split(' ').collect::<Vec<_>>());
        }
        let pwd = self.root.path().join("pwd");
        let script = format!(
            "exec 2>&1\n{}\nstatus=$?; pwd > '{}'; exit $status",
            step.command,
            pwd.display()
        );
        let mut sh = Command::new("sh");
        sh.args(["-c", &script]).current_dir(&self.here).env_clear().envs(self.environment());
        let output = sh.output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "line {}: {}\n{printed}", step.line, step.command);
        self.here = fs::read_to_string(pwd).unwrap().trim_end().into();
        self.keep_what_is_built();
        printed.lines().map(str::to_owned).collect()
    }

    fn environment(&self) -> Vec<(String, String)> {
        let program = Path::new(env!("CARGO_BIN_EXE_promptweave")).parent().unwrap();
        let own = |name: &str| std::env::var(name).ok().map(|value| (name.to_owned(), value));
        let home = std::env::var("HOME").unwrap_or_default();
        let inherited = |name: &str, folder: &str| {
            own(name).unwrap_or_else(|| (name.into(), format!("{home}/{folder}")))
        };
        let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
        vec![
            ("PATH".into(), path),
            ("HOME".into(), self.root.path().join("home").to_string_lossy().into()),
            inherited("CARGO_HOME", ".cargo"),
            inherited("RUSTUP_HOME", ".rustup"),
            ("CARGO_NET_OFFLINE".into(), "true".into()),
            ("CARGO_TARGET_DIR".into(), kept().to_string_lossy().into()),
            ("CARGO_PROFILE_DEV_DEBUG".into(), "0".into()),
            ("CARGO_INCREMENTAL".into(), "0".into()),
            ("SHELL".into(), "/bin/sh".into()),
        ]
    }

    /// Shows a crate's `target` where it expects it.
    fn keep_what_is_built(&self) {
        let target = self.here.join("target");
        if self.here.join("Cargo.toml").exists() && !target.exists() {
            fs::create_dir_all(kept()).unwrap();
            std::os::unix::fs::symlink(kept(), target).unwrap();
        }
    }

    /// What the program `minisign` does with the flags of the guide, but for its questions.
    fn minisign(&self, words: &[&str]) -> Vec<String> {
        let file = |name: &str| {
            self.here.join(name.replace('~', &self.root.path().join("home").to_string_lossy()))
        };
        match words {
            ["-G", "-p", public, "-s", secret] => {
                let pair = KeyPair::generate_unencrypted_keypair().unwrap();
                fs::write(file(public), pair.pk.to_box().unwrap().to_string()).unwrap();
                fs::write(file(secret), pair.sk.to_box(None).unwrap().to_string()).unwrap();
            }
            ["-Sm", signed, "-s", secret] => {
                let secret = fs::read_to_string(file(secret)).unwrap();
                let secret = SecretKeyBox::from_string(&secret)
                    .unwrap()
                    .into_unencrypted_secret_key()
                    .unwrap();
                let bytes = fs::read(file(signed)).unwrap();
                let signature = minisign::sign(None, &secret, &*bytes, None, None).unwrap();
                fs::write(file(&format!("{signed}.minisig")), signature.into_string()).unwrap();
            }
            other => panic!("the test does not know `minisign {}`", other.join(" ")),
        }
        Vec::new()
    }
}

/// Where crates are built, so that the next run of this test finds what they depend on.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_BIN_EXE_promptweave")).ancestors().nth(2).unwrap().join("scaffolds")
}

fn page(name: &str) -> String {
    fs::read_to_string(format!("{WORKSPACE}/docs/{name}.md")).unwrap()
}

#[test]
fn every_command_does_what_it_says() {
    let mut machine = Machine::new();
    follow(&mut machine, "plugins");
}

#[test]
fn every_command_of_the_first_ten_minutes_does_what_it_says() {
    follow(&mut Machine::new(), "first-ten-minutes");
}

#[test]
fn every_command_about_instruction_files_does_what_it_says() {
    let mut machine = Machine::new();
    // What is built goes where the next run of this test finds it.
    machine.target = Some("promptweave/target");
    follow(&mut machine, "instructions");
}

#[test]
fn every_command_about_mcp_does_what_it_says() {
    follow(&mut Machine::new(), "mcp");
}

#[test]
fn every_request_over_http_is_answered_as_it_says() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("skipped: there is no curl");
        return;
    }
    follow(&mut Machine::new(), "http");
}

/// A server that a page started ends with its machine, also when a command failed.
impl Drop for Machine {
    fn drop(&mut self) {
        if let Ok(pid) = fs::read_to_string(self.root.path().join("pid")) {
            let _ = Command::new("kill").arg(pid.trim()).output();
        }
    }
}

fn follow(machine: &mut Machine, name: &str) {
    for mut step in steps(&page(name)) {
        if let Some(target) = machine.target {
            step.command = step.command.replace(target, "$CARGO_TARGET_DIR");
        }
        let printed = machine.run(&step);
        eprintln!("$ {}\n{}", step.command, printed.join("\n"));
        let printed: Vec<&str> = printed.iter().map(String::as_str).collect();
        assert!(
            step.prints.is_empty() || fits(&step.prints, &printed),
            "line {}: {}\nsaid:\n{}\nprinted:\n{}",
            step.line,
            step.command,
            step.prints.join("\n"),
            printed.join("\n")
        );
    }
}

#[test]
fn its_code_is_that_of_files() {
    let files = [
        "cli/src/verbs/new/plugin/rust/lib.rs.tmpl",
        "plugins/house-style/src/lib.rs",
        "plugins/house-style/src/plural.rs",
        "plugins/house-style/src/release.rs",
        "plugins/workspace/src/machine.rs",
        "examples/linked_plugin.rs",
        "examples/plugins.rs",
    ];
    let files = files.map(|file| fs::read_to_string(format!("{WORKSPACE}/{file}")).unwrap());
    let named = files
        .map(|text| text.replace("@NAME@", "acme-tickets").replace("@COMPONENT@", "acme_tickets"));
    for (line, code) in blocks(&page("plugins"), "rust") {
        // What stands between `…` stands so, whatever its indentation there.
        let code = code.join("\n");
        for part in code.split("\n…\n") {
            let lines =
                |text: &str| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>();
            let part = lines(part.trim());
            let known = named
                .iter()
                .any(|file| lines(file).windows(part.len()).any(|window| window == part));
            assert!(known, "line {line}: this is in no file:\n{}", part.join("\n"));
        }
    }
}

#[test]
fn dots_stand_for_anything() {
    let said = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
    assert!(fits(&said(&["a", "…", "b … d"]), &["a", "x", "y", "b c d"]));
    assert!(fits(&said(&["…"]), &[]));
    assert!(!fits(&said(&["a", "b … d"]), &["a", "b c"]));
    assert!(!fits(&said(&["a"]), &["a", "b"]));
}
