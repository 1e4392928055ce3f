//! JSON Schemas (draft 2020-12) of the formats.
//!
//! In: a kind, a registry. Out: a schema. Never: states a shape that the engine does not have: tests hold results against them.

use promptweave::{KNOWN_KEYS, KeyType, KnownKey, Registry};
use serde_json::{Map, Value as Json, json};

/// The schema of what `build --format json` prints.
pub const RESULT_SCHEMA: &str = include_str!("../schemas/result.json");
/// Schemas of all other answers, under `$defs`; they share `class`, `origin`, `skipped` and `diagnostic` with [`RESULT_SCHEMA`].
pub const ANSWER_SCHEMAS: &str = include_str!("../schemas/answers.json");

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaKind {
    /// `pack.toml`.
    Pack,
    /// `patch.toml`.
    Patch,
    /// A variant's file.
    Variant,
    /// A component's file, or the front matter of one.
    Component,
    /// A tool's file.
    Tool,
    /// The context, with the keys that the packs in force declare.
    Context,
    /// What `build --format json` prints.
    Result,
}

/// The schema of a format, as text; the registry matters to that of the context alone.
///
/// # Errors
/// A shipped schema is broken.
pub fn schema(kind: SchemaKind, registry: &Registry) -> Result<String, serde_json::Error> {
    let text = match kind {
        SchemaKind::Pack => include_str!("../schemas/pack.json"),
        SchemaKind::Patch => include_str!("../schemas/patch.json"),
        SchemaKind::Variant => include_str!("../schemas/variant.json"),
        SchemaKind::Component => include_str!("../schemas/component.json"),
        SchemaKind::Tool => include_str!("../schemas/tool.json"),
        SchemaKind::Result => RESULT_SCHEMA,
        SchemaKind::Context => return Ok(format!("{:#}\n", of_context(registry)?)),
    };
    Ok(text.to_owned())
}

/// The known keys by the engine's own table, the shapes inside lists by hand, and the keys that packs declare.
fn of_context(registry: &Registry) -> Result<Json, serde_json::Error> {
    let shapes: Json = serde_json::from_str(include_str!("../schemas/context-shapes.json"))?;
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
