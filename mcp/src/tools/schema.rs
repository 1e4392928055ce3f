//! The schemas of tools.
//!
//! In: the types of arguments, the schemas of what the verbs print. Out: JSON Schemas that stand on their own. Never: a shape that is
//! written down here a second time.

use promptweave::Engine;
use promptweave_inspect::{ANSWER_SCHEMAS, RESULT_SCHEMA};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value as Json, json};

/// What all schemas share: the definitions of a result.
const SHARED: [&str; 4] = ["class", "origin", "skipped", "diagnostic"];

/// The schema of arguments; those that name a variant say which there are.
pub(super) fn input<T: JsonSchema>(engine: &Engine) -> Option<JsonObject> {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.meta_schema = None);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    let registry = engine.registry();
    let names = [
        ("variant", registry.variants.keys().map(ToString::to_string).collect::<Vec<_>>()),
        ("pack", registry.packs.iter().map(|pack| pack.name.to_string()).collect()),
    ];
    for (name, known) in names {
        if let Some(property) = schema["properties"].get_mut(name) {
            property["examples"] = json!(known);
        }
    }
    object(schema)
}

/// The schema of a built prompt.
pub(super) fn result() -> Option<JsonObject> {
    object(serde_json::from_str(RESULT_SCHEMA).ok()?)
}

/// The schema of an answer, with what it refers to.
pub(super) fn answer(name: &str) -> Option<JsonObject> {
    let answers: Json = serde_json::from_str(ANSWER_SCHEMAS).ok()?;
    let result: Json = serde_json::from_str(RESULT_SCHEMA).ok()?;
    let mut defs = answers["$defs"].clone();
    for shared in SHARED {
        defs[shared] = result["$defs"][shared].clone();
    }
    let mut schema = answers["$defs"].get(name)?.clone();
    let used = reached(&schema, &defs);
    if !used.is_empty() {
        schema["$defs"] = Json::Object(used);
    }
    object(schema)
}

/// The definitions that a schema refers to, directly or not.
fn reached(schema: &Json, defs: &Json) -> JsonObject {
    let (mut used, mut open) = (JsonObject::new(), vec![schema]);
    while let Some(part) = open.pop() {
        let name = part.get("$ref").and_then(Json::as_str);
        let name = name.and_then(|name| name.strip_prefix("#/$defs/"));
        if let Some((name, def)) = name.and_then(|name| Some((name, defs.get(name)?)))
            && used.insert(name.into(), def.clone()).is_none()
        {
            open.push(def);
        }
        match part {
            Json::Object(map) => open.extend(map.values()),
            Json::Array(items) => open.extend(items),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    used
}

/// Which dialect a schema is in is the protocol's to say.
fn object(schema: Json) -> Option<JsonObject> {
    let Json::Object(mut schema) = schema else { return None };
    schema.remove("$schema");
    Some(schema)
}
