//! Which file, line and column does each part of the prompt come from?

use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 5] = [
    ("pack.toml", "format = 1\nname = 'blame'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'rules']"),
    ("generic.hbs", "{{role}}\n\n# Rules\n\n{{rules}}"),
    ("components/role.md", "You are a coding agent."),
    ("components/rules.md", "- Run the tests.\n- Work in {{cwd}} alone."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("blame", PACK)).build()?;
    let prompt = engine.prompt(&Context::from_json(r#"{ "cwd": "/project" }"#)?)?;

    // The spans cover the text without gaps.
    for span in prompt.spans() {
        let text = &prompt.text()[span.range];
        eprintln!("{:30} {:8} {text:?}", span.origin.to_string(), span.class);
    }

    let at = prompt.text().find("/project").unwrap_or_default();
    let span = prompt.origin_at(at).ok_or("no such byte")?;
    assert_eq!(span.origin.to_string(), "blame/components/rules.md:2:11");
    assert_eq!(span.id.as_deref(), Some("rules"));
    Ok(())
}
