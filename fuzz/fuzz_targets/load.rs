//! Bytes become the files of a pack: loading, checking and building end, whatever they hold.
#![no_main]

use libfuzzer_sys::fuzz_target;
use promptweave::{Context, Engine, MemorySource};

/// The files, in the order in which the parts of the input fill them.
const PATHS: &[&str] = &[
    "generic.toml", "generic.hbs", "components/a.toml", "components/b.md", "tools/t.toml", "partials/p.hbs",
    "patch.toml", "other@2.toml", "pack.toml",
];

/// Between two files.
const CUT: &str = "\n%%\n";

fuzz_target!(|text: &str| {
    let given: Vec<(&str, &str)> = PATHS.iter().copied().zip(text.split(CUT)).collect();
    // Without a sound `pack.toml` nothing else would be read.
    let own = given.iter().any(|(path, _)| *path == "pack.toml");
    let pack = (!own).then_some(("pack.toml", "format = 1\nname = \"fuzz\"\nversion = \"1\"\n"));
    let source = MemorySource::new("fuzz", given.into_iter().chain(pack));
    let engine = Engine::builder().pack(source).build().expect("an engine that is not strict");
    for told in engine.diagnostics().iter().chain(&engine.check()) {
        assert!(!told.to_string().is_empty());
    }
    let context = r#"{"model": {"id": "m"}, "cwd": "/p", "flags": ["a"], "rules": {"global": "r"}}"#;
    let context = Context::from_json(context).expect("a context");
    if let Ok(prompt) = engine.prompt(&context) {
        assert_eq!(prompt.spans().map(|span| span.range.len()).sum::<usize>(), prompt.text().len());
    }
});
