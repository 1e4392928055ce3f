//! All variants in given contexts.
//!
//! In: an engine, contexts, which variants. Out: one [`Cell`] for each pair. Never: keeps the prompts.

use promptweave::{Ask, Context, Engine, Error, Prompt};
use serde_json::{Value as Json, json};

use crate::built::grave;

/// Which variants are built.
#[derive(Clone, Debug, Default)]
pub struct Variants {
    /// Only those with this tag.
    pub tag: Option<String>,
    /// Only these; all when empty.
    pub ids: Vec<String>,
}

/// One variant in one context.
#[derive(Debug)]
pub struct Cell {
    /// What the context is called.
    pub context: String,
    /// The variant's id.
    pub variant: String,
    /// Its number.
    pub version: u32,
    /// Whether this context chooses it.
    pub matches: bool,
    /// What came of it.
    pub built: Result<Figures, Error>,
}

/// What is kept of a prompt: thousands of them would not fit into memory.
#[derive(Debug)]
pub struct Figures {
    /// Bytes of the text.
    pub bytes: usize,
    /// Bytes of the static head.
    pub static_head: usize,
    /// How many sections it has.
    pub sections: usize,
    /// What was told and is more than a note.
    pub warnings: usize,
    /// The components that yielded nothing here, and the code of the reason.
    pub missing: Vec<(String, &'static str)>,
}

impl From<Prompt> for Figures {
    fn from(prompt: Prompt) -> Self {
        let skipped = prompt.skipped().iter();
        Self {
            bytes: prompt.text().len(),
            static_head: prompt.static_head(),
            sections: prompt.sections().len(),
            warnings: grave(prompt.diagnostics()),
            missing: skipped.map(|one| (one.id.to_string(), one.reason.as_str())).collect(),
        }
    }
}

/// The current versions of the variants that are asked for: ids and numbers, by id.
///
/// # Errors
/// The first id that is no variant's.
pub fn variants(engine: &Engine, asked: &Variants) -> Result<Vec<(String, u32)>, String> {
    let registry = engine.registry();
    if let Some(id) = asked.ids.iter().find(|id| registry.current(id).is_none()) {
        return Err(id.clone());
    }
    let current = registry.variants.keys().filter_map(|id| registry.current(id.as_str()));
    let tagged = current.filter(|variant| match &asked.tag {
        Some(tag) => variant.tags.iter().any(|own| **own == **tag),
        None => true,
    });
    let is_asked = |id: &str| asked.ids.is_empty() || asked.ids.iter().any(|own| own == id);
    let variants = tagged.filter(|variant| is_asked(variant.id.as_str()));
    Ok(variants.map(|variant| (variant.id.to_string(), variant.version)).collect())
}

/// Builds these variants in one context.
pub fn matrix<'v>(
    engine: &'v Engine,
    (name, context): (&'v str, &'v Context),
    variants: &'v [(String, u32)],
) -> impl Iterator<Item = Cell> + use<'v> {
    let chosen = engine.select(context, &Ask::default()).ok().map(|chosen| chosen.variant);
    variants.iter().map(move |(id, version)| {
        let ask = Ask { variant: Some(format!("{id}@{version}")), ..Ask::default() };
        let is_chosen = chosen
            .as_ref()
            .is_some_and(|chosen| chosen.id.as_str() == id && chosen.version == *version);
        Cell {
            context: name.into(),
            variant: id.clone(),
            version: *version,
            matches: is_chosen,
            built: engine.prompt_for(context, &ask).map(Figures::from),
        }
    })
}

impl Cell {
    /// `{context, variant, version, matches}` with the figures, or with `error`.
    pub fn to_json(&self) -> Json {
        let Self { context, variant, version, matches, built } = self;
        let mut json = json!({
            "context": context, "variant": variant, "version": version, "matches": matches,
        });
        match built {
            Err(error) => {
                json["error"] = json!({ "code": error.code(), "message": error.to_string() })
            }
            Ok(figures) => {
                json["bytes"] = json!(figures.bytes);
                json["static_head_bytes"] = json!(figures.static_head);
                json["sections"] = json!(figures.sections);
                json["warnings"] = json!(figures.warnings);
                let missing = figures.missing.iter();
                json["missing"] = missing
                    .map(|(id, reason)| json!({ "id": id, "reason_code": reason }))
                    .collect();
            }
        }
        json
    }
}
