//! What the bindings share: plugins, named in options as JSON.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave_bindings::{Engine, Json, context};
use promptweave_tests::hosted::{Home, Manifest, gone, program};
use promptweave_tests::native;
use serde_json::json;

#[test]
fn plugins_run_where_options_say() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let options = |more: Json| {
        let mut plugins = json!({ "paths": [home.plugin()], "host": program().path });
        let more = more.as_object().unwrap().clone();
        plugins.as_object_mut().unwrap().extend(more);
        let files = json!({
            "pack.toml": "format = 1\nname = 'acme'\nversion = '1.0.0'",
            "generic.toml": "order = ['role', 'bad']",
            "components/role.md": "You are a coding agent.",
        });
        json!({ "standard": false, "packs": [{ "name": "acme", "files": files }], "plugins": plugins })
    };
    let built = |options: Json| {
        let engine = Engine::new(options, Vec::new()).unwrap();
        let prompt = engine.prompt(&context("{}").unwrap(), Json::Null).unwrap();
        let codes = engine.diagnostics();
        let codes = codes.as_array().unwrap().iter().map(|one| one["code"].to_string());
        (prompt.text().to_owned(), codes.collect::<Vec<_>>().join(" "))
    };
    let (text, told) = built(options(json!({ "data": home.data() })));
    assert_eq!((&*text, &*told), ("You are a coding agent.\n\nfine\n", ""));
    let (text, told) = built(options(json!({ "data": home.data(), "isolation": "off" })));
    assert_eq!(text, "You are a coding agent.");
    assert!(told.contains("plugin-off"), "{told}");
    // Without a folder for the private copy nothing runs.
    let (text, told) = built(options(json!({})));
    assert_eq!(text, "You are a coding agent.");
    assert!(told.contains("plugin-refused"), "{told}");
    let unread = json!({ "data": home.data(), "config": { "other": { "key": 1 } } });
    assert!(built(options(unread)).1.contains("plugin-config"));
    gone(&home);
}
