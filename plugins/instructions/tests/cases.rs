//! Folders of cases: trees, profiles, and what each host would read of them.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]
#![cfg(unix)]

mod common;

use std::fs;

use common::Case;

#[test]
fn cases() {
    insta::glob!("cases", "*/*.toml", |path| {
        let case: Case = toml::from_str(&fs::read_to_string(path).unwrap())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        insta::assert_snapshot!(case.run());
    });
}
