//! The lead of a crew: its members and the tools to direct them.

use promptweave::{Ask, Context, Engine};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build()?;
    let layered = Ask { variant: Some("layered".into()), ..Ask::default() };

    let context = Context::from_value(json!({
        "user": { "system_prompt": "You run the newsroom." },
        "model": { "id": "qwen3-max" },
        "crew": {
            "kind": "master",
            "members": [{ "name": "Bo", "role": "research", "description": "Finds sources." }],
            "hints": "Bo first, always.",
        },
    }))?;
    let prompt = engine.prompt_for(&context, &layered)?;

    assert!(prompt.text().contains("- Bo (research): Finds sources."));
    assert!(prompt.text().contains("`assign_task`") && prompt.text().contains("`escalate`"));
    eprintln!("{}", prompt.text());
    Ok(())
}
