//! What goes in and out of the program byte for byte, and what happens when a stream ends early.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use common::Sandbox;

const HOUSE: [&str; 4] = ["build", "--no-standard", "--pack", "house"];

fn house<'a>(more: &[&'a str]) -> Vec<&'a str> {
    HOUSE.iter().chain(more).copied().collect()
}

#[test]
fn a_closed_standard_output_is_no_mistake() {
    let sandbox = Sandbox::new();
    for args in [&["build"][..], &["schema", "result"], &["list", "--json"], &["--help"], &["man"]]
    {
        let mut child = sandbox.command(args).spawn().unwrap();
        drop(child.stdout.take());
        drop(child.stdin.take());
        let done = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&done.stderr);
        assert!(done.status.success() && told.is_empty(), "{args:?}: {}, {told}", done.status);
    }
}

#[test]
fn a_closed_standard_error_is_no_mistake() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["check", "broken", "--no-standard"]).spawn().unwrap();
    drop(child.stderr.take());
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn standard_input_must_be_utf8() {
    let sandbox = Sandbox::new();
    for args in [&house(&["-c", "-"])[..], &["tidy"], &["new", "pack", "made", "--from", "-"]] {
        let done = sandbox.run(args, b"{\"a\": \"\xff\"}");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!(done.status.code(), Some(4), "{args:?}: {told}");
        assert!(told.starts_with("error[file-not-utf8] standard input:1:8: "), "{told}");
        assert!(done.stdout.is_empty());
    }
}

#[test]
fn a_pack_that_is_not_utf8_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("house/components/bad.md", b"\xff");
    let done = sandbox.run(&["check", "house", "--no-standard"], b"");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(1));
    assert!(told.contains("error[file-not-utf8] house/components/bad.md"), "{told}");
}

#[test]
fn a_context_of_50_megabytes_is_read() {
    let sandbox = Sandbox::new();
    let rule = format!("{{\"path\": \"{}\"}},", "x".repeat(1_000_000));
    let rules = rule.repeat(50);
    let big = format!(
        "{{\"rules\": {{\"files\": [{}]}}, \"cwd\": \"/repo\"}}",
        rules.trim_end_matches(',')
    );
    sandbox.write("big.json", &big);
    let done =
        sandbox.run(&house(&["-c", "big.json", "--model", "claude", "--section", "places"]), b"");
    assert_eq!(String::from_utf8_lossy(&done.stdout), "You work in /repo.");
    // The mistake is told without the line it stands in.
    sandbox.write("bad.json", &big[..big.len() - 1]);
    let done = sandbox.run(&house(&["-c", "bad.json"]), b"");
    assert_eq!(done.status.code(), Some(4));
    assert!(done.stderr.len() < 500, "{} bytes", done.stderr.len());
}

#[test]
fn a_context_from_standard_input_is_taken_as_it_is() {
    let sandbox = Sandbox::new();
    let bare = sandbox.run(&house(&["-c", "-", "--model", "claude"]), b"\xef\xbb\xbf{}");
    let text = String::from_utf8(bare.stdout).unwrap();
    assert!(!text.contains("You work in"), "the machine fills in nothing: {text}");
    let filled = sandbox.run(&house(&["--model", "claude"]), b"");
    let text = String::from_utf8(filled.stdout).unwrap();
    assert!(text.contains(&format!("You work in {}.", sandbox.path().display())), "{text}");
}

#[test]
fn the_same_build_gives_the_same_bytes() {
    let sandbox = Sandbox::new();
    let args = ["build", "-c", "-", "--model", "claude-opus-4"];
    let first = sandbox.run(&args, b"{}");
    assert!(first.status.success() && !first.stdout.is_empty());
    assert_eq!(sandbox.run(&args, b"{}").stdout, first.stdout);
    let json = sandbox.run(&[&args[..], &["--json"]].concat(), b"{}");
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["text"].as_str().unwrap().as_bytes(), first.stdout);
    let blocks = json["blocks"].as_array().unwrap();
    let blocks: String = blocks.iter().map(|block| block["text"].as_str().unwrap()).collect();
    assert_eq!(blocks.as_bytes(), first.stdout);
}

/// A terminal, as `script` makes one: standard output and error both go to it.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_the_same_bytes_and_one_line_more() {
    let sandbox = Sandbox::new();
    let line = format!(
        "{} {} -c - --model claude --set cwd=/repo",
        env!("CARGO_BIN_EXE_promptweave"),
        HOUSE.join(" ")
    );
    let mut script = Command::new("script");
    script.args(["-qec", &format!("echo '{{}}' | {line} 2>told"), "/dev/null"]);
    script.current_dir(sandbox.path()).env("HOME", sandbox.path()).stdin(Stdio::null());
    let Ok(done) = script.output() else {
        eprintln!("SKIPPED: there is no `script` here");
        return;
    };
    let piped = sandbox.run(&house(&["-c", "-", "--model", "claude", "--set", "cwd=/repo"]), b"{}");
    // The terminal's driver makes its own line ends.
    let shown = String::from_utf8_lossy(&done.stdout).replace("\r\n", "\n");
    assert_eq!(shown, String::from_utf8_lossy(&piped.stdout));
    assert_eq!(sandbox.read("told"), "", "a redirected standard error gets no summary");

    script = Command::new("script");
    script.args(["-qec", &format!("echo '{{}}' | {line} >bytes"), "/dev/null"]);
    script.current_dir(sandbox.path()).env("HOME", sandbox.path()).stdin(Stdio::null());
    let done = script.output().unwrap();
    assert_eq!(sandbox.read("bytes").as_bytes(), piped.stdout);
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(told.starts_with("acme@2: 4 sections, 1 skipped; "), "{told:?}");
    assert!(told.ends_with("; 0 warnings\r\n"), "{told:?}");
}

/// On a terminal a diagnostic is drawn with the place it speaks of, and in colours unless `NO_COLOR` is set.
#[test]
#[cfg(target_os = "linux")]
fn a_terminal_gets_excerpts() {
    let sandbox = Sandbox::new();
    let line = format!("{} check broken --no-standard", env!("CARGO_BIN_EXE_promptweave"));
    let drawn = |no_colour: bool| {
        let mut script = Command::new("script");
        script.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.path());
        script.env("HOME", sandbox.path()).env("TERM", "xterm-256color").env_remove("NO_COLOR");
        if no_colour {
            script.env("NO_COLOR", "1");
        }
        let done = script.stdin(Stdio::null()).output().ok()?;
        Some(String::from_utf8_lossy(&done.stdout).into_owned())
    };
    let (Some(plain), Some(coloured)) = (drawn(true), drawn(false)) else {
        eprintln!("SKIPPED: there is no `script` here");
        return;
    };
    assert!(
        plain.contains("╭─[broken/broken.toml:2:1]") && plain.contains("ordre = []"),
        "{plain}"
    );
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    assert!(coloured.contains("\u{1b}["), "{coloured:?}");
}

#[test]
fn verbose_tells_ids_and_sizes_but_no_text() {
    let sandbox = Sandbox::new();
    let done = sandbox
        .run(&house(&["-v", "-c", "-", "--set", "model.id=claude", "--set", "cwd=/secret"]), b"{}");
    let told = String::from_utf8(done.stderr).unwrap();
    assert!(told.contains("prompt_for") && told.contains("variant=acme"), "{told}");
    assert!(!told.contains("secret") && !told.contains("Weaver"), "{told}");
}

#[test]
fn completions_and_pages_know_every_verb() {
    let sandbox = Sandbox::new();
    let help = String::from_utf8(sandbox.run(&["--help"], b"").stdout).unwrap();
    let verbs = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let verbs = verbs.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let verbs: Vec<&str> = verbs.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(verbs.len() > 14, "{verbs:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = sandbox.run(&["completions", shell], b"").stdout;
        let script = String::from_utf8(script).unwrap();
        verbs.iter().for_each(|verb| assert!(script.contains(verb), "{verb} in {shell}"));
    }
    assert!(sandbox.run(&["man", "pages"], b"").status.success());
    for verb in verbs.iter().filter(|verb| **verb != "help") {
        let page = sandbox.read(&format!("pages/promptweave-{verb}.1"));
        assert!(page.contains(".TH"), "{verb}");
    }
    let page = String::from_utf8(sandbox.run(&["man"], b"").stdout).unwrap();
    assert!(page.contains("promptweave"), "{page}");
}

#[test]
fn a_reader_that_stops_gets_what_it_read() {
    let sandbox = Sandbox::new();
    let mut child = sandbox.command(&["schema", "result"]).spawn().unwrap();
    child.stdin.take().unwrap().flush().unwrap();
    let mut first = [0; 16];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert!(first.starts_with(b"{\n"));
    assert!(child.wait().unwrap().success());
}
