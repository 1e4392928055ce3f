//! The shape of the workspace: floors, file lengths, module heads, fixtures of codes, lints.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use promptweave::Code;
use promptweave_tests::{conformance::read, pack};

/// The engine's floors, lowest first: each names lower ones only.
const FLOORS: &[&str] = &[
    "weight",
    "diagnostic",
    "trace",
    "pattern",
    "condition",
    "template",
    "tidy",
    "model",
    "registry",
    "error",
    "facts",
    "tools",
    "extension",
    "recall",
    "moment",
    "request",
    "load",
    "select",
    "build",
    "check",
    "render",
    "budget",
    "blocks",
    "prompt",
    "compose",
    "tokens",
    "deliver",
    "engine",
    "session",
    "cache",
    "unstable",
];

/// The loader's floors, lowest first.
const LOADER_FLOORS: &[&str] = &[
    "key",
    "log",
    "answer",
    "digest",
    "files",
    "reader",
    "limits",
    "manifest",
    "table",
    "object",
    "store",
    "signature",
    "pack_files",
    "discover",
    "lock",
    "config",
    "judge",
    "report",
    "frame",
    "guest",
    "child",
    "process",
    "plugin",
    "start",
    "harness",
    "plugins",
    "watch",
    "harness",
    "unstable",
    "bin",
];

/// The gateway's floors, lowest first.
const GATEWAY_FLOORS: &[&str] = &[
    "reading", "secret", "config", "refusal", "metrics", "prompts", "upstream", "answer", "server",
];

/// The floors of what bindings share, lowest first.
const BINDINGS_FLOORS: &[&str] =
    &["error", "input", "options", "host", "plugins", "parser", "prompt", "session", "engine"];

const MAX_LINES: usize = 400;
const MAX_FUNCTION_LINES: usize = 60;

/// Folders that hold no code of ours, or tests alone.
const SKIPPED: &[&str] = &["target", "tests", "fixtures", "corpus", "artifacts"];

/// The Rust files below a folder, sorted, without those of tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && !SKIPPED.contains(&name) && !name.starts_with('.') {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The lines before the tests at a file's end.
fn without_tests(text: &str) -> &str {
    text.find("\n#[cfg(test)]\nmod tests {").map_or(text, |at| &text[..at])
}

fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

/// The workspace's members, by folder.
fn members() -> Vec<PathBuf> {
    let manifest: toml::Table = toml::from_str(&read(&pack::root().join("Cargo.toml"))).unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    members.iter().map(|member| pack::root().join(member.as_str().unwrap())).collect()
}

#[test]
fn floors_name_lower_floors_only() {
    for (folder, floors) in [
        ("engine/src", FLOORS),
        ("loader/src", LOADER_FLOORS),
        ("gateway/src", GATEWAY_FLOORS),
        ("bindings/core/src", BINDINGS_FLOORS),
    ] {
        none(&names_of_higher_floors(&pack::root().join(folder), floors));
    }
}

fn names_of_higher_floors(src: &Path, floors: &[&str]) -> Vec<String> {
    let mut wrong = Vec::new();
    for path in sources(src) {
        let below = path.strip_prefix(src).unwrap();
        let depth = below.components().count();
        let first = below.components().next().unwrap().as_os_str().to_str().unwrap();
        let own = first.trim_end_matches(".rs");
        if own == "lib" {
            continue;
        }
        let Some(floor) = floors.iter().position(|floor| *floor == own) else {
            wrong.push(format!("{}: `{own}` is no floor; add it to the list", below.display()));
            continue;
        };
        let text = read(&path);
        // Out of the floor leads one `super` for each module on the way.
        let out = "super::".repeat(depth - usize::from(below.ends_with("mod.rs")));
        for higher in &floors[floor + 1..] {
            for (at, line) in without_tests(&text).lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                if names(code, &format!("crate::{higher}"))
                    || names(code, &format!("{out}{higher}"))
                {
                    wrong.push(format!(
                        "{}:{}: `{own}` names the higher floor `{higher}`",
                        below.display(),
                        at + 1
                    ));
                }
            }
        }
    }
    wrong
}

/// Whether code names a path: a longer word that begins with it does not count.
fn names(code: &str, path: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    code.match_indices(path).any(|(at, _)| {
        !code[..at].ends_with(|character| is_word(character) || character == ':')
            && !code[at + path.len()..].starts_with(is_word)
    })
}

#[test]
fn grouped_imports_name_lower_floors_only() {
    for path in sources(&pack::root().join("engine/src")) {
        assert!(!read(&path).contains("use crate::{"), "{}: import floor by floor", path.display());
    }
}

#[test]
fn no_file_is_long() {
    let lengths = sources(&pack::root())
        .into_iter()
        .map(|path| (without_tests(&read(&path)).lines().count(), path));
    let long = lengths.filter(|(lines, _)| *lines > MAX_LINES);
    none(
        &long.map(|(lines, path)| format!("{}: {lines} lines", path.display())).collect::<Vec<_>>(),
    );
}

#[test]
fn every_module_has_a_head() {
    let heads = sources(&pack::root()).into_iter().filter(|path| !read(path).starts_with("//!"));
    none(
        &heads
            .map(|path| format!("{}: no `//!` at its beginning", path.display()))
            .collect::<Vec<_>>(),
    );
}

/// A warning, not a failure: a long list of cases can be read.
#[test]
fn long_functions_are_told() {
    for path in sources(&pack::root()) {
        let text = read(&path);
        let mut begun: Option<(usize, usize, String)> = None;
        for (at, line) in without_tests(&text).lines().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let is_function =
                line.contains("fn ") && line.trim_end().ends_with('{') && !line.contains("//");
            match &begun {
                None if is_function => begun = Some((at, indent, line.trim().into())),
                Some((start, own, head)) if indent == *own && line.trim() == "}" => {
                    if at - start >= MAX_FUNCTION_LINES {
                        eprintln!(
                            "warning: {}:{}: {} lines: {head}",
                            path.display(),
                            start + 1,
                            at - start + 1
                        );
                    }
                    begun = None;
                }
                _ => {}
            }
        }
    }
}

/// Where the folder of a code is: plugins need a library, so theirs stand apart.
fn home(code: &str) -> &'static str {
    if code.starts_with("plugin-") { "plugins" } else { "diagnostics" }
}

#[test]
fn every_code_has_a_fixture() {
    let codes = || Code::ALL.iter().map(|code| code.as_str());
    let missing = codes().filter(|code| !pack::fixture(home(code)).join(code).is_dir());
    none(
        &missing
            .map(|code| format!("`{code}` has no folder in tests/fixtures/{}", home(code)))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn every_fixture_of_a_code_has_the_name_of_one() {
    let known = |name: &str| Code::ALL.iter().any(|code| code.as_str() == name);
    for entry in fs::read_dir(pack::fixture("diagnostics")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known(&name) || name.ends_with(".snap"), "`{name}` is the fixture of no code");
    }
}

#[test]
fn every_member_takes_the_lints() {
    for member in members() {
        let manifest: toml::Table = toml::from_str(&read(&member.join("Cargo.toml"))).unwrap();
        let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
        assert_eq!(lints.and_then(toml::Value::as_bool), Some(true), "{}", member.display());
    }
}
