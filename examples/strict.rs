//! A strict engine refuses what a lenient one only warns of.

use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'strict'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['place']"),
    ("components/place.md", "Working folder: {{cvd}}"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let context = Context::from_json(r#"{ "cwd": "/project" }"#)?;

    let lenient = Engine::builder().pack(MemorySource::new("strict", PACK)).build()?;
    let prompt = lenient.prompt(&context)?;
    assert_eq!(prompt.text(), "Working folder:");
    assert_eq!(prompt.diagnostics()[0].code.as_str(), "placeholder-missing");

    let strict = Engine::builder().pack(MemorySource::new("strict", PACK)).strict(true).build()?;
    let error = strict.prompt(&context).err().ok_or("a strict engine lets it pass")?;
    assert_eq!(error.code(), "placeholder-missing");
    eprintln!("{error}\n  at {}\n  help: {}", error.origin(), error.help().unwrap_or("none"));
    Ok(())
}
