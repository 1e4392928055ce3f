//! Schemas for Gemini: a part of OpenAPI 3.0.
//!
//! In: any JSON. Out: a `Schema` of the API. Never: sends a keyword that the API does not know, which fails the request.
//!
//! From the reference of `Schema` and `FunctionDeclaration` (ai.google.dev/api/caching#Schema, Vertex AI's REST
//! reference): one type of a fixed list, upper case; `nullable`; `enum` of strings for `STRING`; `items` for `ARRAY`;
//! `properties` for `OBJECT`; parameter names start with a letter or `_` and hold letters, digits and `_`, at most 64;
//! no parameters: left unset. From messages of the API: "properties: should be non-empty for OBJECT type", "items:
//! missing field", "enum: only allowed for STRING type", "only 'enum' and 'date-time' are supported for STRING type",
//! "required: property is not defined", "when using any_of, it must be the only field set", and "exceeds the maximum
//! allowed nesting depth", whose number is published nowhere. The API ignores `default` and `title` at best; a `title`
//! goes without a note, for it hardly says more than the name.

use serde_json::{Map, Value as Json, json};

use super::flat::{Flat, Fold};
use super::walk::{Node, Segment, Walk};

/// How deeply a schema may nest.
pub(super) const MAX_DEPTH: usize = 16;

const LEFT_OUT: &str = "left out, since Gemini does not know it, or not here";
/// The one property of an object that names none.
const ANY_KEY: &str = "_";

/// Cleans what a tool takes; none when it takes nothing, for then the parameters stay unset.
pub(super) fn clean<'s>(walk: &mut Walk<'s>, flat: &Flat<'s>) -> Option<Map<String, Json>> {
    report_unknown(walk, &flat.rest, &["type", "description"]);
    if flat.properties.is_empty() {
        return None;
    }
    let mut made = object(walk, flat);
    made.entry("required").or_insert_with(|| json!([]));
    describe(&mut made, text_of(flat, "description"));
    made.insert("type".into(), "OBJECT".into());
    Some(made)
}

/// The types of the API that a value may have; null is `nullable`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

impl Kind {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "number" => Self::Number,
            "integer" => Self::Integer,
            "boolean" => Self::Boolean,
            "array" => Self::Array,
            "object" => Self::Object,
            _ => return None,
        })
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::String => "STRING",
            Self::Number => "NUMBER",
            Self::Integer => "INTEGER",
            Self::Boolean => "BOOLEAN",
            Self::Array => "ARRAY",
            Self::Object => "OBJECT",
        }
    }

    /// The keywords with plain values that the API knows for it.
    fn keywords(self) -> &'static [&'static str] {
        match self {
            Self::String => &["enum", "const", "format", "pattern", "minLength", "maxLength"],
            Self::Number | Self::Integer => &["format", "minimum", "maximum"],
            Self::Boolean => &[],
            Self::Array => &["items", "prefixItems", "minItems", "maxItems"],
            Self::Object => &["minProperties", "maxProperties"],
        }
    }

    fn knows_format(self, format: &str) -> bool {
        match self {
            Self::String => matches!(format, "enum" | "date-time"),
            Self::Number => matches!(format, "float" | "double"),
            Self::Integer => matches!(format, "int32" | "int64"),
            Self::Boolean | Self::Array | Self::Object => false,
        }
    }
}

/// What a part of a schema says about its type.
struct Types {
    kinds: Vec<Kind>,
    nullable: bool,
}

fn part<'s>(walk: &mut Walk<'s>, steps: &[Segment<'s>], part: &'s Json) -> Map<String, Json> {
    walk.visit(steps, part, node)
}

fn node<'s>(walk: &mut Walk<'s>, node: Node<'s>) -> Map<String, Json> {
    let mut flat = Flat::of(walk, node, Fold::AllOf);
    let Types { mut kinds, nullable } = types(walk, &flat);
    let unions = ["anyOf", "oneOf"].map(|key| flat.rest.remove(key).map(|parts| (key, parts)));
    let mut made = Map::new();
    for (key, parts) in unions.into_iter().flatten() {
        if kinds.is_empty() && made.is_empty() {
            made = union(walk, key, parts);
        } else {
            walk.change_key(key, LEFT_OUT);
        }
    }
    if made.is_empty() {
        if kinds.is_empty() {
            walk.change("what has no type is a STRING now");
            kinds.push(Kind::String);
        }
        report_unknown(walk, &flat.rest, &known(&kinds));
        let typed = kinds.iter().map(|&kind| typed(walk, &flat, kind)).collect();
        made = any_of(typed);
    } else {
        report_unknown(walk, &flat.rest, &["type", "description", "nullable"]);
    }
    describe(&mut made, text_of(&flat, "description"));
    if nullable {
        make_nullable(&mut made);
    }
    made
}

fn text_of<'s>(flat: &Flat<'s>, key: &str) -> Option<&'s str> {
    flat.rest.get(key).and_then(|text| text.as_str())
}

fn known(kinds: &[Kind]) -> Vec<&'static str> {
    let plain = kinds.iter().flat_map(|kind| kind.keywords()).copied();
    plain.chain(["type", "description", "nullable"]).collect()
}

/// Tells of the keywords that are neither known nor without meaning.
fn report_unknown(walk: &mut Walk<'_>, node: &Node<'_>, known: &[&str]) {
    for key in node.keys().filter(|key| !known.contains(key)) {
        let is_meta = key.starts_with('$') || matches!(*key, "id" | "definitions" | "title");
        if !is_meta {
            walk.change_key(key, LEFT_OUT);
        }
    }
}

/// The types that are named, else the one that the other keywords imply.
fn types(walk: &mut Walk<'_>, flat: &Flat<'_>) -> Types {
    let kind = flat.rest.get("type");
    let names: Vec<&str> = match kind {
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).collect(),
        Some(Json::String(name)) => vec![name],
        _ => Vec::new(),
    };
    let mut kinds: Vec<Kind> = Vec::new();
    for kind in names.iter().filter_map(|name| Kind::from_name(name)) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let null = |value: &Json| value.as_array().is_some_and(|values| values.contains(&Json::Null));
    let nullable = names.contains(&"null")
        || flat.rest.get("enum").is_some_and(|values| null(values))
        || flat.rest.get("nullable").is_some_and(|flag| *flag == &Json::Bool(true));
    if kind.is_some() && kinds.is_empty() {
        walk.change_key("type", "left out, since Gemini has no such type");
    }
    if kinds.is_empty() {
        kinds.extend(implied(flat));
    }
    Types { kinds, nullable }
}

fn implied(flat: &Flat<'_>) -> Option<Kind> {
    let has = |key| flat.rest.contains_key(key);
    if !flat.properties.is_empty() || has("additionalProperties") || has("patternProperties") {
        Some(Kind::Object)
    } else if has("items") || has("prefixItems") {
        Some(Kind::Array)
    } else if has("enum") || has("const") {
        Some(Kind::String)
    } else {
        None
    }
}

fn typed<'s>(walk: &mut Walk<'s>, flat: &Flat<'s>, kind: Kind) -> Map<String, Json> {
    let mut made = match kind {
        Kind::Object => object(walk, flat),
        Kind::Array => array(walk, &flat.rest),
        Kind::String => strings(walk, &flat.rest),
        Kind::Number | Kind::Integer | Kind::Boolean => Map::new(),
    };
    for &key in kind.keywords() {
        let Some(value) = flat.rest.get(key) else { continue };
        let accepted = match key {
            "enum" | "const" | "items" | "prefixItems" => continue,
            "format" => value.as_str().is_some_and(|format| kind.knows_format(format)),
            "pattern" => value.is_string(),
            "minimum" | "maximum" => value.is_number(),
            _ => value.is_u64(),
        };
        if accepted {
            made.insert(key.to_owned(), (*value).clone());
        } else {
            walk.change_key(key, LEFT_OUT);
        }
    }
    made.insert("type".into(), kind.as_str().into());
    made
}

/// An object that names no property gets one, for it must.
fn object<'s>(walk: &mut Walk<'s>, flat: &Flat<'s>) -> Map<String, Json> {
    let mut properties = Map::new();
    for (name, schema) in &flat.properties {
        let steps = [Segment::Key("properties"), Segment::Key(name)];
        properties.insert((*name).to_owned(), part(walk, &steps, schema).into());
    }
    let required: Vec<&str> =
        flat.required.iter().copied().filter(|name| properties.contains_key(*name)).collect();
    if required.len() < flat.required.len() {
        walk.change_key("required", "names of no property are left out");
    }
    if properties.is_empty() {
        walk.change("an object without properties has a stand-in now");
        let told = "stands for any key and value";
        properties.insert(ANY_KEY.into(), json!({ "type": "STRING", "description": told }));
    }
    let mut made = Map::new();
    made.insert("properties".into(), properties.into());
    if !required.is_empty() {
        made.insert("required".into(), required.into());
    }
    made
}

/// One schema for all items; places of a tuple are put together.
fn array<'s>(walk: &mut Walk<'s>, node: &Node<'s>) -> Map<String, Json> {
    let mut parts: Vec<Map<String, Json>> = Vec::new();
    for key in ["prefixItems", "items"] {
        match node.get(key) {
            Some(Json::Array(listed)) => {
                walk.change_key(key, "a list of fixed places is a list of any of these items now");
                parts.extend(list(walk, key, listed));
            }
            Some(schema @ Json::Object(_)) => {
                parts.push(part(walk, &[Segment::Key(key)], schema));
            }
            Some(_) => walk.change_key(key, LEFT_OUT),
            None => {}
        }
    }
    if parts.is_empty() {
        walk.change("a list without `items` is a list of STRING now");
        parts.push(Map::from_iter([("type".to_owned(), "STRING".into())]));
    }
    Map::from_iter([("items".to_owned(), any_of(parts).into())])
}

fn strings(walk: &mut Walk<'_>, node: &Node<'_>) -> Map<String, Json> {
    let listed: Vec<&Json> = match (node.get("enum"), node.get("const")) {
        (Some(Json::Array(values)), _) => values.iter().collect(),
        (Some(_), _) => Vec::new(),
        (None, Some(value)) => vec![value],
        (None, None) => return Map::new(),
    };
    let usable = |value: &&Json| value.as_str().is_some_and(|text| !text.is_empty());
    let values: Vec<Json> = listed.iter().copied().filter(usable).cloned().collect();
    let nulls = listed.iter().filter(|value| value.is_null()).count();
    if values.is_empty() || values.len() + nulls < listed.len() {
        walk.change("values that are no text, or empty, are left out of the list of values");
    }
    if values.is_empty() {
        return Map::new();
    }
    Map::from_iter([("enum".to_owned(), values.into())])
}

fn list<'s>(walk: &mut Walk<'s>, key: &'s str, parts: &'s [Json]) -> Vec<Map<String, Json>> {
    let steps = |at| [Segment::Key(key), Segment::At(at)];
    parts.iter().enumerate().map(|(at, one)| part(walk, &steps(at), one)).collect()
}

/// Alternatives: a null among them makes the rest nullable.
fn union<'s>(walk: &mut Walk<'s>, key: &'s str, parts: &'s Json) -> Map<String, Json> {
    let parts = parts.as_array().map_or(&[][..], Vec::as_slice);
    let is_null = |part: &Json| part.get("type").is_some_and(|kind| kind == "null");
    let mut made: Vec<Map<String, Json>> = Vec::with_capacity(parts.len());
    for (at, one) in parts.iter().enumerate().filter(|(_, one)| !is_null(one)) {
        made.push(part(walk, &[Segment::Key(key), Segment::At(at)], one));
    }
    if key == "oneOf" {
        walk.change_key(key, "is `anyOf` now");
    }
    let nullable = made.len() < parts.len();
    if made.is_empty() {
        walk.change_key(key, "lists no type, so what it stands for is a STRING now");
        made.push(Map::from_iter([("type".to_owned(), "STRING".into())]));
    }
    let mut made = any_of(made);
    if nullable {
        make_nullable(&mut made);
    }
    made
}

/// Alternatives that are alternatives themselves are lifted, one alone stands for itself.
fn any_of(parts: Vec<Map<String, Json>>) -> Map<String, Json> {
    let mut branches: Vec<Json> = Vec::with_capacity(parts.len());
    for mut part in parts {
        match part.remove("anyOf") {
            Some(Json::Array(inner)) => branches.extend(inner),
            _ => branches.push(part.into()),
        }
    }
    match branches.len() {
        1 => match branches.remove(0) {
            Json::Object(only) => only,
            _ => Map::new(),
        },
        _ => Map::from_iter([("anyOf".to_owned(), branches.into())]),
    }
}

/// Every branch of alternatives, or the part itself: nothing may stand beside `anyOf`.
fn each_branch(made: &mut Map<String, Json>, change: impl Fn(&mut Map<String, Json>)) {
    match made.get_mut("anyOf").and_then(Json::as_array_mut) {
        Some(branches) => branches.iter_mut().filter_map(Json::as_object_mut).for_each(change),
        None => change(made),
    }
}

/// Puts a description before those of the branches, for a part of alternatives has none itself.
fn describe(made: &mut Map<String, Json>, description: Option<&str>) {
    let Some(text) = description.filter(|text| !text.is_empty()) else { return };
    each_branch(made, |branch| {
        let told = match branch.get("description").and_then(Json::as_str) {
            Some(own) => format!("{text}\n{own}"),
            None => text.to_owned(),
        };
        branch.insert("description".into(), told.into());
    });
}

fn make_nullable(made: &mut Map<String, Json>) {
    each_branch(made, |branch| {
        branch.insert("nullable".into(), true.into());
    });
}
