//! An extension whose calls are dear answers for all of its components at once.

use promptweave::{
    Batch, Build, CodeComponent, Context, Engine, Extension, Inputs, MemorySource, Output,
};

const PACK: [(&str, &str); 2] = [
    ("pack.toml", "format = 1\nname = 'batch'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['advice', 'glossary']"),
];

struct Wiki;
struct Pages(String);

impl Extension for Wiki {
    fn name(&self) -> &str {
        "wiki"
    }
    fn components(&self) -> Vec<CodeComponent> {
        ["advice", "glossary"].map(|id| CodeComponent::new(id, |_| "asked alone")).into()
    }
    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        Some(Box::new(Pages(format!("asked once for {}", build.components.join(" and ")))))
    }
}

impl Batch for Pages {
    fn component(&mut self, id: &str, _: &Inputs<'_>) -> Result<Option<Output>, String> {
        Ok(Some(Output::new(format!("{id}: {}", self.0))))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pack = MemorySource::new("batch", PACK);
    let engine = Engine::builder().pack(pack).extension(Wiki).build()?;
    let prompt = engine.prompt(&Context::default())?;
    eprintln!("{}", prompt.text());
    assert_eq!(prompt.section("glossary"), Some("glossary: asked once for advice and glossary"));
    Ok(())
}
