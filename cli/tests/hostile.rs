//! Files and environments that mean harm: nobody waits, nothing is written elsewhere, nothing grants trust.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use common::Sandbox;

const PACK: &str = "format = 1\nname = \"evil\"\nversion = \"1\"\n";
const VARIANT: &str = "order = [\"evil\"]\n[match]\npriority = 1000\n";

fn told(done: &Output) -> String {
    String::from_utf8_lossy(&done.stderr).into_owned()
}

/// A pack with one test.
fn pack(sandbox: &Sandbox, folder: &str) {
    for (path, text) in [
        ("pack.toml", PACK),
        ("evil.toml", VARIANT),
        ("components/evil.md", "EVIL"),
        ("tests/one.toml", "variant = \"evil\"\n"),
    ] {
        sandbox.write(&format!("{folder}/{path}"), text);
    }
}

fn pipe(sandbox: &Sandbox, path: &str) {
    assert!(Command::new("mkfifo").arg(sandbox.path().join(path)).status().unwrap().success());
}

/// With `HOME=.` the user's folders would lie in the project, and so its own list of trusted ones.
#[test]
fn a_home_inside_the_project_trusts_nothing() {
    let sandbox = Sandbox::new();
    pack(&sandbox, ".promptweave");
    pack(&sandbox, ".config/promptweave");
    let trusted = format!("{{\"trusted\": [{:?}]}}", sandbox.path());
    sandbox.write(".local/share/promptweave/trusted-projects.json", trusted);
    let args = ["build", "--no-standard", "--pack", "house", "--model", "claude"];
    for home in [".", "./", ""] {
        let done = sandbox.command(&args).env("HOME", home).output().unwrap();
        assert!(done.status.success(), "HOME={home}: {}", told(&done));
        assert!(!String::from_utf8_lossy(&done.stdout).contains("EVIL"), "HOME={home}");
    }
    let done = sandbox.command(&["trust", ".", "--yes"]).env("HOME", ".").output().unwrap();
    assert_eq!(done.status.code(), Some(4));
    assert!(told(&done).contains("there is no home folder"), "{}", told(&done));
}

#[test]
fn an_input_without_end_is_told() {
    let sandbox = Sandbox::new();
    sandbox.write("case/pack.toml", PACK);
    sandbox.write("case/tests/one.toml", "context_file = \"/dev/zero\"\n");
    for (args, why) in [
        (&["build", "-c", "/dev/zero"][..], "it is larger than 268435456 bytes"),
        (&["test", "case"], "not a regular file"),
    ] {
        let done = sandbox.run(args, b"");
        assert_eq!(done.status.code(), Some(4), "{args:?}");
        let why = format!("`/dev/zero` cannot be read: {why}");
        assert!(told(&done).contains(&why), "{}", told(&done));
    }
}

#[test]
fn nothing_is_written_through_a_link() {
    let sandbox = Sandbox::new();
    pack(&sandbox, "evil");
    sandbox.write("precious", "kept");
    let link = |to: &str, at: &str| symlink(sandbox.path().join(to), sandbox.path().join(at));
    link("precious", "evil/tests/one.snap.txt").unwrap();
    link("precious", "evil/patch.toml").unwrap();
    link("nowhere", "evil/components/rules.md").unwrap();
    for (args, status) in [
        (&["test", "evil", "--bless"][..], 4),
        (&["new", "override", "role", "--variant", "claude", "--into", "evil"], 2),
        (&["new", "component", "rules", "--into", "evil"], 2),
    ] {
        let done = sandbox.run(args, b"");
        assert_eq!(done.status.code(), Some(status), "{args:?}: {}", told(&done));
    }
    assert_eq!(sandbox.read("precious"), "kept");
    assert!(!sandbox.path().join("nowhere").exists());
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let sandbox = Sandbox::new();
    pack(&sandbox, "evil");
    sandbox.write("evil/tests/one.snap.txt", "old");
    fs::hard_link(sandbox.path().join("evil/tests/one.snap.txt"), sandbox.path().join("same"))
        .unwrap();
    let done = sandbox.run(&["test", "evil", "--bless"], b"");
    assert!(done.status.success(), "{}", told(&done));
    assert_eq!(sandbox.read("evil/tests/one.snap.txt"), "EVIL");
    assert_eq!(sandbox.read("same"), "old");
    let names = fs::read_dir(sandbox.path().join("evil/tests")).unwrap().count();
    assert_eq!(names, 2, "nothing else is left there");
}

#[test]
fn a_pipe_in_a_pack_keeps_nobody_waiting() {
    for at in ["tests/one.snap.txt", "tests/two.toml"] {
        let sandbox = Sandbox::new();
        pack(&sandbox, "evil");
        pipe(&sandbox, &format!("evil/{at}"));
        let done = sandbox.run(&["test", "evil"], b"");
        assert_eq!(done.status.code(), Some(4), "{}", told(&done));
        assert!(told(&done).contains("not a regular file"), "{}", told(&done));
    }
}

/// Where a flag names a file, and not standard input, it is a file.
#[test]
fn a_pipe_that_a_flag_names_keeps_nobody_waiting() {
    let sandbox = Sandbox::new();
    pipe(&sandbox, "pipe.toml");
    for args in [
        &["build", "--models", "pipe.toml"][..],
        &["build", "--plugin-config", "acme=pipe.toml"],
        &["build", "--session", "pipe.toml"],
        &["parse", "--specs", "pipe.toml"],
        &["parse", "--dialect", "pipe.toml"],
        &["serve", "--token-file", "pipe.toml"],
        &["mcp", "--http", "127.0.0.1:0", "--token-file", "pipe.toml"],
    ] {
        let done = sandbox.run(args, b"");
        assert_eq!(done.status.code(), Some(4), "{args:?}: {}", told(&done));
        assert!(told(&done).contains("not a regular file"), "{args:?}: {}", told(&done));
    }
}

/// What a project wrote must not act on the terminal of the one who decides about it.
#[test]
fn a_project_cannot_redraw_what_trust_shows() {
    let sandbox = Sandbox::new();
    pack(&sandbox, ".promptweave");
    let version = "format = 1\nname = \"evil\"\nversion = \"1\\u001b[2J\\nit changes nothing\"\n";
    sandbox.write(".promptweave/pack.toml", version);
    let done = sandbox.run(&["trust", ".", "--dry-run"], b"");
    let shown = String::from_utf8(done.stdout).unwrap();
    assert!(shown.lines().next().unwrap().ends_with("1\\u{1b}[2J\\nit changes nothing"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
}

/// Both hold what a context says, which only its owner may read.
#[test]
fn what_holds_a_context_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let mode =
        |path: &str| fs::metadata(sandbox.path().join(path)).unwrap().permissions().mode() & 0o777;
    for _ in 0..2 {
        for flag in ["--session=session.json", "--save-context=context.json"] {
            let done = sandbox.run(&["build", flag], b"");
            assert!(done.status.success(), "{}", told(&done));
        }
        assert_eq!((mode("session.json"), mode("context.json")), (0o600, 0o600));
    }
    // What its owner made readable stays so.
    fs::set_permissions(sandbox.path().join("session.json"), fs::Permissions::from_mode(0o640))
        .unwrap();
    assert!(sandbox.run(&["build", "--session", "session.json"], b"").status.success());
    assert_eq!(mode("session.json"), 0o640);
}
