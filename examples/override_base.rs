//! A later pack changes a component of an earlier one without copying it: `{{base}}` is what was there.

use promptweave::{Context, Engine, MemorySource};

const VENDOR: [(&str, &str); 3] = [
    ("pack.toml", "format = 1\nname = 'vendor'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['rules']"),
    ("components/rules.md", "- Run the tests."),
];
const HOUSE: [(&str, &str); 2] = [
    ("pack.toml", "format = 1\nname = 'house'\nversion = '1.0.0'"),
    ("components/rules.md", "{{base}}\n- Prefer small diffs."),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let engine = Engine::builder()
        .pack(MemorySource::new("vendor", VENDOR))
        .pack(MemorySource::new("house", HOUSE))
        .build()?;
    let prompt = engine.prompt(&Context::default())?;

    assert_eq!(prompt.text(), "- Run the tests.\n- Prefer small diffs.");
    for span in prompt.spans() {
        eprintln!("{:28} {:?}", span.origin.to_string(), &prompt.text()[span.range]);
    }
    for shadowed in &engine.registry().shadowed {
        eprintln!("{} `{}` of pack `{}` is shadowed", shadowed.kind, shadowed.id, shadowed.pack);
    }
    Ok(())
}
