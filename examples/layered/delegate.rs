//! A member of a crew: its role follows its own prompt, and it directs nobody.

use promptweave::{Ask, Context, Engine};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build()?;
    let layered = Ask { variant: Some("layered".into()), ..Ask::default() };

    let context = Context::from_value(json!({
        "user": { "system_prompt": "You are Bo." },
        "model": { "id": "glm-4.6" },
        "crew": { "kind": "sub", "role": "research" },
    }))?;
    let prompt = engine.prompt_for(&context, &layered)?;

    assert!(prompt.text().starts_with("You are Bo.\n\nYour role in the crew: research\n\n"));
    assert!(!prompt.tools().iter().any(|tool| tool.starts_with("assign_")));
    eprintln!("{}", prompt.text());
    Ok(())
}
