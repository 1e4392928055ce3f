//! What `new plugin` makes builds, passes its own tests and every check, and runs in a child.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::Sandbox;

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn done(what: &str, output: &Output) {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{what}\n{out}{err}");
}

/// Where the generated crates are built: between runs what they depend on is kept.
fn target() -> PathBuf {
    let own = Path::new(env!("CARGO_BIN_EXE_promptweave"));
    own.ancestors().nth(2).unwrap().join("scaffolds")
}

/// Runs a verb that must succeed.
fn promptweave(sandbox: &Sandbox, words: &[&str]) -> String {
    let output = sandbox.run(words, b"");
    done(&words.join(" "), &output);
    String::from_utf8(output.stdout).unwrap()
}

/// Runs the case of the pack in `try` with a plugin, seals it, runs the case again, and checks it.
fn tried(sandbox: &Sandbox, dir: &str, library: &str) {
    let case = format!("{dir}/try");
    let seal = promptweave(sandbox, &["plugin", "seal", dir, "--library", library]);
    assert!(seal.ends_with(&format!("{dir}/dist/plugin.toml\n")), "{seal}");
    for plugin in [library, &format!("{dir}/dist")] {
        let words = ["test", &case, "--no-standard", "--strict", "--plugin", plugin];
        assert!(promptweave(sandbox, &words).ends_with("1 test, 0 failed\n"));
    }
    let output = sandbox.run(&["plugin", "check", &format!("{dir}/dist")], b"");
    done("plugin check", &output);
    let summary = String::from_utf8_lossy(&output.stderr);
    assert!(summary.ends_with(", 0 warnings, 0 failed\n"), "{summary}");
}

#[test]
fn in_rust() {
    let sandbox = Sandbox::new();
    let sdk = format!("{WORKSPACE}/sdk");
    // A keyword, a digit first and a dot make no crate's name.
    for (name, library) in
        [("acme-tickets", "acme_tickets"), ("fn", "plugin_fn"), ("9.lives", "plugin_9_lives")]
    {
        promptweave(&sandbox, &["new", "plugin", name, "--sdk", &sdk]);
        for verb in ["build", "test"] {
            let mut cargo = Command::new(env!("CARGO"));
            cargo.args([verb, "--quiet", "--offline"]).current_dir(sandbox.path().join(name));
            cargo.env("CARGO_TARGET_DIR", target());
            cargo.envs([("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_INCREMENTAL", "0")]);
            let output = cargo.output().unwrap();
            done(&format!("cargo {verb}"), &output);
            // The libraries' dependencies are warned of elsewhere.
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
        }
        let library =
            target().join(format!("debug/lib{library}.{}", std::env::consts::DLL_EXTENSION));
        tried(&sandbox, name, &library.to_string_lossy());
    }
}

/// A plugin in C, built by the line of its README; none where there is no compiler.
fn built_in_c() -> Option<Sandbox> {
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        assert!(std::env::var_os("WEAVE_REQUIRE_CC").is_none(), "there is no C compiler");
        eprintln!("skipped: there is no C compiler `{compiler}`");
        return None;
    }
    let sandbox = Sandbox::new();
    promptweave(&sandbox, &["new", "plugin", "acme-tickets", "--lang", "c", "--dir", "in-c"]);
    let readme = sandbox.read("in-c/README.md");
    let line = readme.lines().find(|line| line.starts_with("cc ")).unwrap();
    let mut command = Command::new(&compiler);
    command.args(line.split(' ').skip(1)).args(["-Wall", "-Wextra", "-pedantic", "-Werror"]);
    done(line, &command.current_dir(sandbox.path().join("in-c")).output().unwrap());
    Some(sandbox)
}

#[test]
fn in_c() {
    let Some(sandbox) = built_in_c() else { return };
    let header = std::fs::read_to_string(format!("{WORKSPACE}/sdk/include/promptweave.h")).unwrap();
    assert_eq!(sandbox.read("in-c/promptweave.h"), header);
    tried(&sandbox, "in-c", "in-c/libacme_tickets.so");
}

#[test]
fn nothing_is_overwritten() {
    let sandbox = Sandbox::new();
    sandbox.write("acme-tickets/plugin.toml", "mine");
    let output = sandbox.run(&["new", "plugin", "acme-tickets"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(!sandbox.path().join("acme-tickets/Cargo.toml").exists());
    assert_eq!(sandbox.run(&["new", "plugin", "Not A Name"], b"").status.code(), Some(2));
}

#[test]
fn sealing_keeps_other_targets_and_refuses_what_does_not_belong() {
    let Some(sandbox) = built_in_c() else { return };
    let seal = ["plugin", "seal", "in-c", "--library", "in-c/libacme_tickets.so"];
    promptweave(&sandbox, &seal);
    let other = format!(
        "\n[library.aarch64-macos]\nfile = 'aarch64-macos/x.dylib'\nsha256 = '{}'\n",
        "0".repeat(64)
    );
    sandbox.write("in-c/dist/plugin.toml", sandbox.read("in-c/dist/plugin.toml") + &other);
    sandbox.write("in-c/dist/plugin.toml.minisig", "of the manifest before");
    sandbox.write("in-c/validate.toml", "[off]\nleak-10k = \"it keeps an index\"\n");
    let output = sandbox.run(&seal, b"");
    done("seal again", &output);
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told, "the signature is of the manifest before: sign it again\n");
    assert_eq!(sandbox.read("in-c/dist/plugin.toml").matches("[library.").count(), 2);
    assert_eq!(sandbox.read("in-c/dist/validate.toml"), sandbox.read("in-c/validate.toml"));

    let refused = |words: &[&str]| {
        let output = sandbox.run(words, b"");
        assert!(!output.status.success(), "{words:?}");
        sandbox.neutral(&String::from_utf8_lossy(&output.stderr))
    };
    let mut told = refused(&["plugin", "seal", "in-c", "--library", "in-c/plugin.toml"]);
    told += &refused(&["plugin", "seal", "in-c", "--library", "in-c"]);
    told += &refused(&["plugin", "seal", "in-c/dist", "--library", "in-c/libacme_tickets.so"]);
    let newer = sandbox.read("in-c/plugin.toml").replace("0.1.0", "0.2.0");
    sandbox.write("in-c/plugin.toml", newer);
    told += &refused(&seal);
    insta::assert_snapshot!(told);
}
