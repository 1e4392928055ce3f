//! A probe reads the world once a session; components read only what it found.

use promptweave::{Context, Engine, Items, MemorySource, Probe};
use serde_json::json;

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'probes'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['rust']"),
    ("components/rust.md", "{{#if ctx.rust}}\nRust {{ctx.rust}} is installed.\n{{/if}}"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A real one would run `rustc --version`.
    let rust = Probe::new("rust", |_context| Ok(json!("1.88")));
    let engine = Engine::builder()
        .pack(MemorySource::new("probes", PACK))
        .extension(Items::new("acme").probe(rust))
        .build()?;

    let (context, told) = engine.probe(&Context::default());
    assert!(told.is_empty(), "a probe that fails is told here, and its key stays absent");
    let prompt = engine.prompt(&context)?;
    assert_eq!(prompt.text(), "Rust 1.88 is installed.");

    let given = Context::from_json(r#"{ "rust": "1.90" }"#)?;
    let (context, _) = engine.probe(&given);
    assert_eq!(engine.prompt(&context)?.text(), "Rust 1.90 is installed.", "the host's word wins");
    eprintln!("{}", prompt.text());
    Ok(())
}
