//! A plugin's items in a test: linked in, as a library here, as a library in a child.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave_testkit::{HostProgram, TestPlugin, Where, fixture};
use promptweave_testkit_acme::plugin;
use serde_json::json;

fn program() -> HostProgram {
    let path = env!("CARGO_BIN_EXE_promptweave-plugin-check").into();
    HostProgram { path, args: vec!["serve".into()] }
}

/// Every item of the plugin, with what it gives.
fn all(acme: &TestPlugin) {
    let workspace = |context| acme.component("workspace").context(context).call();
    let here = json!({ "cwd": "/src", "git": { "branch": "main" }, "user": { "name": "x" } });
    assert_eq!(workspace(here.clone()).text.as_deref(), Some("You work in /src (main).\n"));
    assert_eq!(workspace(json!({})).text, None);
    let wrong = workspace(json!({ "cwd": 7 }));
    assert!(wrong.text.is_none() && wrong.failure.unwrap().contains("cwd"));
    let call = acme.component("workspace").section("role", "A role.").context(here.clone());
    let text = call.variant(json!({ "id": "small" })).call().text.unwrap();
    assert_eq!(text, "As said, you have a role. You work in /src (main).\n");
    assert!(acme.matcher("on-main").context(here).call().is_match());
    assert!(!acme.matcher("on-main").call().is_match());
    assert_eq!(acme.helper("shout").args([json!("hi")]).call().text.as_deref(), Some("HI"));
    assert_eq!(acme.helper("shout").call().failure.as_deref(), Some("`shout` wants a text"));
    assert_eq!(acme.probe("answer").call().json(), Some(json!({ "answer": 42 })));
}

#[test]
fn items_are_called_linked_in_here_and_in_a_child() {
    all(&TestPlugin::linked(plugin()).unwrap());
    let library = fixture("promptweave-testkit-acme");
    all(&TestPlugin::open(&library).unwrap());
    all(&TestPlugin::open_in_child(&library, program()).unwrap());
}

#[test]
fn configurations_are_taken_and_refused() {
    let acme = TestPlugin::linked_with(plugin(), &json!({ "greeting": "Look at" })).unwrap();
    let called = acme.component("workspace").context(json!({ "cwd": "/src" })).call();
    assert_eq!(called.text.as_deref(), Some("Look at /src.\n"));
    let config = json!({ "greeting": 7 });
    let why = TestPlugin::linked_with(plugin(), &config).err().unwrap();
    assert!(why.contains("`greeting` is no string"), "{why}");
    let library = fixture("promptweave-testkit-acme");
    for at in [Where::Here, Where::Child(program())] {
        let why = TestPlugin::open_with(&library, &config, at).err().unwrap();
        assert!(why.contains("`greeting` is no string"), "{why}");
    }
}

#[test]
#[should_panic(
    expected = "the plugin has no component `nothing`; it has [\"workspace\", \"manners\"]"
)]
fn an_unknown_item_is_told() {
    TestPlugin::linked(plugin()).unwrap().component("nothing").call();
}
