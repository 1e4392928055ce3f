//! How much of the prompt stays the same, and what ends it: the two heads and their hinges.

use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 5] = [
    ("pack.toml", "format = 1\nname = 'heads'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'place', 'mode_now']"),
    ("components/role.md", "You are a coding agent."),
    ("components/place.md", "Working folder: {{cwd}}"),
    ("components/mode_now.md", "{{#if (eq mode \"plan\")}}\nOnly plan.\n{{/if}}"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("heads", PACK)).build()?;
    let context = Context::from_json(r#"{ "cwd": "/project", "mode": "plan" }"#)?;
    let prompt = engine.prompt(&context)?;

    // The same for every user, whatever the context says.
    eprintln!("static:  {:?}", &prompt.text()[..prompt.static_head()]);
    // The same for a session.
    eprintln!("session: {:?}", &prompt.text()[..prompt.session_head()]);
    for hinge in prompt.hinges() {
        eprintln!("at byte {}: `{}` is {}", hinge.at, hinge.cause, hinge.class);
    }
    assert!(prompt.text()[..prompt.static_head()].starts_with("You are a coding agent."));
    assert!(prompt.text()[..prompt.session_head()].ends_with("/project"));

    // Nothing is printed in the other mode, and the hinge is there all the same.
    let acting = engine.prompt(&Context::from_json(r#"{ "cwd": "/project" }"#)?)?;
    assert_eq!(acting.session_head(), prompt.session_head());
    let blocks: Vec<&str> = prompt.blocks().map(|block| block.text).collect();
    assert_eq!(blocks.concat(), prompt.text());
    Ok(())
}
