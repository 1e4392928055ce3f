//! A case of `fixtures/prompts`: packs, a context, and what is asked for.
//!
//! In: the folder of a case. Out: its prompt or error as text. Never: compares.

use std::collections::BTreeMap;
use std::path::Path;

use promptweave::{Ask, CacheClass, Context, Engine, Error, MemorySource};
use serde::Deserialize;

use crate::{conformance::read, pack, shown};

/// The file `case.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What the case is about, as a sentence.
    pub about: String,
    /// The folders of its packs, in stacking order.
    #[serde(default = "one_pack")]
    packs: Vec<String>,
    variant: Option<String>,
    label: Option<String>,
    tag: Option<String>,
    #[serde(default)]
    strict: bool,
    /// Classes that the host narrows keys to.
    #[serde(default)]
    narrow: BTreeMap<String, String>,
}

fn one_pack() -> Vec<String> {
    vec!["pack".into()]
}

impl Case {
    /// Reads `case.toml`.
    ///
    /// # Panics
    /// When it has another shape.
    pub fn read(path: &Path) -> Self {
        toml::from_str(&read(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Loads the packs and builds the prompt; `folder` is the case's.
    pub fn run(&self, folder: &Path) -> String {
        let loaded = match self.engine(folder) {
            Ok(engine) => engine,
            Err(error) => {
                return format!("{}\n\n--- loading\n{}", self.about, shown::error(&error));
            }
        };
        let mut out = format!("{}\n\n", self.about);
        for (head, told) in [("loading", loaded.diagnostics()), ("check", &loaded.check())] {
            if !told.is_empty() {
                out.push_str(&format!("--- {head}\n{}\n", shown::diagnostics(told)));
            }
        }
        let context = std::fs::read_to_string(folder.join("context.json")).unwrap_or("{}".into());
        let built = Context::from_json(&context).map_err(Error::from);
        let built = built.and_then(|context| loaded.prompt_for(&context, &self.ask()));
        out.push_str(
            &built.map_or_else(|error| shown::error(&error), |prompt| shown::prompt(&prompt)),
        );
        out
    }

    fn ask(&self) -> Ask {
        Ask {
            variant: self.variant.clone(),
            label: self.label.clone(),
            tag: self.tag.clone(),
            budget: None,
        }
    }

    fn engine(&self, folder: &Path) -> Result<Engine, Error> {
        let mut builder = Engine::builder().strict(self.strict);
        for name in &self.packs {
            builder = builder.pack(MemorySource::new(name, pack::read_files(&folder.join(name))));
        }
        for (key, class) in &self.narrow {
            builder = builder.narrow(key, class_named(class));
        }
        builder.build()
    }
}

fn class_named(name: &str) -> CacheClass {
    let all = [CacheClass::Static, CacheClass::Session, CacheClass::Volatile];
    all.into_iter().find(|class| class.as_str() == name).expect("static, session or volatile")
}
