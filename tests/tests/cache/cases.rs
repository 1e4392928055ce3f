//! Breaks of every kind, one pair of contexts each.

use promptweave::{CacheBreak, Context, Engine};
use promptweave_tests::pack;
use serde_json::{Value as Json, json};

use super::steps;

const FILES: &[(&str, &str)] = &[
    (
        "generic.toml",
        "order = ['role', 'place', 'house']\nuser_context = ['rules']\ntools = ['look']\ntidy = 'off'",
    ),
    (
        "other.toml",
        "extends = 'generic'\nmatch.when = \"'compact' in flags\"\noverride.role.text = 'Other.'",
    ),
    ("components/role.toml", "text = 'You are an agent.'"),
    ("components/place.toml", "template = '{{#if cwd}}In {{CWD}}.{{/if}}'"),
    (
        "components/house.toml",
        "template = '{{#if (or ctx.a ctx.b)}}One of both.{{else}}None.{{/if}}'",
    ),
    ("components/rules.toml", "value = 'rules.project'"),
    ("tools/look.toml", "description = 'Looks.'"),
];

/// A text of any length is cached.
const MODELS: &str = "format = 1\n[[provider.anthropic.family]]\nid = 'opus-4-5'\nminimum = 0\n";

fn engine() -> Engine {
    Engine::builder().pack(pack::memory(FILES)).model_data("models", MODELS).build().unwrap()
}

fn broken(before: Json, now: Json) -> Option<CacheBreak> {
    let base = |over: Json| {
        let mut root = json!({
            "model": { "id": "claude-opus-4-5" }, "provider": { "id": "anthropic" }, "cwd": "/p",
            "rules": { "project": "Be kind." },
        });
        for (key, value) in over.as_object().unwrap() {
            root[key] = value.clone();
        }
        Context::from_value(root).unwrap()
    };
    steps(&engine(), &[base(before), base(now)], 1).pop().unwrap().broken
}

#[test]
fn each_kind_of_break_names_its_place_and_its_keys() {
    for (before, now, place, keys, section) in [
        (json!({"cwd": "/a"}), json!({"cwd": "/b"}), "text", "cwd", Some("place")),
        (json!({"cwd": "/a"}), json!({"cwd": ""}), "text", "cwd", Some("house")),
        // Which key decided is not what the hinge names: both builds say what they read.
        (json!({}), json!({"b": 1}), "text", "b", Some("house")),
        (json!({}), json!({"flags": ["compact"]}), "text", "flags", Some("role")),
        (json!({}), json!({"model": {"id": "claude-opus-5"}}), "model", "model.id", None),
        (json!({}), json!({"provider": {"id": "bedrock"}}), "model", "provider.id", None),
        (
            json!({}),
            json!({"rules": {"project": "Be brief."}}),
            "user-context",
            "rules.project",
            None,
        ),
        (json!({}), json!({"request": {"prefix": "Hello."}}), "prefix", "request.prefix", None),
        (json!({}), json!({"request": {"append": ["More."]}}), "text", "request.append", None),
        (json!({}), json!({"tools": []}), "tools", "tools", None),
        (json!({}), json!({"native_tools": false}), "tools", "native_tools", None),
    ] {
        let broken = broken(before, now.clone()).unwrap_or_else(|| panic!("{now} breaks"));
        assert_eq!(broken.place.as_str(), place, "{now}");
        assert_eq!(broken.keys.join(", "), keys, "{now}");
        assert_eq!(broken.section.as_deref(), section, "{now}");
    }
}

#[test]
fn a_request_that_is_marked_otherwise_reads_less() {
    let broken = broken(json!({"request": {"marks_used": 3}}), json!({})).unwrap();
    assert_eq!(
        (broken.place.as_str(), broken.keys.join(", ").as_str()),
        ("text", "request.marks_used")
    );
    assert!(broken.billed_again > 0 && broken.price > Some(0.0));
}

#[test]
fn what_nobody_reads_breaks_nothing() {
    assert!(broken(json!({}), json!({"user": {"name": "me"}, "time": "noon"})).is_none());
}

#[test]
fn no_value_of_a_key_is_shown() {
    let broken = broken(json!({"cwd": "/secret-a"}), json!({"cwd": "/secret-b"})).unwrap();
    assert!(
        !format!("{} {:?} {}", broken.cause(), broken.keys, broken.origin()).contains("secret")
    );
}
