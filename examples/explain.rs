//! Why this variant, and why is each section in or out?

use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 6] = [
    ("pack.toml", "format = 1\nname = 'explain'\nversion = '1.0.0'"),
    ("gpt.toml", "extends = 'generic'\nmatch.models = ['gpt']"),
    ("generic.toml", "order = ['role', 'browser', 'rules']"),
    ("components/role.md", "You are a coding agent."),
    ("components/browser.toml", "when = \"'browser' in capabilities\"\ntext = 'Use the browser.'"),
    ("components/rules.md", "{{#if rules.project}}\n# Rules\n\n{{rules.project}}\n{{/if}}"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("explain", PACK)).build()?;
    let context = Context::from_json(r#"{ "model": { "id": "glm-4" }, "capabilities": [] }"#)?;
    let prompt = engine.prompt(&context)?;

    for asked in prompt.walk() {
        let said = if asked.matched { "yes" } else { "no" };
        eprintln!("asked `{}`: {said} by {} ({})", asked.variant.id, asked.reason, asked.detail);
    }
    eprintln!("chose `{}`: {}", prompt.variant().id, prompt.why());
    for section in prompt.sections() {
        eprintln!("in:  {} from {}, {} bytes", section.id, section.origin, section.range.len());
    }
    for skipped in prompt.skipped() {
        eprintln!("out: {}: {} ({})", skipped.id, skipped.reason.as_str(), skipped.detail);
    }
    let [browser, rules] = prompt.skipped() else { return Err("two were expected".into()) };
    assert_eq!([browser.reason.as_str(), rules.reason.as_str()], ["condition-false", "empty"]);
    Ok(())
}
