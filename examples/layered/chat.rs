//! A conversation: the user's own prompt, memory, skills; one session keeps its bytes.

use promptweave::{Ask, Clock, Context, Engine};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build()?;
    let layered = Ask { variant: Some("layered".into()), ..Ask::default() };
    let session = engine.session(Clock::new("2026-01-15"));

    let context = Context::from_value(json!({
        "user": { "system_prompt": "You are Ada. Answer in one sentence where that is enough." },
        "model": { "id": "volcengine:deepseek-v3" },
        "memory": { "enabled": true, "text": "Prefers metric units." },
        "skills": [{ "name": "travel", "description": "Plans journeys.", "category": "daily" }],
    }))?;
    let prompt = session.prompt_for(&context, &layered)?;

    assert!(prompt.text().starts_with("You are Ada."));
    assert!(prompt.text().contains("<memory-context>\nPrefers metric units.\n</memory-context>"));
    assert!(prompt.tools().iter().any(|tool| &**tool == "recall_memory"), "nobody listed it");
    eprintln!("{}", prompt.text());
    Ok(())
}
