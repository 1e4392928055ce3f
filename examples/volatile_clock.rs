//! A component that says something else in each build has to say so, and why.

use std::time::{SystemTime, UNIX_EPOCH};

use promptweave::{CacheClass, CodeComponent, Context, Engine, Items, MemorySource};

const PACK: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'clock'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'clock']"),
    ("components/role.md", "You are a coding agent."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let clock = CodeComponent::volatile("clock", "time passes", |_| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map(|now| format!("Seconds since 1970: {}", now.as_secs()))
    });
    let engine = Engine::builder()
        .pack(MemorySource::new("clock", PACK))
        .extension(Items::new("acme").component(clock))
        .build()?;
    let prompt = engine.prompt(&Context::default())?;

    let [_, clock] = prompt.sections() else { return Err("two sections were expected".into()) };
    assert_eq!(clock.class, CacheClass::Volatile);
    assert!(prompt.session_head() <= clock.range.start, "it ends what a provider can cache");
    for hinge in prompt.hinges() {
        eprintln!("at byte {}: {}, since {}", hinge.at, hinge.class, hinge.cause);
    }
    Ok(())
}
