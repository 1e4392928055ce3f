//! A pack in a folder, on top of the standard pack; without a warning.

use promptweave::{Context, Engine, Severity};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder()
        .pack(promptweave_variants::standard())
        .pack_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/acme-pack"))
        .strict(true)
        .build()?;
    let warns = |told: &promptweave::Diagnostic| told.severity > Severity::Note;
    assert!(!engine.check().iter().any(warns));

    let context =
        Context::from_json(r#"{ "model": { "id": "claude-sonnet-4-5" }, "cwd": "/project" }"#)?;
    let prompt = engine.prompt(&context)?;
    assert_eq!(prompt.variant().id.as_str(), "claude");
    eprintln!("{}", prompt.section("house_rules").unwrap_or("no such section"));
    Ok(())
}
