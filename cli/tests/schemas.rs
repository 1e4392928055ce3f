//! Holds the schemas to what the loader and the engine really take and give.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::fs;
use std::path::Path;

use common::{Sandbox, packs};
use jsonschema::Validator;
use promptweave::{Context, Engine, KNOWN_KEYS, MemorySource};
use serde_json::{Value as Json, json};

fn schema(kind: &str) -> Json {
    let sandbox = Sandbox::new();
    let done = sandbox.run(&["schema", kind], b"");
    assert!(done.status.success(), "{kind}: {}", String::from_utf8_lossy(&done.stderr));
    serde_json::from_slice(&done.stdout).unwrap()
}

fn validator(kind: &str) -> Validator {
    let schema = schema(kind);
    assert!(jsonschema::meta::is_valid(&schema), "{kind} is no schema");
    jsonschema::validator_for(&schema).unwrap()
}

fn wrongs(validator: &Validator, value: &Json) -> Vec<String> {
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

/// A TOML text as JSON, and the kind of schema it falls under, by its path in a pack.
fn part(path: &str, text: &str) -> Option<(&'static str, Json)> {
    let kind = match path.split_once('/') {
        None if path == "pack.toml" => "pack",
        None if path == "patch.toml" => "patch",
        None if path.ends_with(".toml") => "variant",
        Some(("components", _)) => "component",
        Some(("tools", _)) => "tool",
        _ => return None,
    };
    let table = match path.rsplit_once('.')?.1 {
        "toml" => text,
        "md" => text.strip_prefix("+++\n")?.split_once("\n+++")?.0,
        _ => return None,
    };
    let table: toml::Table =
        toml::from_str(table).unwrap_or_else(|error| panic!("{path}: {error}"));
    Some((kind, serde_json::to_value(table).unwrap()))
}

#[test]
fn every_shipped_file_is_valid() {
    let house = files(&packs().join("house"));
    let standard = promptweave_variants::FILES.iter();
    let standard = standard.map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    let mut seen = 0;
    for (path, text) in house.into_iter().chain(standard) {
        let Some((kind, value)) = part(&path, &text) else { continue };
        let wrongs = wrongs(&validator(kind), &value);
        assert!(wrongs.is_empty(), "{path}: {wrongs:?}");
        seen += 1;
    }
    assert!(seen > 50, "only {seen} files were looked at");
}

fn files(root: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for folder in ["", "components", "tools"] {
        for entry in fs::read_dir(root.join(folder)).unwrap().map(Result::unwrap) {
            let path = entry.path();
            if path.is_file() {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                all.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    all
}

#[test]
fn mistakes_are_seen() {
    for (kind, value) in [
        ("pack", json!({"name": "a", "colour": "red"})),
        ("pack", json!({"version": "1"})),
        ("pack", json!({"name": "A b"})),
        ("pack", json!({"name": "a", "plugins": {"acme": 1}})),
        ("pack", json!({"name": "a", "plugins": {"Acme": {}}})),
        ("variant", json!({"ordre": []})),
        ("variant", json!({"tidy": "nicely"})),
        ("variant", json!({"template": "a", "template_file": "b"})),
        ("variant", json!({"override": {"rules": {"text": "a", "template": "b"}}})),
        ("patch", json!({"patch": [{"insert": []}]})),
        ("component", json!({"text": 1})),
        ("component", json!({"cache": "volatile"})),
        ("component", json!({"reason": "none"})),
        ("tool", json!({"parameter": [{"type": "string"}]})),
        ("context", json!({"cwd": 1})),
        ("context", json!({"roots": [{"name": "a"}]})),
        ("context", json!([])),
        ("result", json!({})),
    ] {
        assert!(!validator(kind).is_valid(&value), "{kind}: {value}");
    }
}

/// Where the loader reads tables: a schema's pointer, and a pack's file with a place for one key.
const TABLES: &[(&str, &str, &str, &str)] = &[
    ("pack", "", "pack.toml", "KEY = 1\n"),
    ("pack", "/$defs/key", "pack.toml", "name = 'a'\n[context.own]\nKEY = 1\n"),
    ("variant", "", "a.toml", "KEY = 1\n"),
    ("variant", "/properties/match", "a.toml", "[match]\nKEY = 1\n"),
    ("variant", "/properties/patch", "a.toml", "extends = 'b'\n[patch]\nKEY = 1\n"),
    ("variant", "/$defs/override", "a.toml", "[override.x]\nKEY = 1\n"),
    ("variant", "/$defs/insert", "a.toml", "extends = 'b'\n[[patch.insert]]\nKEY = 1\n"),
    ("patch", "/properties/patch/items", "patch.toml", "[[patch]]\nKEY = 1\n"),
    ("component", "", "components/a.toml", "KEY = 1\n"),
    ("component", "/$defs/case", "components/a.toml", "[[case]]\nKEY = 1\n"),
    ("tool", "", "tools/a.toml", "KEY = 1\n"),
    ("tool", "/$defs/parameter", "tools/a.toml", "[[parameter]]\nKEY = 1\n"),
    ("tool", "/properties/variant/additionalProperties", "tools/a.toml", "[variant.x]\nKEY = 1\n"),
];

/// The keys of a table that the loader does not know, of those tried.
fn unknown(path: &str, text: &str) -> Vec<String> {
    let pack = ("pack.toml".to_owned(), "name = 'a'\nversion = '1'\n".to_owned());
    let own = (path.to_owned(), text.to_owned());
    let files = if path == "pack.toml" { vec![own] } else { vec![pack, own] };
    let engine = Engine::builder().pack(MemorySource::new("a", files)).build().unwrap();
    let told = engine.diagnostics().iter().filter(|told| told.code.as_str() == "unknown-key");
    told.map(|told| format!("{} {}", told.message, told.help.as_deref().unwrap_or_default()))
        .collect()
}

#[test]
fn schemas_and_loader_know_the_same_keys() {
    for (kind, pointer, path, text) in TABLES {
        let schema = schema(kind);
        let properties = schema.pointer(pointer).unwrap()["properties"].as_object().unwrap();
        for key in properties.keys() {
            let told = unknown(path, &text.replace("KEY", key));
            assert!(told.is_empty(), "{kind}{pointer} has `{key}`: {told:?}");
        }
        // Of a key that is nothing like the others, the loader lists all that it knows.
        let told = unknown(path, &text.replace("KEY", "qqqqqqqq")).join("\n");
        let listed = told.split("its keys are ").nth(1).unwrap_or_else(|| panic!("{path}: {told}"));
        let listed = listed.split('`').skip(1).step_by(2);
        let missing: Vec<&str> = listed.filter(|key| !properties.contains_key(*key)).collect();
        assert!(missing.is_empty(), "{kind}{pointer} lacks {missing:?}");
    }
}

#[test]
fn every_known_context_key_has_a_place() {
    let schema = schema("context");
    for key in KNOWN_KEYS {
        let pointer: String =
            key.path.split('.').map(|step| format!("/properties/{step}")).collect();
        let place = schema.pointer(&pointer).unwrap_or_else(|| panic!("{} has no place", key.path));
        let words = place["description"].as_str().unwrap();
        assert!(words.starts_with(key.meaning), "{}: {words}", key.path);
    }
}

#[test]
fn the_schema_and_the_engine_judge_contexts_alike() {
    let validator = validator("context");
    let samples =
        [json!(null), json!("a"), json!(1), json!(1.5), json!(true), json!([]), json!({})];
    for key in KNOWN_KEYS {
        for sample in &samples {
            let value =
                key.path.rsplit('.').fold(sample.clone(), |inner, step| json!({ step: inner }));
            // Words of a list of choices are the schema's own matter.
            let is_choice = matches!(key.path, "crew.kind" | "request.agent_mode");
            if is_choice && sample.is_string() {
                continue;
            }
            let engine = Context::from_value(value.clone()).unwrap().diagnostics().is_empty();
            assert_eq!(validator.is_valid(&value), engine, "{value}");
        }
    }
}

#[test]
fn results_are_valid() {
    let sandbox = Sandbox::new();
    let validator = validator("result");
    sandbox.write(
        "c.json",
        r#"{"cwd": 1, "tools": [{"name": "x"}], "user": {"system_prompt": "é🦀"}}"#,
    );
    for more in [
        &["--model", "claude-opus-4"][..],
        &["--offsets", "utf16", "--variant", "text"],
        &["--no-standard", "--pack", "house", "--model", "claude"],
    ] {
        for verb in ["build", "explain"] {
            if verb == "explain" && more.contains(&"--offsets") {
                continue;
            }
            let args = [&[verb, "--json", "-c", "c.json"], more].concat();
            let done = sandbox.run(&args, b"");
            let result: Json = serde_json::from_slice(&done.stdout).unwrap();
            assert_eq!(result.get("text").is_some(), verb == "build");
            let wrongs = wrongs(&validator, &result);
            assert!(wrongs.is_empty(), "{args:?}: {wrongs:?}");
        }
    }
}
