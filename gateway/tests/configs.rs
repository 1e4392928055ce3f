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
    assert!(!out.contains("hidden") && !out.contains("pass-word"), "{out}");
    let is_odd = |c: char| c.is_control() && c != '\n';
    assert!(!out.contains(is_odd), "{out:?}");
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

#[cfg(unix)]
#[test]
fn what_is_no_file_of_a_sensible_size_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::fs::write(path("long"), "k".repeat((64 << 10) + 1)).unwrap();
    std::fs::write(path("null"), "key\0key").unwrap();
    let text = |key: &str| {
        format!(
            "format = 1\n[[upstream]]\nname = 'a'\ntarget = 'anthropic'\nkey = 'file:{key}'\n\
             [[route]]\nmodels = ['*']\nupstream = 'a'\nprompt = {{ context = '{key}' }}\n"
        )
    };
    for (key, words) in [
        ("pipe", "`pipe` cannot be read: it is no regular file"),
        ("/dev/zero", "`/dev/zero` cannot be read: it is no regular file"),
        (".", "`.` cannot be read: it is no regular file"),
        ("long", "`long` cannot be read: it has more than 65536 bytes"),
        ("null", "`null` is no key"),
    ] {
        let text = text(key);
        let (config, told) =
            Config::from_toml(("gateway.toml", &text), folder.path(), &common::env);
        assert!(config.is_none());
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        assert!(told[0].contains("gateway.toml:5:7") && told[0].contains(words), "{told:?}");
        assert!(told[1].contains("gateway.toml:9:22"), "{told:?}");
    }
    // The configuration itself.
    std::fs::write(path("endless"), "#".repeat((1 << 20) + 1)).unwrap();
    for file in ["pipe", "endless", "."] {
        let (config, told) = Config::read(&path(file));
        assert!(config.is_none());
        assert_eq!(told[0].code.as_str(), "file-unreadable", "{file}");
    }
}

#[test]
fn more_patterns_than_anybody_has_are_told_at_once() {
    let upstream = "[[upstream]]\nname = 'a'\ntarget = 'anthropic'\n";
    let route = |number: usize| format!("[[route]]\nmodels = ['m{number:05}']\nupstream = 'a'\n");
    let routes: String = (0..2001).map(route).collect();
    let text = format!("format = 1\n{upstream}{routes}");
    let (config, told) = Config::from_toml(("gateway.toml", &text), Path::new("."), &common::env);
    assert!(config.is_none() && told.len() == 1);
    assert!(told[0].message.contains("more than 2000 patterns"), "{}", told[0]);
}
