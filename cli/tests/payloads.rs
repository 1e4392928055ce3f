//! Holds payloads to JSON Schemas that were written from the documented shapes of each API.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::fs;
use std::path::Path;

use common::Sandbox;
use jsonschema::Validator;
use promptweave::Target;
use serde_json::{Value as Json, json};

fn validator(target: Target) -> Validator {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/schemas");
    let text = fs::read_to_string(folder.join(format!("{}.json", target.as_str()))).unwrap();
    let schema: Json = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{} is no schema", target.as_str());
    jsonschema::validator_for(&schema).unwrap()
}

/// What a host may say, for each model of a target.
fn contexts() -> Vec<Json> {
    let tool = json!({
        "name": "find it!", "description": "Finds.",
        "input_schema": { "$schema": "x", "type": "object", "properties": { "q": { "type": ["string", "null"] } } },
    });
    let server = json!({ "name": "db", "status": "connected", "tools": [tool] });
    let request =
        json!({ "attribution": "acme", "prefix": "You are Weaver.", "global_cache": true });
    vec![
        json!({}),
        json!({ "cwd": "/p", "date": "2026-01-15", "os": "linux", "shell": "bash" }),
        json!({ "native_tools": false, "mode": "plan" }),
        json!({ "tools": [] }),
        json!({ "tools": [tool], "rules": { "project": "# Rules\n\nNever push." } }),
        json!({ "mcp": { "servers": [server] }, "request": request }),
        json!({ "request": request, "provider": { "id": "anthropic" }, "user": { "system_prompt": "é🦀" } }),
        json!({ "request": { "marks_used": 3, "query_source": "main" } }),
    ]
}

fn models(target: Target) -> &'static [&'static str] {
    match target {
        Target::Anthropic | Target::Vertex => &["claude-opus-4-5", "claude-haiku-9", "house"],
        Target::Bedrock => {
            &["us.anthropic.claude-sonnet-4-5-v1:0", "amazon.nova-pro-v1:0", "meta.llama3"]
        }
        Target::OpenAiChat | Target::OpenAiResponses => &["gpt-5.6", "gpt-5.2", "gpt-4o"],
        Target::OpenAiCompatible => &["deepseek-chat", "gpt-5.6"],
        Target::Xai => &["grok-4.5"],
        Target::Gemini => &["gemini-2.5-pro", "gemma-3-27b-it"],
    }
}

#[test]
fn payloads_are_valid() {
    let sandbox = Sandbox::new();
    for target in Target::ALL {
        let validator = validator(*target);
        for model in models(*target) {
            for mut context in contexts() {
                context["model"] = json!({ "id": model });
                sandbox.write("c.json", context.to_string());
                let more = ["--one-hour", "main*", "--wire-scope"];
                let args =
                    [&["build", "-c", "c.json", "--format", target.as_str()][..], &more].concat();
                let done = sandbox.run(&args, b"");
                let payload: Json = serde_json::from_slice(&done.stdout).unwrap_or_else(|error| {
                    panic!("{args:?}: {error}: {}", String::from_utf8_lossy(&done.stderr))
                });
                let errors = validator.iter_errors(&payload);
                let wrongs: Vec<_> =
                    errors.map(|error| format!("{}: {error}", error.instance_path())).collect();
                assert!(wrongs.is_empty(), "{} {context}: {wrongs:?}", target.as_str());
            }
        }
    }
}

#[test]
fn mistakes_are_seen() {
    for (target, body) in [
        (Target::Anthropic, json!({ "messages": [], "cache_control": { "type": "ephemeral" } })),
        (Target::Anthropic, json!({ "messages": [], "system": [{ "type": "text", "text": "" }] })),
        (Target::Vertex, json!({ "messages": [] })),
        (
            Target::Bedrock,
            json!({ "messages": [], "system": [{ "cachePoint": { "type": "default" } }] }),
        ),
        (Target::OpenAiResponses, json!({ "input": [], "prompt_cache_key": "k", "messages": [] })),
        (Target::OpenAiCompatible, json!({ "messages": [], "prompt_cache_key": "k" })),
        (Target::Gemini, json!({ "contents": [], "tools": [{ "functionDeclarations": [] }] })),
    ] {
        let headers = match target {
            Target::Anthropic => json!({ "anthropic-version": "2023-06-01" }),
            _ => json!({}),
        };
        let payload = json!({ "headers": headers, "body": body });
        assert!(!validator(target).is_valid(&payload), "{} {payload}", target.as_str());
    }
}
