//! A component written in code; how stable its text is follows from what it reads.

use promptweave::{CacheClass, CodeComponent, Context, Engine, Items, MemorySource};

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'own'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'ticket']"),
    ("components/role.md", "You are a coding agent."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ticket = CodeComponent::new("ticket", |inputs| {
        let branch = inputs.text("git.branch")?;
        let number = branch.strip_prefix("ticket-")?;
        Some(format!("This branch is for ticket {number}; name it in commits."))
    });
    let engine = Engine::builder()
        .pack(MemorySource::new("own", PACK))
        .extension(Items::new("acme").component(ticket))
        .build()?;

    let on = |branch: &str| engine.prompt(&Context::default().with("git.branch", branch.into()));
    let prompt = on("ticket-42")?;
    assert!(prompt.text().ends_with("This branch is for ticket 42; name it in commits."));
    assert_eq!(prompt.sections()[1].class, CacheClass::Session, "as `git.branch` is");
    assert_eq!(prompt.sections()[1].origin.to_string(), "acme/ticket");
    assert_eq!(on("main")?.text(), "You are a coding agent.");
    eprintln!("{}", prompt.text());
    Ok(())
}
