//! A session: the same bytes again, a note for what had to change, and the same elsewhere.

use promptweave::{Clock, Code, Context, Engine, MemorySource};

const PACK: [(&str, &str); 5] = [
    ("pack.toml", "format = 1\nname = 'demo'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'place', 'mode_now']"),
    ("components/role.md", "You are a coding agent."),
    ("components/place.md", "It is {{date}}, and you work in {{cwd}}."),
    ("components/mode_now.md", "The mode is {{mode}}."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("demo", PACK)).build()?;
    let session = engine.session(Clock::new("2026-01-15"));
    let context = |json: &str| Context::from_json(json);

    let first = session.prompt(&context(r#"{ "cwd": "/a", "time": "09:30" }"#)?)?;
    // Nobody reads the time: the same prompt is handed out.
    let second = session.prompt(&context(r#"{ "cwd": "/a", "time": "09:31" }"#)?)?;
    assert_eq!(first.text(), second.text());

    // A key of the session changed, and the prompt says what that costs.
    let moved = session.prompt(&context(r#"{ "cwd": "/b" }"#)?)?;
    let note = moved.diagnostics().iter().find(|one| one.code == Code::SessionRecomputed);
    eprintln!("{}", note.ok_or("no note")?);

    // The same session in another process, on another day.
    let restored = engine.restore(&session.save())?;
    assert_eq!(restored.prompt(&context(r#"{ "cwd": "/b" }"#)?)?.text(), moved.text());
    restored.reset_at(Clock::new("2026-01-16"));
    assert!(restored.prompt(&context("{}")?)?.text().contains("2026-01-16"));
    Ok(())
}
