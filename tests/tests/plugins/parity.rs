//! A plugin says the same in a child and in this process.

use std::path::Path;

use promptweave::{Ask, Dialect};
use promptweave_loader::{Given, ItemKind, Plugin};
use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::random::Random;
use promptweave_tests::{native, pack, shown};
use serde_json::{Value as Json, json};

const MODES: &[Mode] = &[Mode::Process, Mode::Open, Mode::InProc];

const PACK: &[(&str, &str)] = &[
    (
        "pack.toml",
        "format = 1\nname = \"test\"\nversion = \"1\"\n\
         [context.kinds]\ntype = \"object\"\nclass = \"session\"\n\
         [labels.acme]\nstable = 1\n",
    ),
    ("components/said.md", "{{shout_out \"hi\" cwd 7 loud=true}} {{shout_out}}"),
    ("components/muted.md", "muted: {{mute}}"),
];

fn context() -> Json {
    json!({
        "model": { "id": "acme-" }, "cwd": "/p\u{e9}", "user": { "name": "Ada", "language": "French" },
        "tools": [{ "name": "ring", "description": "Rings." }, { "name": "bell" }],
        "kinds": {
            "null": null, "bool": true, "int": -7, "big": 18_446_744_073_709_551_615_u64, "float": 0.1, "small": 5e-324,
            "string": "a \"quoted\" \u{1F980} text", "array": [1, [2, "three"]], "object": { "z": 1, "a": { "b": null } },
            "floats": [1e300, 1.0, 2.5e-7, 123_456_789.123_456_78, 0.3, -0.0, 1.797_693_134_862_315_7e308],
            "odd": { "a/b": 1, "c~d": 2, "": 3, "e.f": 4 }, "deep": { "a": { "b": { "c": "reached" } } },
        },
    })
}

/// What a plugin says beside its text is cut off where it would not fit, wherever it runs.
#[test]
fn the_same_cuts_of_one_that_says_much() {
    let Some(library) = native::library("says-much") else { return };
    let told = same(&library, "says-much", &context());
    assert!(told.contains("heard") && told.len() < 4 << 20, "{} bytes", told.len());
}

/// A variant with all components of the plugin, and two that call its helpers.
fn components(plugin: &Plugin) -> String {
    let items = plugin.table().of_kind(ItemKind::Component).map(|item| item.id.as_str());
    let order: Vec<&str> = items.chain(["said", "muted"]).collect();
    format!("order = {order:?}\n")
}

/// Everything that the plugin makes the engine say.
fn told(library: &Path, name: &str, mode: Mode, context: &Json) -> String {
    let home = Home::new(library, Manifest::of(name));
    std::fs::write(home.beside("config.json"), r#"{"greeting": "häß"}"#).unwrap();
    let given = Given::open(&home.beside("config.json")).unwrap();
    let plugins = home.builder(mode).config(name, given).load();
    assert_eq!(plugins.loaded().len(), 1, "{:?}", plugins.diagnostics());
    let order = components(&plugins.loaded()[0]);
    let (engine, loading) = hosted::engine(&plugins, &[PACK, &[("generic.toml", &order)]].concat());
    let (context, probed) = engine.probe(&pack::context(context.clone()));
    let mut out = format!("--- loading\n{}\n", shown::diagnostics(&loading));
    out.push_str(&format!("--- probing\n{}\n", shown::diagnostics(&probed)));
    out.push_str(&format!(
        "branch {:?}, os {:?}\n",
        context.text("git.branch"),
        context.text("os")
    ));
    let declared = engine.declare_tools(&context, &Ask::default(), Dialect::Anthropic).unwrap();
    out.push_str(&format!("--- declared\n{:#}\n", Json::from(declared.tools)));
    // The second build is answered from memory where that may be.
    let [first, second] = [0, 1].map(|_| shown::prompt(&engine.prompt(&context).unwrap()));
    assert_eq!(first, second, "{mode:?}");
    out + &first
}

#[test]
fn the_same_bytes_from_every_mode() {
    let Some(library) = native::library("parity") else { return };
    insta::assert_snapshot!("parity", same(&library, "parity", &context()));
}

#[test]
fn the_same_bytes_of_a_plugin_in_rust() {
    let Some(library) = native::library("rust") else { return };
    insta::assert_snapshot!("parity-rust", same(&library, "rust", &context()));
}

#[test]
fn the_same_bytes_when_nobody_matches() {
    let Some(library) = native::library("parity") else { return };
    let mut context = context();
    context["model"]["id"] = json!("other");
    let told = same(&library, "parity", &context);
    assert!(told.contains("generic@1") && told.contains("it cannot decide"), "{told}");
}

/// Numbers that a careless parser changes in their last digit.
#[test]
fn the_same_bytes_of_any_number() {
    let Some(library) = native::library("parity") else { return };
    let mut random = Random(7);
    let mut float = || f64::from_bits(random.number());
    let floats: Vec<f64> =
        std::iter::repeat_with(&mut float).filter(|one| one.is_finite()).take(300).collect();
    let mut context = context();
    context["kinds"] = json!({ "floats": floats });
    assert!(same(&library, "parity", &context).contains("kinds.floats: 0 kind 5"));
}

#[test]
fn the_same_bytes_of_deep_values() {
    let Some(library) = native::library("parity") else { return };
    let deep = (0..120).fold(json!("bottom"), |deep, _| json!([deep]));
    let mut context = context();
    context["kinds"]["deep"] = json!({ "a": { "b": { "c": deep } } });
    assert!(same(&library, "parity", &context).contains("bottom"));
}

/// What all modes say.
fn same(library: &Path, name: &str, context: &Json) -> String {
    let all = MODES.iter().map(|mode| told(library, name, *mode, context));
    let mut all: Vec<String> = all.collect();
    for (mode, told) in MODES.iter().zip(&all) {
        pretty_equal(told, &all[0], &format!("{mode:?}"));
    }
    all.swap_remove(0)
}

/// Compares; shows the lines that differ.
fn pretty_equal(got: &str, expected: &str, what: &str) {
    let differ = got.lines().zip(expected.lines()).filter(|(got, expected)| got != expected);
    let differ: Vec<String> =
        differ.map(|(got, expected)| format!("- {expected}\n+ {got}")).take(10).collect();
    assert!(got == expected, "{what}:\n{}", differ.join("\n"));
}
