//! `schema`: JSON Schemas of the formats, for editors.

use clap::{Args, ValueEnum};
use promptweave::{KNOWN_KEYS, KeyType, KnownKey, Registry};
use serde_json::{Map, Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;

const EXAMPLES: &str = "\
Examples:
  promptweave schema variant > variant.schema.json
  promptweave schema context --pack packs/acme";

/// Print the JSON Schema (draft 2020-12) of a format
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// The format
    #[arg(value_enum)]
    kind: Kind,
    #[command(flatten)]
    packs: PackFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// pack.toml
    Pack,
    /// patch.toml
    Patch,
    /// A variant's file
    Variant,
    /// A component's file, or the front matter of one
    Component,
    /// A tool's file
    Tool,
    /// The context, with the keys that the packs in force declare
    Context,
    /// What `build --format json` prints
    Result,
}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let text = match self.kind {
            Kind::Pack => include_str!("../../schemas/pack.json"),
            Kind::Patch => include_str!("../../schemas/patch.json"),
            Kind::Variant => include_str!("../../schemas/variant.json"),
            Kind::Component => include_str!("../../schemas/component.json"),
            Kind::Tool => include_str!("../../schemas/tool.json"),
            Kind::Result => include_str!("../../schemas/result.json"),
            Kind::Context => {
                let engine = self.packs.bare_engine()?;
                console.tell(engine.diagnostics());
                return console.out_json(&of_context(engine.registry())?);
            }
        };
        console.out(text)
    }
}

/// The schema of the context: the known keys by the engine's own table, the shapes inside lists by
/// hand, and the keys that packs declare.
fn of_context(registry: &Registry) -> Result<Json, Failure> {
    let shapes = include_str!("../../schemas/context-shapes.json");
    let shapes: Json = serde_json::from_str(shapes).map_err(|error| {
        Failure::input(format!("the shapes are broken: {error}"), "report this")
    })?;
    let mut root = object();
    for KnownKey { path, kind, class, meaning, .. } in KNOWN_KEYS {
        let mut key = typed(Some(*kind));
        key["description"] = json!(format!("{meaning} ({})", class.as_str()));
        if let Some(Json::Object(shape)) = shapes.get(path) {
            shape.iter().for_each(|(name, value)| key[name] = value.clone());
        }
        place(&mut root, path, key);
    }
    for (path, declared) in &registry.keys {
        if KNOWN_KEYS.iter().any(|known| known.path == &**path) {
            continue;
        }
        let mut key = typed(declared.kind);
        let words = declared.description.as_deref().unwrap_or("declared by a pack");
        key["description"] = json!(format!("{words} ({})", declared.class.as_str()));
        if let Some(default) = &declared.default {
            key["default"] = default.clone();
        }
        place(&mut root, path, key);
    }
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("context");
    root["description"] = json!("What the host says about this moment. Every key may be left out.");
    Ok(root)
}

fn object() -> Json {
    json!({ "type": "object", "properties": {} })
}

/// A null counts as absent, whatever the key's type.
fn typed(kind: Option<KeyType>) -> Json {
    let name = match kind {
        None => return json!({}),
        Some(KeyType::List) => "array",
        Some(kind) => kind.as_str(),
    };
    json!({ "type": [name, "null"] })
}

/// Puts a key's schema at its dotted path.
fn place(root: &mut Json, path: &str, key: Json) {
    let mut place = root;
    for step in path.split('.') {
        if place.get("properties").is_none() {
            place["type"] = json!(["object", "null"]);
            place["properties"] = Json::Object(Map::new());
        }
        place = &mut place["properties"][step];
        if place.is_null() {
            *place = json!({});
        }
    }
    // A key may stand above others: what they made of it stays.
    if let (Json::Object(place), Json::Object(key)) = (place, key) {
        place.extend(key);
    }
}
