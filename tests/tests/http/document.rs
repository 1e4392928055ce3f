//! The OpenAPI document: whether it is true.

use std::collections::BTreeSet;

use promptweave_tests::http::Served;
use promptweave_tests::standard;
use serde_json::{Value as Json, json};

/// A validator for a schema of the document.
fn validator(document: &Json, name: &str) -> jsonschema::Validator {
    let root = json!({
        "$ref": format!("#/components/schemas/{name}"),
        "components": document["components"],
    });
    jsonschema::validator_for(&root).unwrap()
}

#[track_caller]
fn fits(document: &Json, name: &str, value: &Json) {
    let validator = validator(document, name);
    let wrong: Vec<String> = validator
        .iter_errors(value)
        .map(|error| format!("{} {error}", error.instance_path()))
        .collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

#[test]
fn answers_fit_their_schemas() {
    let served = Served::new(standard::engine());
    let document = served.get("/v1/openapi.json").json();
    assert_eq!(document, promptweave_preview::document());
    let build = json!({ "context": standard::basic() });
    let diff = json!({ "a": build, "b": { "context": standard::situation("huge-rules"), "model": "gpt-5" } });
    let matrix = json!({ "contexts": [{ "name": "one", "context": standard::basic() }] });
    for (path, body, name) in [
        ("/v1/build", &build, "result"),
        ("/v1/build", &json!({ "format": "blocks" }), "blocks"),
        ("/v1/build", &json!({ "format": "anthropic" }), "payload"),
        ("/v1/layers", &build, "layers"),
        ("/v1/explain", &build, "result"),
        ("/v1/diff", &diff, "difference"),
        ("/v1/matrix", &matrix, "matrix"),
        ("/v1/parse", &json!({ "reply": "Hi" }), "parsed"),
        ("/v1/sessions", &json!({}), "session"),
    ] {
        fits(&document, name, &served.post(path, body).json());
    }
    for (path, name) in [
        ("/v1/variants", "list"),
        ("/v1/components", "list"),
        ("/v1/tools", "list"),
        ("/v1/plugins", "list"),
        ("/v1/diagnostics", "diagnostics"),
        ("/v1/context", "machine"),
        ("/v1/show/variant/claude", "shown"),
        ("/healthz", "health"),
        ("/none", "problem"),
    ] {
        fits(&document, name, &served.get(path).json());
    }
    fits(&document, "problem", &served.post("/v1/build", &json!({ "variant": "none" })).json());
}

/// Every reference leads somewhere, and every schema is used.
#[test]
fn references_are_whole() {
    let document = promptweave_preview::document();
    let mut used = BTreeSet::new();
    references(&document, &mut used);
    for reference in &used {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference} leads nowhere");
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(used.contains(&format!("#/components/schemas/{name}")), "{name} is not used");
    }
}

fn references(json: &Json, used: &mut BTreeSet<String>) {
    match json {
        Json::Object(map) => {
            used.extend(map.get("$ref").and_then(Json::as_str).map(str::to_owned));
            map.values().for_each(|value| references(value, used));
        }
        Json::Array(items) => items.iter().for_each(|item| references(item, used)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// What a request may say is written once, in its type; this shows a change.
#[test]
fn the_routes_are_these() {
    let document = promptweave_preview::document();
    let paths = document["paths"].as_object().unwrap();
    let routes: Vec<String> = paths
        .iter()
        .flat_map(|(path, operations)| {
            let methods = operations.as_object().unwrap().keys();
            methods.map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    insta::assert_snapshot!(routes.join("\n"));
    let request = &document["components"]["schemas"]["BuildRequest"];
    assert_eq!(request["additionalProperties"], json!(false));
    insta::assert_json_snapshot!(request);
}
