//! The standard pack: prompts for coding agents, one variant per family of models.

use promptweave::{Context, Engine};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build()?;
    assert!(engine.diagnostics().is_empty());

    for (model, variant) in [
        ("claude-sonnet-4-5", "claude"),
        ("gpt-5.1-codex", "codex"),
        ("a-model-nobody-knows-yet", "generic"),
    ] {
        let context = Context::from_value(json!({
            "model": { "id": model }, "cwd": "/home/ada/compiler", "os": "linux",
            "tools": ["read_file", "edit_file", "run_command"],
        }))?;
        let prompt = engine.prompt(&context)?;
        assert_eq!(prompt.variant().id.as_str(), variant);
        eprintln!("{model}: variant `{variant}`, {} sections", prompt.sections().len());
        eprintln!(
            "  {} bytes, {} of them the same for every user",
            prompt.text().len(),
            prompt.static_head()
        );
    }
    Ok(())
}
