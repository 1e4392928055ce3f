//! One run without a conversation, from an API or a channel: the same call, another context.

use promptweave::{Ask, Context, Engine};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build()?;
    let layered = Ask { variant: Some("layered".into()), ..Ask::default() };

    let context = Context::from_value(json!({
        "user": { "system_prompt": "You close stale tickets." },
        "model": { "id": "claude-sonnet-4-5" },
        "tools": [{ "name": "http", "description": "Calls an address.", "role": "fetch" }],
    }))?;
    let prompt = engine.prompt_for(&context, &layered)?;

    let names: Vec<&str> = prompt.sections().iter().map(|section| &*section.id).collect();
    assert_eq!(names, ["identity", "tool_discipline", "meta"], "Claude needs no guidance");
    eprintln!("{}", prompt.text());
    Ok(())
}
