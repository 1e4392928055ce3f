//! A matcher written in code decides when a variant claims the context.

use promptweave::{CodeMatcher, Context, Engine, Items, MemorySource};

const PACK: [(&str, &str); 5] = [
    ("pack.toml", "format = 1\nname = 'matcher'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['role']"),
    ("on-premises.toml", "order = ['role', 'secrets']\nmatch.matchers = ['gateway']"),
    ("components/role.md", "You are a coding agent."),
    ("components/secrets.md", "Source code does not leave this network."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let gateway = CodeMatcher::new("gateway", |inputs| {
        Ok(inputs.text("provider.id").is_some_and(|id| id.ends_with(".acme.internal")))
    });
    let engine = Engine::builder()
        .pack(MemorySource::new("matcher", PACK))
        .extension(Items::new("acme").matcher(gateway))
        .build()?;

    for (provider, variant) in [("llm.acme.internal", "on-premises"), ("anthropic", "generic")] {
        let context = Context::default().with("provider.id", provider.into());
        let prompt = engine.prompt(&context)?;
        assert_eq!(prompt.variant().id.as_str(), variant);
        eprintln!("{provider}: `{variant}`, since {}", prompt.why());
    }
    Ok(())
}
