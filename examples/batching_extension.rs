//! An extension whose calls are dear begins them all at once, and waits for each in its turn.

use std::collections::BTreeMap;
use std::{sync::Arc, thread, thread::JoinHandle};

use promptweave::{Batch, Build, CodeComponent, Context, Engine, Extension, Inputs};
use promptweave::{MemorySource, Output};

const PACK: [(&str, &str); 2] = [
    ("pack.toml", "format = 1\nname = 'batch'\nversion = '1.0.0'"),
    ("generic.toml", "order = ['advice', 'glossary']"),
];

struct Wiki;
struct Pages(BTreeMap<Arc<str>, JoinHandle<String>>);

impl Extension for Wiki {
    fn name(&self) -> &str {
        "wiki"
    }
    fn components(&self) -> Vec<CodeComponent> {
        ["advice", "glossary"].map(|id| CodeComponent::new(id, |_| "asked alone")).into()
    }
    fn begin(&self, build: &Build<'_>) -> Option<Box<dyn Batch + '_>> {
        let pages = build.components.iter().cloned().map(|id| {
            let page = format!("the page {id} for {}", build.variant.id);
            (id, thread::spawn(|| page))
        });
        Some(Box::new(Pages(pages.collect())))
    }
}

impl Batch for Pages {
    fn component(&mut self, id: &str, _: &Inputs<'_>) -> Result<Option<Output>, String> {
        let page = self.0.remove(id).ok_or("there is no such page")?;
        Ok(Some(Output::new(page.join().map_err(|_| "the wiki broke down")?)))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pack = MemorySource::new("batch", PACK);
    let prompt =
        Engine::builder().pack(pack).extension(Wiki).build()?.prompt(&Context::default())?;
    assert_eq!(prompt.section("glossary"), Some("the page glossary for generic"));
    Ok(())
}
