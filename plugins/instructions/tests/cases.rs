//! Folders of cases: trees, profiles, and what each host would read of them.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]
#![cfg(unix)]

mod common;

use std::fs;

use common::Case;
use promptweave_instructions::{Change, Place, Profile, discover};

#[test]
fn cases() {
    insta::glob!("cases", "*/*.toml", |path| {
        let case: Case = toml::from_str(&fs::read_to_string(path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        insta::assert_snapshot!(case.run());
    });
}

#[test]
fn an_edited_file_is_told_by_a_later_search() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(".git")).unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    let write = |path: &str, text: &str| fs::write(root.path().join(path), text).unwrap();
    let search = || discover(&Profile::named("codex").unwrap(), &Place::new(root.path().join("a")));
    write("AGENTS.md", "One.");
    write("a/AGENTS.md", "Two.");
    let before = search();
    assert!(before.changes(&search()).is_empty());
    write("AGENTS.md", "Edited.");
    write("a/AGENTS.override.md", "Added.");
    let changes = before.changes(&search());
    let expected = [
        ("AGENTS.md".to_owned(), Change::Edited),
        ("a/AGENTS.md".to_owned(), Change::Removed),
        ("a/AGENTS.override.md".to_owned(), Change::Added),
    ];
    assert_eq!(changes, expected);
}

#[test]
fn the_page_names_every_profile_and_shows_one_that_is_read() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/instructions.md");
    let page = fs::read_to_string(page).unwrap();
    for profile in Profile::built_in() {
        assert!(page.contains(&format!("| `{}` |", profile.name)), "{}", profile.name);
    }
    let (_, shown) = page.split_once("```toml\n").unwrap();
    let (shown, _) = shown.split_once("```").unwrap();
    assert_eq!(Profile::parse(shown).unwrap().name, "house");
}
