//! Any JSON for a schema: the result is always what the provider takes.

use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};

use super::support::{Plain, context, declare_context, effective, registry, variant};
use crate::tools::{Declared, Dialect};

const KEYWORDS: &[&str] = &[
    "type",
    "properties",
    "required",
    "items",
    "prefixItems",
    "additionalItems",
    "anyOf",
    "oneOf",
    "allOf",
    "not",
    "if",
    "enum",
    "const",
    "default",
    "description",
    "format",
    "minimum",
    "minLength",
    "maxItems",
    "nullable",
    "$ref",
    "$defs",
    "$schema",
    "additionalProperties",
    "patternProperties",
    "title",
    "x-any",
    "pattern",
    "dependentRequired",
    "exclusiveMinimum",
];

const WORDS: &[&str] = &[
    "object",
    "array",
    "string",
    "integer",
    "null",
    "number",
    "boolean",
    "a",
    "",
    "$id",
    "a b",
    "é",
    "#",
    "#/$defs/a",
    "#/properties/a",
    "#/$defs/a/items",
    "date-time",
    "int32",
];

fn json() -> impl Strategy<Value = Json> {
    let word = || prop::sample::select(WORDS);
    let leaf = prop_oneof![
        4 => word().prop_map(Json::from),
        1 => any::<bool>().prop_map(Json::from),
        1 => (-2_i64..9).prop_map(Json::from),
        1 => Just(Json::Null),
    ];
    leaf.prop_recursive(6, 96, 6, move |inner| {
        let keyed = |names: &'static [&'static str], inner: BoxedStrategy<Json>| {
            prop::collection::vec((prop::sample::select(names), inner), 0..6).prop_map(|entries| {
                let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
                Json::Object(entries.collect::<Map<_, _>>())
            })
        };
        prop_oneof![
            5 => keyed(KEYWORDS, inner.clone().boxed()),
            2 => keyed(WORDS, inner.clone().boxed()),
            2 => prop::collection::vec(inner, 0..4).prop_map(Json::from),
        ]
    })
}

/// A schema whose known keywords mostly have the right kind of value.
fn schema() -> impl Strategy<Value = Json> {
    (json(), json(), json(), json(), prop::sample::select(&["object", "a"][..])).prop_map(
        |(a, b, definition, any_of, kind)| {
            json!({
                "type": kind, "properties": { "a": a, "a b": b, "": { "anyOf": [any_of, b] } },
                "required": ["a", "", "gone"], "$defs": { "a": definition },
            })
        },
    )
}

fn check_all(schema: &Json) {
    let tool = json!({ "name": "t", "description": "T.", "inputSchema": schema });
    let server = json!({ "mcp": { "servers": [{ "name": "s", "tools": [tool] }] } });
    for dialect in [
        Dialect::OpenAiChat,
        Dialect::OpenAiResponses,
        Dialect::Anthropic,
        Dialect::Bedrock,
        Dialect::Gemini,
    ] {
        let declared = declare_context(server.clone(), dialect);
        check_declared(&declared, dialect);
    }
    let tools = effective(&registry([]), &variant(None), &context(server), &Plain::default());
    assert!(super::docs(&tools).traced.text.starts_with("## s__t\n"));
}

fn check_declared(declared: &Declared, dialect: Dialect) {
    let Some(tool) = declared.tools.first() else {
        assert!(declared.diagnostics.iter().any(|told| told.code.as_str() == "tool-refused"));
        return;
    };
    match dialect {
        Dialect::OpenAiChat => open_ai(&tool["function"]["parameters"]),
        Dialect::OpenAiResponses => open_ai(&tool["parameters"]),
        Dialect::Anthropic => anthropic(&tool["input_schema"]),
        Dialect::Bedrock => anthropic(&tool["toolSpec"]["inputSchema"]["json"]),
        Dialect::Gemini => {
            let Some(parameters) = tool.get("parameters") else { return };
            assert_eq!(parameters["type"], "OBJECT");
            let is_name = |name: &str| {
                let first = name.chars().next();
                first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
                    && name.len() <= 64
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            };
            assert!(parameters["properties"].as_object().unwrap().keys().all(|name| is_name(name)));
            gemini(parameters);
        }
    }
}

fn top(schema: &Json, refused: &[&str]) {
    assert_eq!(schema["type"], "object");
    assert!(schema["properties"].is_object());
    for key in refused {
        assert!(schema.get(key).is_none(), "{key} at the top of {schema}");
    }
}

fn open_ai(schema: &Json) {
    top(schema, &["anyOf", "oneOf", "allOf", "enum", "const", "not"]);
    each_schema(schema, &|_| {});
}

fn anthropic(schema: &Json) {
    top(schema, &["anyOf", "oneOf", "allOf"]);
    each_schema(schema, &|schema| {
        let names = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
        for (name, _) in names {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
            assert!((1..=64).contains(&name.len()) && name.chars().all(fits), "`{name}`");
        }
    });
}

/// JSON Schema 2020-12 without references, with `items` wherever there are lists.
fn each_schema(schema: &Json, extra: &dyn Fn(&Json)) {
    let Json::Object(map) = schema else { return assert!(schema.is_boolean(), "{schema}") };
    extra(schema);
    let kinds: Vec<&Json> = match map.get("type") {
        Some(Json::Array(kinds)) => kinds.iter().collect(),
        other => other.into_iter().collect(),
    };
    assert!(kinds.iter().all(|kind| WORDS[..7].contains(&kind.as_str().unwrap())));
    assert!(!kinds.iter().any(|kind| *kind == "array") || map.contains_key("items"), "{schema}");
    for (key, value) in map {
        assert!(!key.starts_with('$'), "{key}");
        match key.as_str() {
            "items" => {
                assert!(value.is_object());
                each_schema(value, extra);
            }
            "not" | "if" | "additionalProperties" => each_schema(value, extra),
            "properties" | "patternProperties" => {
                value.as_object().unwrap().values().for_each(|one| each_schema(one, extra));
            }
            "anyOf" | "oneOf" | "allOf" => {
                assert!(!value.as_array().unwrap().is_empty());
                value.as_array().unwrap().iter().for_each(|one| each_schema(one, extra));
            }
            "required" => assert!(value.as_array().unwrap().iter().all(Json::is_string)),
            "enum" => assert!(!value.as_array().unwrap().is_empty()),
            "description" | "format" | "title" | "pattern" => assert!(value.is_string()),
            "minLength" | "maxItems" => assert!(value.is_u64()),
            "minimum" | "exclusiveMinimum" => assert!(value.is_number()),
            "type" | "const" | "default" | "nullable" | "x-any" => {}
            word => assert!(WORDS.contains(&word) && !value.is_object(), "{word}"),
        }
    }
}

fn gemini(schema: &Json) {
    let map = schema.as_object().unwrap();
    if let Some(branches) = map.get("anyOf") {
        assert_eq!(map.len(), 1, "nothing beside anyOf: {schema}");
        let branches = branches.as_array().unwrap();
        assert!(branches.len() > 1 && branches.iter().all(|one| one.get("anyOf").is_none()));
        return branches.iter().for_each(gemini);
    }
    let kind = map["type"].as_str().unwrap();
    for (key, value) in map {
        match (key.as_str(), kind) {
            ("type" | "description", _) => assert!(value.is_string()),
            ("nullable", _) => assert!(value.is_boolean()),
            ("enum", "STRING") => {
                let values = value.as_array().unwrap();
                assert!(!values.is_empty());
                assert!(values.iter().all(|one| one.as_str().is_some_and(|text| !text.is_empty())));
            }
            ("format", "STRING") => assert!(value == "date-time" || value == "enum"),
            ("format", "INTEGER") => assert!(value == "int32" || value == "int64"),
            ("pattern", "STRING") => assert!(value.is_string()),
            ("minLength", "STRING") | ("maxItems", "ARRAY") => assert!(value.is_u64()),
            ("minimum", "INTEGER" | "NUMBER") => assert!(value.is_number()),
            ("items", "ARRAY") => gemini(value),
            ("properties", "OBJECT") => value.as_object().unwrap().values().for_each(gemini),
            ("required", "OBJECT") => {
                let names = value.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
                names.for_each(|name| assert!(map["properties"].get(name).is_some(), "{name}"));
            }
            (key, kind) => panic!("`{key}` beside {kind}"),
        }
    }
    match kind {
        "OBJECT" => assert!(!map["properties"].as_object().unwrap().is_empty()),
        "ARRAY" => assert!(map.contains_key("items")),
        "STRING" | "NUMBER" | "INTEGER" | "BOOLEAN" => {}
        kind => panic!("{kind} is no type"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn any_json(value in json()) {
        check_all(&value);
    }

    #[test]
    fn any_schema(value in schema()) {
        check_all(&value);
    }

    #[test]
    fn any_context(tools in json(), servers in json()) {
        let list = |value: Json| Json::from(vec![value, json!("t"), json!({ "name": "t", "description": "" })]);
        let described = json!({ "tools": list(tools), "mcp": { "servers": list(servers) } });
        for dialect in [Dialect::OpenAiChat, Dialect::Gemini] {
            let declared = declare_context(described.clone(), dialect);
            prop_assert_eq!(declared.tools.len(), declared.names.len());
        }
    }
}
