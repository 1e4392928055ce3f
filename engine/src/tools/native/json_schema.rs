//! Schemas for the providers that take JSON Schema: OpenAI and Anthropic.
//!
//! In: any JSON. Out: a schema of one object in the 2020-12 dialect without references. Never: invents a constraint.
//!
//! OpenAI, functions that are not strict: the top level must have type `object` and none of `oneOf`, `anyOf`, `allOf`,
//! `enum`, `const`, `not`; an object at the top needs `properties`, an array anywhere needs `items` (messages of the API:
//! "schema must have type 'object' and not have ...", "object schema missing properties", "array schema missing items").
//! Anthropic: valid 2020-12, no reference keywords anywhere, no `oneOf`, `anyOf`, `allOf` at the top, property names of
//! letters, digits, `_`, `.`, `-`, 1..=64 (platform.claude.com, "Define tools" and the notes on custom tools).

use serde_json::{Map, Value as Json, json};

use super::flat::Flat;
use super::walk::{Node, Segment, Walk};
use crate::tools::name::Shape;

/// How deeply a schema may nest; the deepest ones seen in the wild have 12 levels.
pub(super) const MAX_DEPTH: usize = 32;

/// What a keyword's value must be, and so what becomes of it.
enum Keyword {
    /// Says where the schema is from or what it is called: nothing about values. Left out without a word.
    Meta,
    Schema,
    Schemas,
    NamedSchemas,
    /// Any JSON, copied.
    Data,
    Text,
    Number,
    Count,
    Flag,
    Type,
    Enum,
    Names,
    /// Items, in the ways of all drafts.
    Items,
    /// Of older drafts, or about references.
    Outdated,
    /// Not JSON Schema; a plain value is copied.
    Unknown,
}

impl Keyword {
    fn of(name: &str) -> Self {
        match name {
            "$schema" | "$id" | "id" | "$anchor" | "$dynamicAnchor" | "$recursiveAnchor"
            | "$vocabulary" | "$comment" | "$defs" | "definitions" => Self::Meta,
            "additionalProperties"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "contains"
            | "propertyNames"
            | "not"
            | "if"
            | "then"
            | "else" => Self::Schema,
            "anyOf" | "oneOf" | "allOf" => Self::Schemas,
            "properties" | "patternProperties" | "dependentSchemas" => Self::NamedSchemas,
            "default" | "const" => Self::Data,
            "title" | "description" | "format" | "pattern" | "contentEncoding"
            | "contentMediaType" => Self::Text,
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
                Self::Number
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties"
            | "maxProperties" | "minContains" | "maxContains" => Self::Count,
            "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Self::Flag,
            "type" => Self::Type,
            "enum" => Self::Enum,
            "required" => Self::Names,
            "items" | "prefixItems" | "additionalItems" => Self::Items,
            "dependencies" | "dependentRequired" | "$dynamicRef" | "$recursiveRef"
            | "contentSchema" => Self::Outdated,
            _ => Self::Unknown,
        }
    }
}

/// The seven types.
pub(super) const TYPES: [&str; 7] =
    ["array", "boolean", "integer", "null", "number", "object", "string"];

/// At the top these say something about the whole input, which the providers do not take there.
const NOT_AT_TOP: [&str; 6] = ["enum", "const", "not", "if", "then", "else"];

const LEFT_OUT: &str = "left out, since the provider does not accept it";

/// Cleans what a tool takes; `names` is what the names of properties below the top must look like.
pub(super) fn clean<'s>(
    walk: &mut Walk<'s>,
    flat: &Flat<'s>,
    names: Option<Shape>,
) -> Map<String, Json> {
    let cleaner = Cleaner { names };
    let mut made = Map::new();
    for (key, value) in &flat.rest {
        match Keyword::of(key) {
            Keyword::Type => {}
            Keyword::Items => walk.change_key(key, LEFT_OUT),
            _ if NOT_AT_TOP.contains(key) => walk.change_key(key, LEFT_OUT),
            _ => {
                let value = cleaner.keyword(walk, key, value);
                value.map(|value| made.insert((*key).to_owned(), value));
            }
        }
    }
    let mut properties = Map::new();
    for (name, schema) in &flat.properties {
        let steps = [Segment::Key("properties"), Segment::Key(name)];
        let schema = walk.visit(&steps, schema, |walk, node| cleaner.node(walk, &node));
        properties.insert((*name).to_owned(), schema);
    }
    made.insert("type".into(), "object".into());
    made.insert("properties".into(), properties.into());
    made.insert("required".into(), flat.required.clone().into());
    made
}

struct Cleaner {
    names: Option<Shape>,
}

impl Cleaner {
    fn node<'s>(&self, walk: &mut Walk<'s>, node: &Node<'s>) -> Json {
        let mut made = Map::new();
        for (key, value) in node {
            self.keyword(walk, key, value).map(|value| made.insert((*key).to_owned(), value));
        }
        self.items(walk, node, &mut made);
        Json::Object(made)
    }

    fn keyword<'s>(&self, walk: &mut Walk<'s>, key: &'s str, value: &'s Json) -> Option<Json> {
        let keep = |accepted: bool| accepted.then(|| value.clone());
        let kept = match Keyword::of(key) {
            Keyword::Meta | Keyword::Items => return None,
            Keyword::Schema if value.is_boolean() => keep(true),
            Keyword::Schema => Some(self.part(walk, &[Segment::Key(key)], value)),
            Keyword::Schemas => self.list(walk, key, value),
            Keyword::NamedSchemas => self.named(walk, key, value),
            Keyword::Data => keep(true),
            Keyword::Text => keep(value.is_string()),
            Keyword::Number => keep(value.is_number()),
            Keyword::Count => keep(value.is_u64()),
            Keyword::Flag => keep(value.is_boolean()),
            Keyword::Type => keep(is_type(value)),
            Keyword::Enum => keep(value.as_array().is_some_and(|values| !values.is_empty())),
            Keyword::Names => self.required(value),
            Keyword::Outdated => None,
            Keyword::Unknown => keep(!value.is_array() && !value.is_object()),
        };
        if kept.is_none() {
            walk.change_key(key, LEFT_OUT);
        }
        kept
    }

    fn part<'s>(&self, walk: &mut Walk<'s>, steps: &[Segment<'s>], part: &'s Json) -> Json {
        walk.visit(steps, part, |walk, node| self.node(walk, &node))
    }

    fn list<'s>(&self, walk: &mut Walk<'s>, key: &'s str, value: &'s Json) -> Option<Json> {
        let parts = value.as_array().filter(|parts| !parts.is_empty())?.iter().enumerate();
        let steps = |at| [Segment::Key(key), Segment::At(at)];
        Some(parts.map(|(at, part)| self.part(walk, &steps(at), part)).collect())
    }

    fn named<'s>(&self, walk: &mut Walk<'s>, key: &'s str, value: &'s Json) -> Option<Json> {
        let mut made = Map::new();
        for (name, schema) in sorted(value.as_object()?) {
            if key == "properties" && !self.accepts(name) {
                walk.change_key(
                    name,
                    "a property whose name the provider does not accept is left out",
                );
                continue;
            }
            let steps = [Segment::Key(key), Segment::Key(name)];
            made.insert(name.to_owned(), self.part(walk, &steps, schema));
        }
        Some(made.into())
    }

    fn required(&self, value: &Json) -> Option<Json> {
        let names = value.as_array()?.iter().filter_map(Json::as_str);
        Some(names.filter(|name| self.accepts(name)).collect())
    }

    fn accepts(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|shape| shape.accepts(name))
    }

    /// One schema for all items: tuples are written in ways that differ by draft, and are not taken everywhere.
    fn items<'s>(&self, walk: &mut Walk<'s>, node: &Node<'s>, made: &mut Map<String, Json>) {
        let mut parts: Vec<Json> = Vec::new();
        let mut is_tuple = false;
        for key in ["prefixItems", "items", "additionalItems"] {
            match node.get(key) {
                Some(Json::Array(_)) => {
                    let listed = self.list(walk, key, node[key]);
                    parts.extend(listed.iter().filter_map(Json::as_array).flatten().cloned());
                    is_tuple = true;
                }
                Some(part @ Json::Object(_)) => {
                    parts.push(self.part(walk, &[Segment::Key(key)], part));
                }
                Some(_) => walk.change_key(key, LEFT_OUT),
                None => {}
            }
        }
        if is_tuple {
            walk.change("a list of fixed places is a list of any of these items now");
        }
        let items = match parts.len() {
            0 if !takes_arrays(made.get("type")) => return,
            0 => {
                walk.change("a list without `items` takes any now");
                json!({})
            }
            1 => parts.remove(0),
            _ => json!({ "anyOf": parts }),
        };
        made.insert("items".into(), items);
    }
}

/// The entries of an object in the order of their names, however the map keeps them.
pub(super) fn sorted(map: &Map<String, Json>) -> std::collections::BTreeMap<&str, &Json> {
    map.iter().map(|(key, value)| (key.as_str(), value)).collect()
}

fn is_type(value: &Json) -> bool {
    let known = |value: &Json| value.as_str().is_some_and(|name| TYPES.contains(&name));
    match value {
        Json::Array(names) => !names.is_empty() && names.iter().all(known),
        name => known(name),
    }
}

fn takes_arrays(kind: Option<&Json>) -> bool {
    match kind {
        Some(Json::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        Some(kind) => kind == "array",
        None => false,
    }
}
