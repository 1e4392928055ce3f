//! A pack in memory: one variant, two components, one prompt.

use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 4] = [
    ("pack.toml", "format = 1\nname = 'hello'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'place']"),
    ("components/role.md", "You are a coding agent."),
    ("components/place.md", "Working folder: {{cwd}}"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("hello", PACK)).build()?;
    let context = Context::from_json(r#"{ "cwd": "/home/ada/compiler" }"#)?;
    let prompt = engine.prompt(&context)?;

    assert_eq!(prompt.text(), "You are a coding agent.\n\nWorking folder: /home/ada/compiler");
    eprintln!("{}", prompt.text());
    Ok(())
}
