//! Schemas of tools in the part of OpenAPI that Gemini takes.
//!
//! In: JSON Schema. Out: the same, without what is refused. Never: an endless schema: what refers to itself ends at
//! [`MAX_DEPTH`].

use serde_json::{Map, Value as Json, json};

/// Keys that are taken as they are.
pub(crate) const KEYS: &[&str] = &[
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "enum",
    "maxItems",
    "minItems",
    "properties",
    "required",
    "minProperties",
    "maxProperties",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
    "propertyOrdering",
    "default",
    "items",
    "minimum",
    "maximum",
];

/// Levels of a schema.
const MAX_DEPTH: usize = 32;

/// The formats that are taken with each type; others are refused.
const FORMATS: &[&str] = &["enum", "date-time", "float", "double", "int32", "int64"];

/// Whether a schema was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    None,
    Adapted,
}

/// The schema as Gemini takes it.
pub(super) fn adapt(schema: &Json) -> (Json, Change) {
    let mut adapting = Adapting { root: schema, change: Change::None };
    let adapted = adapting.schema(schema, 0);
    (adapted, adapting.change)
}

struct Adapting<'s> {
    root: &'s Json,
    change: Change,
}

impl Adapting<'_> {
    fn schema(&mut self, schema: &Json, depth: usize) -> Json {
        let Some(object) = schema.as_object() else {
            // `true` takes anything; nothing says so better than an empty schema.
            self.change = Change::Adapted;
            return json!({});
        };
        if depth > MAX_DEPTH {
            self.change = Change::Adapted;
            return json!({ "type": "object" });
        }
        if let Some(target) = object.get("$ref").and_then(Json::as_str) {
            self.change = Change::Adapted;
            let found = target.strip_prefix('#').and_then(|path| self.root.pointer(path)).cloned();
            return found.map_or_else(|| json!({}), |found| self.schema(&found, depth + 1));
        }
        let mut out = Map::new();
        for (key, value) in object {
            self.entry(key, value, &mut out, depth);
        }
        out.into()
    }

    fn entry(&mut self, key: &str, value: &Json, out: &mut Map<String, Json>, depth: usize) {
        let kept = match (key, value) {
            ("properties", Json::Object(all)) => {
                let each = |(name, schema): (&String, &Json)| {
                    (name.clone(), self.schema(schema, depth + 1))
                };
                Some(all.iter().map(each).collect::<Map<_, _>>().into())
            }
            ("items", Json::Object(_)) => Some(self.schema(value, depth + 1)),
            ("anyOf", Json::Array(all)) => return self.alternatives(all, out, depth),
            ("oneOf", Json::Array(all)) => {
                self.change = Change::Adapted;
                return self.alternatives(all, out, depth);
            }
            ("allOf", Json::Array(all)) => return self.all_of(all, out, depth),
            ("type", Json::Array(kinds)) => return self.kinds(kinds, out),
            ("const", value) => {
                self.change = Change::Adapted;
                return self.entry("enum", &json!([value]), out, depth);
            }
            // Only texts can be enumerated.
            ("enum", Json::Array(all)) => {
                all.iter().all(Json::is_string).then(|| Json::Array(all.clone()))
            }
            ("format", Json::String(format)) => {
                FORMATS.contains(&format.as_str()).then(|| value.clone())
            }
            _ => KEYS.contains(&key).then(|| value.clone()),
        };
        match kept {
            Some(kept) => _ = out.insert(key.to_owned(), kept),
            None => self.change = Change::Adapted,
        }
    }

    /// What must all hold is put into one; of two words about the same thing the first counts.
    fn all_of(&mut self, all: &[Json], out: &mut Map<String, Json>, depth: usize) {
        self.change = Change::Adapted;
        for part in all {
            if let Json::Object(part) = self.schema(part, depth + 1) {
                part.into_iter().for_each(|(key, value)| _ = out.entry(key).or_insert(value));
            }
        }
    }

    /// `null` among alternatives is a flag of its own.
    fn alternatives(&mut self, all: &[Json], out: &mut Map<String, Json>, depth: usize) {
        let is_null = |schema: &&Json| schema.get("type").is_some_and(|kind| kind == "null");
        let (nulls, others): (Vec<&Json>, Vec<&Json>) = all.iter().partition(is_null);
        if !nulls.is_empty() {
            self.change = Change::Adapted;
            out.insert("nullable".into(), true.into());
        }
        let mut others: Vec<Json> =
            others.into_iter().map(|schema| self.schema(schema, depth + 1)).collect();
        match others.pop() {
            Some(Json::Object(one)) if others.is_empty() => {
                one.into_iter().for_each(|(key, value)| _ = out.entry(key).or_insert(value));
            }
            Some(last) => {
                others.push(last);
                out.insert("anyOf".into(), others.into());
            }
            None => {}
        }
    }

    fn kinds(&mut self, kinds: &[Json], out: &mut Map<String, Json>) {
        self.change = Change::Adapted;
        let (nulls, others): (Vec<&Json>, Vec<&Json>) =
            kinds.iter().partition(|kind| *kind == "null");
        if !nulls.is_empty() {
            out.insert("nullable".into(), true.into());
        }
        match &others[..] {
            [] => {}
            [one] => _ = out.insert("type".into(), (*one).clone()),
            all => {
                let all = all.iter().map(|kind| json!({ "type": kind }));
                out.insert("anyOf".into(), all.collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_refused_goes_and_the_rest_stays() {
        for (schema, adapted, change) in [
            (json!({ "type": "object", "properties": {} }), None, Change::None),
            (
                json!({ "$schema": "x", "type": "object", "additionalProperties": false }),
                Some(json!({ "type": "object" })),
                Change::Adapted,
            ),
            (
                json!({ "type": ["string", "null"] }),
                Some(json!({ "type": "string", "nullable": true })),
                Change::Adapted,
            ),
            (
                json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "$defs": { "A": { "const": "x" } } }),
                Some(json!({ "properties": { "a": { "enum": ["x"] } } })),
                Change::Adapted,
            ),
            (
                json!({ "oneOf": [{ "type": "integer" }, { "type": "null" }] }),
                Some(json!({ "type": "integer", "nullable": true })),
                Change::Adapted,
            ),
            (
                json!({ "type": ["integer", "string"] }),
                Some(json!({ "anyOf": [{ "type": "integer" }, { "type": "string" }] })),
                Change::Adapted,
            ),
            (
                json!({ "type": "string", "format": "uri" }),
                Some(json!({ "type": "string" })),
                Change::Adapted,
            ),
            (json!({ "properties": { "$schema": { "type": "string" } } }), None, Change::None),
        ] {
            let expected = adapted.unwrap_or_else(|| schema.clone());
            assert_eq!(adapt(&schema), (expected, change), "{schema}");
        }
    }

    #[test]
    fn what_refers_to_itself_ends() {
        let schema = json!({ "properties": { "a": { "$ref": "#" } } });
        assert_eq!(adapt(&schema).1, Change::Adapted);
    }
}
