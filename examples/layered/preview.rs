//! What an editor shows before anything is sent: the layers of the very build, by name.

use promptweave::{Ask, Context, Engine};
use serde_json::json;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build()?;
    let layered = Ask { variant: Some("layered".into()), ..Ask::default() };

    let context = Context::from_value(json!({
        "user": { "system_prompt": "You are Ada." },
        "model": { "id": "gpt-5" },
        "memory": { "enabled": true, "text": "Prefers metric units." },
        "skills": [{ "name": "travel", "description": "Plans journeys." }],
    }))?;
    let prompt = engine.prompt_for(&context, &layered)?;
    let shown = engine.token_counter(&prompt).layers(&prompt);

    assert_eq!(shown["prompt"], prompt.text(), "what is shown is what is sent");
    let layers = shown["layers"].as_array().ok_or("no layers")?;
    let names: Vec<&str> = layers.iter().filter_map(|layer| layer["name"].as_str()).collect();
    assert!(names.starts_with(&["identity", "tool_discipline", "model_guidance"]));
    eprintln!("{shown:#}");
    Ok(())
}
