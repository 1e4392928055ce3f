//! A prompt as the body of a request to Anthropic's Messages, with its cache marks.

use promptweave::{Ask, Context, Engine, MemorySource, Target, TtlLatch, deliver};

const PACK: [(&str, &str); 5] = [
    ("pack.toml", "format = 1\nname = 'payload'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role', 'place']\nuser_context = ['rules']"),
    ("components/role.md", "You are a coding agent."),
    ("components/place.md", "Working folder: {{cwd}}"),
    ("components/rules.md", "{{rules.project}}"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder().pack(MemorySource::new("payload", PACK)).build()?;
    let context = Context::from_json(
        r#"{ "model": { "id": "claude-opus-5" }, "cwd": "/project", "rules": { "project": "Never push." },
             "request": { "attribution": "acme; cli", "query_source": "main" } }"#,
    )?;
    let prompt = engine.prompt(&context)?;
    let mut delivery = engine.delivery(Target::Anthropic, "claude-opus-5");
    let mut latch = TtlLatch::default(); // kept for the session
    delivery.ttl = latch.ttl(prompt.query_source().unwrap_or_default(), &["main*"]);
    let tools = engine.declare_tools(&context, &Ask::default(), delivery.target.dialect())?.tools;

    let (payload, told) = deliver(&prompt, tools, &delivery);
    let hour = serde_json::json!({ "type": "ephemeral", "ttl": "1h" });
    let system = &payload.body["system"];
    assert_eq!(system[0]["text"], "acme; cli");
    assert!(system[0].get("cache_control").is_none(), "the attribution block is never cached");
    assert_eq!(system[1]["text"], "You are a coding agent.\n\nWorking folder:");
    assert_eq!((&system[1]["cache_control"], &system[2]["cache_control"]), (&hour, &hour));
    assert_eq!(payload.body["messages"][0]["role"], "user");
    assert_eq!(told[0].code.as_str(), "cache-minimum", "two lines are too short to be cached");
    eprintln!("{:#}", payload.body);
    Ok(())
}
