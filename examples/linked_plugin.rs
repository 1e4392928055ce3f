//! A plugin that is part of the program: the same crate that others ship as a library.

use promptweave::{Context, Engine, MemorySource};
use promptweave_loader::Plugins;

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'linked'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['task', 'house_style']"),
    ("components/task.md", "You review {{plural (len tools) \"tool\"}}."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // In `Cargo.toml`: `promptweave-house-style = "…"`.
    let config = r#"{ "tone": "formal", "rules": ["Name the ticket."] }"#;
    let plugins = Plugins::builder().linked(promptweave_house_style::plugin(), config).load();
    assert!(plugins.diagnostics().is_empty(), "{:?}", plugins.diagnostics());

    let builder = Engine::builder().pack(MemorySource::new("linked", PACK));
    let engine = plugins.add_to(builder).build()?;
    let context = Context::from_json(r#"{ "tools": ["read_file", "edit_file"] }"#)?;
    let prompt = engine.prompt(&context)?;
    assert!(prompt.text().starts_with("You review 2 tools.\n"), "the helper is the plugin's");
    assert!(prompt.text().contains("\n- Name the ticket.\n"), "so is the component");

    // Its matcher knows a release, and its variant takes over.
    let context = Context::from_json(r#"{ "git": { "branch": "release/1.20" } }"#)?;
    assert_eq!(engine.prompt(&context)?.variant().id.as_str(), "house-release");
    eprintln!("{}", prompt.text());
    Ok(())
}
