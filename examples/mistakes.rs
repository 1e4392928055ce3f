//! Four mistakes in four files: all are told at once, and the rest of the pack works.

use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 6] = [
    ("pack.toml", "format = 1\nname = 'mistakes'\nversion = '1.0.0'"),
    ("generic.toml", "ordr = []\norder = ['role', 'tone', 'limits']"),
    ("components/role.md", "You are a coding agent."),
    ("components/tone.toml", "text = 'Be brief.'\npriority = 'high'"),
    ("components/limits.toml", "text = \"no end"),
    ("components/else_what.md", "a name that templates could not print"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("mistakes", PACK)).build()?;
    for told in engine.diagnostics() {
        eprintln!("{told}");
        eprintln!("  help: {}", told.help.as_deref().unwrap_or("none"));
    }
    let codes: Vec<&str> = engine.diagnostics().iter().map(|told| told.code.as_str()).collect();
    for code in ["unknown-key", "wrong-type", "toml-syntax", "invalid-id"] {
        assert!(codes.contains(&code), "{code} is not among {codes:?}");
    }

    let prompt = engine.prompt(&Context::default())?;
    assert_eq!(prompt.text(), "You are a coding agent.\n\nBe brief.");
    assert_eq!(prompt.skipped().len(), 1, "what is missing is listed with its reason");
    Ok(())
}
