//! Schemas and names as each provider takes them.

use serde_json::{Value as Json, json};

use super::support::declare_context;
use crate::tools::{Declared, Dialect};

fn host(tools: Json, dialect: Dialect) -> Declared {
    declare_context(json!({ "tools": tools }), dialect)
}

fn told(declared: &Declared) -> Vec<String> {
    declared
        .diagnostics
        .iter()
        .map(|one| format!("{}: {}", one.code.as_str(), one.message))
        .collect()
}

/// The schema that a dialect makes of one, and what it tells.
fn cleaned(schema: &Json, dialect: Dialect) -> (Json, Vec<String>) {
    let tool = json!({ "name": "t", "description": "T.", "input_schema": schema });
    let declared = host(json!([tool]), dialect);
    let key = if dialect == Dialect::Anthropic { "input_schema" } else { "parameters" };
    let made = declared.tools.first().map_or(&Json::Null, |tool| &tool[key]);
    (made.clone(), told(&declared))
}

fn check(schema: Json, dialect: Dialect, expected: Json, notes: &[&str]) {
    let (made, told) = cleaned(&schema, dialect);
    assert_eq!(made, expected, "{dialect:?} of {schema}");
    let notes: Vec<String> =
        notes.iter().map(|note| format!("schema-changed: schema of `t`: {note}")).collect();
    assert_eq!(told, notes, "{dialect:?} of {schema}");
}

#[test]
fn shapes() {
    let tools = json!([{ "name": "t", "description": "T.", "input_schema": { "type": "object" } }]);
    let made = |dialect| host(tools.clone(), dialect).tools.remove(0);
    let schema = json!({ "type": "object", "properties": {}, "required": [] });
    let closed = json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false });
    let function =
        json!({ "name": "t", "description": "T.", "strict": false, "parameters": closed });
    assert_eq!(made(Dialect::OpenAiChat), json!({ "type": "function", "function": function }));
    let mut response = function;
    response["type"] = json!("function");
    assert_eq!(made(Dialect::OpenAiResponses), response);
    assert_eq!(
        made(Dialect::Anthropic),
        json!({ "name": "t", "description": "T.", "input_schema": schema })
    );
    assert_eq!(
        made(Dialect::Bedrock)["toolSpec"]["inputSchema"]["json"]["type"],
        made(Dialect::Anthropic)["input_schema"]["type"],
    );
    assert_eq!(made(Dialect::Gemini), json!({ "name": "t", "description": "T." }));
}

/// One property `p` of this schema.
fn with(property: Json) -> Json {
    json!({ "type": "object", "properties": { "p": property }, "required": [] })
}

#[test]
fn gemini() {
    let made = |mut property: Json, upper: Json| {
        property["description"] = json!("P.");
        let mut expected = with(upper);
        expected["type"] = json!("OBJECT");
        (with(property), expected)
    };
    let accepted = [
        (
            json!({ "type": "integer", "minimum": 1, "format": "int32" }),
            json!({ "type": "INTEGER", "minimum": 1, "format": "int32", "description": "P." }),
        ),
        (
            json!({ "type": ["string", "null"], "title": "P" }),
            json!({ "type": "STRING", "nullable": true, "description": "P." }),
        ),
        (
            json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] }),
            json!({ "type": "NUMBER", "nullable": true, "description": "P." }),
        ),
        (
            json!({ "anyOf": [{ "type": "number" }, { "type": "string", "description": "S." }, { "type": "null" }] }),
            json!({ "anyOf": [
             { "type": "NUMBER", "nullable": true, "description": "P." },
             { "type": "STRING", "nullable": true, "description": "P.\nS." },
         ] }),
        ),
        (
            json!({ "type": ["integer", "string"] }),
            json!({ "anyOf": [
             { "type": "INTEGER", "description": "P." }, { "type": "STRING", "description": "P." },
         ] }),
        ),
        (
            json!({ "enum": ["a", "b"] }),
            json!({ "type": "STRING", "enum": ["a", "b"], "description": "P." }),
        ),
        (json!({ "const": "a" }), json!({ "type": "STRING", "enum": ["a"], "description": "P." })),
        (
            json!({ "items": { "type": "boolean" } }),
            json!({ "type": "ARRAY", "items": { "type": "BOOLEAN" }, "description": "P." }),
        ),
    ];
    for (property, upper) in accepted {
        let (schema, expected) = made(property, upper);
        check(schema, Dialect::Gemini, expected, &[]);
    }
    let left_out = "left out, since Gemini does not know it, or not here: `/properties/p/";
    let changed = [
        (json!({ "type": "string", "format": "uri" }), json!({ "type": "STRING", "description": "P." }),
         format!("{left_out}format`")),
        (json!({ "type": "integer", "enum": [1, 2] }), json!({ "type": "INTEGER", "description": "P." }),
         format!("{left_out}enum`")),
        (json!({ "type": "string", "enum": ["a", "", null] }),
         json!({ "type": "STRING", "enum": ["a"], "nullable": true, "description": "P." }),
         "values that are no text, or empty, are left out of the list of values: `/properties/p`".into()),
        (json!({ "type": "array" }),
         json!({ "type": "ARRAY", "items": { "type": "STRING" }, "description": "P." }),
         "a list without `items` is a list of STRING now: `/properties/p`".into()),
        (json!({ "type": "array", "items": [{ "type": "number" }, { "type": "string" }] }),
         json!({ "type": "ARRAY", "items": { "anyOf": [{ "type": "NUMBER" }, { "type": "STRING" }] }, "description": "P." }),
         "a list of fixed places is a list of any of these items now: `/properties/p/items`".into()),
        (json!({ "type": "object" }),
         json!({ "type": "OBJECT", "description": "P.",
                 "properties": { "_": { "type": "STRING", "description": "stands for any key and value" } } }),
         "an object without properties has a stand-in now: `/properties/p`".into()),
        (json!({ "type": "object", "properties": { "a": { "type": "null" } }, "required": ["a", "b"] }),
         json!({ "type": "OBJECT", "description": "P.",
                 "properties": { "a": { "type": "STRING", "nullable": true } }, "required": ["a"] }),
         String::new()),
        (json!({ "allOf": [{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["a"] },
                           { "properties": { "b": { "type": "string" } } }] }),
         json!({ "type": "OBJECT", "description": "P.", "required": ["a"],
                 "properties": { "a": { "type": "STRING" }, "b": { "type": "STRING" } } }),
         "what it lists is put together as one object: `/properties/p/allOf`".into()),
        (json!({ "oneOf": [{ "type": "string" }, { "type": "number" }] }),
         json!({ "anyOf": [{ "type": "STRING", "description": "P." }, { "type": "NUMBER", "description": "P." }] }),
         "is `anyOf` now: `/properties/p/oneOf`".into()),
        (json!({}), json!({ "type": "STRING", "description": "P." }),
         "what has no type is a STRING now: `/properties/p`".into()),
    ];
    for (property, upper, note) in changed {
        let (schema, expected) = made(property, upper);
        let (cleaned, told) = cleaned(&schema, Dialect::Gemini);
        assert_eq!(cleaned, expected, "{schema}");
        if !note.is_empty() {
            assert_eq!(told, [format!("schema-changed: schema of `t`: {note}")], "{schema}");
        }
    }
}

#[test]
fn json_schema() {
    let open_ai = |property: Json| {
        let mut schema = with(property);
        schema["additionalProperties"] = json!(false);
        schema
    };
    let left_out =
        |place: &str| format!("left out, since the provider does not accept it: `{place}`");
    for (property, expected, note) in [
        (
            json!({ "type": "string", "format": "uri", "x-order": 1 }),
            json!({ "type": "string", "format": "uri", "x-order": 1 }),
            None,
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null }),
            None,
        ),
        (
            json!({ "type": "array" }),
            json!({ "type": "array", "items": {} }),
            Some("a list without `items` takes any now: `/properties/p`".to_owned()),
        ),
        (
            json!({ "type": "array", "prefixItems": [{ "type": "number" }], "minItems": 1 }),
            json!({ "type": "array", "items": { "type": "number" }, "minItems": 1 }),
            Some(
                "a list of fixed places is a list of any of these items now: `/properties/p`"
                    .into(),
            ),
        ),
        (json!({ "type": "strnig" }), json!({}), Some(left_out("/properties/p/type"))),
        (
            json!({ "type": "number", "exclusiveMinimum": true }),
            json!({ "type": "number" }),
            Some(left_out("/properties/p/exclusiveMinimum")),
        ),
        (
            json!({ "type": "string", "a/b": { "$ref": "#" } }),
            json!({ "type": "string" }),
            Some(left_out("/properties/p/a~1b")),
        ),
    ] {
        let notes: Vec<&str> = note.as_deref().into_iter().collect();
        check(with(property.clone()), Dialect::OpenAiResponses, open_ai(expected.clone()), &notes);
        check(with(property), Dialect::Anthropic, with(expected), &notes);
    }
}

#[test]
fn alternatives_at_the_top() {
    let schema = json!({
        "anyOf": [
            { "type": "object", "properties": { "a": { "type": "string" }, "b": {} }, "required": ["b", "a"] },
            { "properties": { "c": { "type": "string" } }, "required": ["b"] },
        ],
        "enum": [{}],
    });
    check(
        schema,
        Dialect::Anthropic,
        json!({
            "type": "object", "required": ["b"],
            "properties": { "a": { "type": "string" }, "b": {}, "c": { "type": "string" } },
        }),
        &[
            "left out, since the provider does not accept it: `/enum`",
            "what it lists is put together as one object: `/anyOf`",
        ],
    );
}

#[test]
fn references() {
    let tree = json!({ "type": "object", "properties": {
        "name": { "$ref": "#/$defs/name" }, "children": { "type": "array", "items": { "$ref": "#/$defs/tree" } },
    } });
    let schema = json!({
        "type": "object",
        "properties": {
            "root": { "$ref": "#/$defs/tree", "description": "The root" },
            "lost": { "$ref": "other.json#/x", "description": "Lost" },
        },
        "$defs": { "tree": tree, "name": { "type": "string" } },
    });
    let open = json!({ "type": "object" });
    let expected = json!({
        "type": "object", "required": [],
        "properties": {
            "root": {
                "type": "object", "description": "The root",
                "properties": {
                    "name": { "type": "string" }, "children": { "type": "array", "items": open },
                },
            },
            "lost": { "type": "object", "description": "Lost" },
        },
    });
    let note = "a reference that leads in a circle, or nowhere, is an open object now: \
                `/properties/lost`, `/properties/root/properties/children/items`";
    check(schema, Dialect::Anthropic, expected, &[note]);
}

/// A schema of two references to the next level at each of 60 levels: 2^60 parts when written out.
fn bomb() -> Json {
    let mut defs = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        defs.insert(
            format!("d{level}"),
            json!({ "type": "object", "properties": { "l": next, "r": next } }),
        );
    }
    json!({ "type": "object", "properties": { "p": { "$ref": "#/$defs/d0" } }, "$defs": defs })
}

#[test]
fn hostile_schemas_end_soon() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..55 {
        deep = json!({ "type": "object", "properties": { "p": deep } });
    }
    let circle = json!({ "$ref": "#", "allOf": [{ "$ref": "#" }], "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] });
    let start = std::time::Instant::now();
    for dialect in [Dialect::OpenAiResponses, Dialect::Anthropic, Dialect::Gemini] {
        for schema in [&bomb(), &deep, &circle] {
            let (made, told) = cleaned(schema, dialect);
            assert!(made.to_string().len() < 1_000_000);
            assert!(!told.is_empty() && told.len() < 8, "{told:?}");
        }
        let wide: Vec<Json> = (0..20_000).map(|at| json!({ "const": at })).collect();
        let (_, told) = cleaned(&with(json!({ "anyOf": wide })), dialect);
        assert!(
            told.iter().any(|note| note.contains("left open") && note.contains("more")),
            "{told:?}"
        );
    }
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn names() {
    let long = "x".repeat(70);
    let tools: Vec<Json> = ["a.b", "a b", "1st", &long, "a_b"]
        .map(|name| json!({ "name": name, "description": "T." }))
        .into();
    let names = |dialect| {
        let declared = host(json!(tools), dialect);
        let names: Vec<String> = declared
            .tools
            .iter()
            .map(|tool| tool.get("function").unwrap_or(tool)["name"].as_str().unwrap().to_owned())
            .collect();
        for (name, stands_for) in &declared.names {
            let note = format!("tool-renamed: `{}` is called `{name}` here", stands_for.tool);
            assert_eq!(told(&declared).contains(&note), **name != *stands_for.tool);
        }
        names
    };
    let open_ai = names(Dialect::OpenAiChat);
    assert_eq!((&*open_ai[0], &*open_ai[2], open_ai[3].len()), ("a_b", "1st", 64));
    assert!(open_ai[1].starts_with("a_b_") && open_ai[4].starts_with("a_b_"), "{open_ai:?}");
    let anthropic = names(Dialect::Anthropic);
    assert_eq!((&*anthropic[2], anthropic[3].len()), ("1st", 70));
    let gemini = names(Dialect::Gemini);
    assert_eq!(
        (&*gemini[0], &*gemini[1], &*gemini[2], gemini[3].len()),
        ("a.b", "a_b", "_1st", 64)
    );
}

#[test]
fn names_of_parameters() {
    let property = json!({ "type": "string" });
    let schema = json!({
        "type": "object", "required": ["filter[id]", "dry-run"],
        "properties": { "filter[id]": property, "filter_id_": property, "dry-run": property },
    });
    let tools = json!([{ "name": "t", "description": "T.", "input_schema": schema }]);
    let declared = host(tools.clone(), Dialect::Anthropic);
    let renamed = &declared.names["t"].parameters;
    let (name, own) = renamed.first_key_value().unwrap();
    assert_eq!((renamed.len(), own.as_str()), (1, "filter[id]"));
    assert!(name.starts_with("filter_id__"), "{name}");
    assert_eq!(declared.tools[0]["input_schema"]["required"], json!([name, "dry-run"]));
    assert_eq!(
        told(&declared),
        [format!("tool-renamed: parameter `filter[id]` of `t` is called `{name}` here")]
    );
    assert_eq!(host(tools.clone(), Dialect::Gemini).names["t"].parameters.len(), 2);
    assert!(host(tools, Dialect::OpenAiChat).names["t"].parameters.is_empty());
}

#[test]
fn refuses() {
    let tool = |name: &str, schema: Json| json!({ "name": name, "description": "T.", "input_schema": schema });
    let tools = json!([
        tool("list", json!({ "type": "array" })),
        tool("text", json!("x")),
        tool("any", json!(true)),
        "bare",
    ]);
    let declared = host(tools, Dialect::Gemini);
    assert_eq!(
        told(&declared),
        [
            "tool-refused: `list` cannot be declared: it takes something else than an object",
            "tool-refused: `text` cannot be declared: its input schema is no schema",
            "schema-changed: schema of `any`: is `object` now: `/type`",
            "tool-undescribed: `bare` has neither description nor parameters and is left out",
        ]
    );
    assert_eq!(declared.tools, [json!({ "name": "any", "description": "T." })]);
}
