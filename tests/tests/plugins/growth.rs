//! Plugins that were built against another minor version of the header load and run.

use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{native, pack};
use serde_json::json;

const PACK: &[(&str, &str)] = &[("generic.toml", "order = [\"first\", \"second\", \"third\"]\n")];

/// All that a plugin of this shape gives.
fn check(case: &str) {
    let Some(library) = native::library(case) else { return };
    for mode in [Mode::Process, Mode::InProc] {
        let home = Home::new(&library, Manifest::of(case));
        let plugins = home.builder(mode).load();
        let (engine, told) = hosted::engine(&plugins, PACK);
        assert!(told.is_empty(), "{case} {mode:?}: {told:#?}");
        let prompt = engine.prompt(&pack::context(json!({ "cwd": "/p" }))).unwrap();
        assert!(prompt.diagnostics().is_empty(), "{case} {mode:?}: {:#?}", prompt.diagnostics());
        assert_eq!(prompt.text(), "first in /p\n\nsecond in /p\n\nthird in /p\n", "{mode:?}");
    }
}

#[test]
fn a_larger_item_struct() {
    check("grown");
}

#[test]
fn a_smaller_item_struct() {
    check("shrunk");
}
