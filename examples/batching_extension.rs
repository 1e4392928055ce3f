//! An extension whose calls are dear answers for all of its components at once.

use std::{collections::BTreeMap, sync::Arc};

use promptweave::code::{Batch, Build, CodeComponent, Extension, Inputs, Output};
use promptweave::{Context, Engine, MemorySource};

const PACK: [(&str, &str); 2] = [
    ("pack.toml", "format = 1\nname = 'batch'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['advice', 'glossary']"),
];

struct Wiki;
struct Pages(BTreeMap<Arc<str>, String>);

impl Extension for Wiki {
    fn name(&self) -> &str {
        "wiki"
    }
    fn components(&self) -> Vec<CodeComponent> {
        ["advice", "glossary"].map(|id| CodeComponent::new(id, |_| "asked alone")).into()
    }
    /// One request to the wiki for the whole build.
    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        let pages = build.components.iter().map(|id| (id.clone(), format!("On {id}.")));
        Some(Box::new(Pages(pages.collect())))
    }
}

impl Batch for Pages {
    fn component(&mut self, id: &str, _: &Inputs<'_>) -> Result<Option<Output>, String> {
        Ok(self.0.remove(id).map(Output::new))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pack = MemorySource::new("batch", PACK);
    let engine = Engine::builder().pack(pack).extension(Wiki).build()?;
    let prompt = engine.prompt(&Context::default())?;
    assert_eq!(prompt.text(), "On advice.\n\nOn glossary.");
    Ok(())
}
