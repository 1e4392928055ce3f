//! The plugin linked in, and as a library in a child and in this process: the same bytes.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::path::Path;

use promptweave::{Context, Engine, MemorySource, Origin};
use promptweave_loader::{
    Discovery, Given, Grant, Isolation, LOCK_FILE, Lock, NativePolicy, Plugins, Sources,
};
use promptweave_testkit::{Effort, Options, check};
use promptweave_tests::plugin;

const CONFIG: &str = r#"{"tone": "warm", "rules": ["Name the ticket.", "No emoji."]}"#;

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'acme'\nversion = '1'"),
    ("generic.toml", "order = ['house_style', 'size']"),
    (
        "components/size.md",
        "The list has {{plural (len tools) \"tool\"}} and {{plural 1 \"owner\"}}.",
    ),
];

fn linked(config: &str) -> Plugins {
    Plugins::builder().linked(promptweave_house_style::plugin(), config).load()
}

fn engine(plugins: &Plugins) -> Engine {
    assert!(plugins.diagnostics().is_empty(), "{:?}", plugins.diagnostics());
    let builder = Engine::builder().pack(MemorySource::new("acme", PACK));
    plugins.add_to(builder).build().unwrap()
}

/// What both ways must give: the prompts of an ordinary branch and of a release.
fn texts(plugins: &Plugins) -> [String; 2] {
    let engine = engine(plugins);
    ["main", "release/1.20"].map(|branch| {
        let context = format!(r#"{{"git": {{"branch": "{branch}"}}, "tools": ["a", "b"]}}"#);
        let prompt = engine.prompt(&Context::from_json(&context).unwrap()).unwrap();
        format!("{}\n{:?}", prompt.text(), prompt.diagnostics())
    })
}

#[test]
fn the_same_bytes_each_way() {
    let folder = plugin::sealed(
        "promptweave-house-style",
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml"),
    );
    let data = tempfile::tempdir().unwrap();
    let program = plugin::program();
    let library = |config: &str| {
        let config = Given::of_table(&serde_json::from_str(config).unwrap(), &Origin::Engine);
        let builder = Plugins::builder().plugin(folder.path()).config("house-style", config);
        builder.data(data.path()).program(program.clone())
    };
    // The defaults of the manifest are those of the code.
    assert_eq!(texts(&library("{}").load()), texts(&linked("{}")));
    let (in_child, linked) = (library(CONFIG).load(), linked(CONFIG));
    trust_in_process(folder.path(), data.path());
    let here = library(CONFIG).isolation(NativePolicy::InProc).load();
    let where_it_runs = |plugins: &Plugins| plugins.loaded()[0].isolation();
    assert_eq!(
        [&in_child, &here, &linked].map(where_it_runs),
        [Isolation::Process, Isolation::InProc, Isolation::InProc]
    );
    let texts = [&in_child, &here, &linked].map(texts);
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0], texts[2]);
    insta::assert_snapshot!(texts[0].join("\n---\n"));
}

/// What `promptweave plugin trust --inproc` does.
fn trust_in_process(folder: &Path, data: &Path) {
    let named = vec![folder.to_owned()];
    let found = Discovery::of(&Sources { named, ..Sources::default() });
    let grant = Grant::of(&found.candidates[0], "2026-01-02").unwrap();
    let mut lock = Lock::open(data.join(LOCK_FILE));
    lock.grant(Grant { isolation: Isolation::InProc, ..grant }).unwrap();
}

#[test]
fn a_wrong_configuration_keeps_it_out() {
    let why = |config| linked(config).diagnostics()[0].message.clone();
    insta::assert_snapshot!(
        [r#"{"tone": "loud"}"#, r#"{"rule": []}"#, r#"{"rules": [" "]}"#].map(why).join("\n")
    );
}

#[test]
fn it_keeps_the_promises_of_the_abi() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-house-style", &manifest);
    let effort = Effort { calls: 2000, timed: 50, fuzzed: 2000 };
    let options = Options { effort, ..Options::new(plugin::checker()) };
    let report = check(folder.path(), &options).unwrap();
    assert!(report.is_fine(), "{report}");
    eprintln!("{report}");
}
