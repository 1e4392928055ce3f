//! Configurations, right and wrong: every mistake is told with its place.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fmt::Write as _;
use std::path::Path;

use promptweave_gateway::Config;

/// What is told about a file, and whether it can be used.
fn told(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let folder = path.parent().unwrap();
    let (config, told) = Config::from_toml(("gateway.toml", &text), folder, &common::env);
    let mut out = String::new();
    for told in told {
        let _ = writeln!(out, "{told}\n  help: {}", told.help.as_deref().unwrap_or_default());
    }
    let shown = config.map_or("refused".to_owned(), |config| format!("{config:#?}"));
    assert!(!shown.contains(common::KEY) && !shown.contains(common::TOKEN));
    out + if shown == "refused" { "refused" } else { "taken" }
}

#[test]
fn mistakes_are_told_all_at_once() {
    insta::glob!("configs/*.toml", |path| insta::assert_snapshot!(told(path)));
}

#[test]
fn the_example_can_be_used() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/gateway.toml");
    let text = std::fs::read_to_string(path).unwrap();
    let env = |_: &str| Some("a-key-for-all-of-them".to_owned());
    let (config, told) = Config::from_toml(("gateway.toml", &text), Path::new("."), &env);
    assert!(told.is_empty(), "{told:?}");
    assert!(config.is_some_and(|config| config.routes.len() > 2));
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let (config, told) = Config::read(Path::new("no/such/file.toml"));
    assert!(config.is_none());
    assert_eq!(told[0].code.as_str(), "file-unreadable");
}
