//! Payloads of every target: what must hold for any prompt, and the faults that hosts reported.

mod faults;
mod laws;
mod support;

use serde_json::{Value as Json, json};

use super::*;
use support::{Case, TEXT, marks, texts};

#[test]
fn every_target() {
    for target in Target::ALL {
        let model = match target {
            Target::Anthropic => "claude-opus-4-5",
            Target::Vertex => "claude-opus-4-5@20251101",
            Target::Bedrock => "us.anthropic.claude-opus-4-5-20251101-v1:0",
            Target::OpenAiChat | Target::OpenAiResponses => "gpt-5.6",
            Target::OpenAiCompatible => "deepseek-chat",
            Target::Xai => "grok-4.5",
            Target::Gemini => "gemini-2.5-pro",
        };
        let case = Case::of(&json!({
            "model": { "id": model },
            "request": { "attribution": "acme; cli", "prefix": "You are Weaver." },
        }));
        let (payload, told) = case.deliver(*target);
        let told: Vec<String> = told.iter().map(ToString::to_string).collect();
        let shown = json!({ "headers": payload.headers, "body": payload.body, "told": told });
        insta::assert_json_snapshot!(format!("payload_{}", target.as_str()), shown);
    }
}

#[test]
fn without_text_tools_and_user_context_there_are_messages_alone() {
    for target in Target::ALL {
        let case = Case { pack: "order = []", ..Case::of(&json!({})) };
        let (payload, told) = case.deliver_without_tools(*target);
        let list = match target {
            Target::OpenAiResponses => "input",
            Target::Gemini => "contents",
            _ => "messages",
        };
        assert_eq!(payload.body[list], json!([]), "{target:?}");
        for key in ["system", "systemInstruction", "instructions", "tools", "toolConfig", "model"] {
            assert!(payload.body.get(key).is_none(), "{target:?} {key}");
        }
        assert!(told.is_empty(), "{told:?}");
    }
}

#[test]
fn a_request_is_split_in_three_ways() {
    let servers = json!([{ "name": "a" }]);
    for (context, system, tools) in [
        // tools volatile: all but the attribution, and no mark on tools that come and go
        (json!({ "mcp": { "servers": servers } }), &[false, true, true, true][..], false),
        // global: the static block alone
        (json!({ "request": { "global_cache": true } }), &[false, false, true, false], true),
        // default; the user context and the tools find no room for all five, and the prefix goes
        (json!({}), &[false, false, true, true], true),
    ] {
        let mut all = json!({ "request": { "attribution": "a", "prefix": "p" } });
        support::merge(&mut all, &context);
        let (payload, _) = Case::of(&all).deliver(Target::Anthropic);
        let marked = |one: &Json| one.get("cache_control").is_some();
        let found: Vec<bool> =
            payload.body["system"].as_array().unwrap().iter().map(marked).collect();
        assert_eq!(found, system, "{context}");
        assert_eq!(marked(&payload.body["tools"][1]), tools, "{context}");
    }
}

#[test]
fn an_hour_stands_on_every_mark_or_none() {
    for (model, asked, ttl, told) in [
        ("claude-opus-4-5", Ttl::OneHour, Some("1h"), false),
        ("claude-opus-4-5", Ttl::FiveMinutes, None, false),
        ("nova-pro", Ttl::OneHour, None, true),
    ] {
        let case = Case::of(&json!({ "model": { "id": model } }));
        let target = if model.starts_with("nova") { Target::Bedrock } else { Target::Anthropic };
        let mut delivery = case.delivery(target);
        delivery.ttl = asked;
        let (payload, all) = case.deliver_as(&delivery);
        let lives: Vec<_> =
            marks(target, &payload.body).iter().map(|mark| mark.get("ttl").cloned()).collect();
        assert!(
            lives.iter().all(|found| found.as_ref().and_then(Json::as_str) == ttl),
            "{lives:?}"
        );
        assert!(!lives.is_empty());
        assert_eq!(all.iter().any(|one| one.code.as_str() == "ttl-lowered"), told, "{model}");
    }
}

#[test]
fn the_user_context_is_the_first_message() {
    for target in Target::ALL {
        let (payload, _) = Case::of(&json!({ "model": { "id": "x" } })).deliver(*target);
        let texts = texts(*target, &payload.body);
        let last = texts.last().unwrap();
        assert_eq!(last, "<system-reminder>\nRead the rules.\n</system-reminder>", "{target:?}");
        assert_eq!(texts[..texts.len() - 1].concat(), TEXT, "{target:?}");
    }
}

#[test]
fn a_key_routes_equal_heads_to_one_cache() {
    let of = |context: Json| {
        Case::of(&context).deliver(Target::OpenAiChat).0.body["prompt_cache_key"].clone()
    };
    let key = of(json!({ "cwd": "/a" }));
    assert_eq!(key, of(json!({ "cwd": "/b" })), "the dynamic part does not matter");
    assert!(key.as_str().unwrap().starts_with("generic-"));
    let case = Case::of(&json!({}));
    let mut delivery = case.delivery(Target::Xai);
    delivery.cache_key = Some("session-7".into());
    let payload = case.deliver_as(&delivery).0;
    assert_eq!(payload.headers["x-grok-conv-id"], "session-7");
    assert!(payload.body.get("prompt_cache_key").is_none());
}

#[test]
fn a_prompt_that_is_too_short_to_be_cached_is_told() {
    for (target, model, told) in [
        (Target::Anthropic, "claude-opus-4-5", true),
        (Target::OpenAiChat, "gpt-5.2", true),
        (Target::OpenAiCompatible, "x", false),
        (Target::OpenAiChat, "gpt-4-turbo", false),
    ] {
        let (_, all) = Case::of(&json!({ "model": { "id": model } })).deliver(target);
        assert_eq!(all.iter().any(|one| one.code.as_str() == "cache-minimum"), told, "{model}");
    }
}

#[test]
fn a_session_answers_with_what_each_context_says() {
    let session = Case::of(&json!({})).engine().session(crate::session::Clock::default());
    let marks_of = |more: Json| {
        let case = Case::of(&more);
        let prompt = session.prompt(&case.read()).unwrap();
        let (payload, _) = deliver(&prompt, Vec::new(), &case.delivery(Target::Anthropic));
        marks(Target::Anthropic, &payload.body).len()
    };
    assert_eq!(marks_of(json!({})), 3);
    assert_eq!(marks_of(json!({ "provider": { "id": "anthropic" } })), 3);
    assert_eq!(marks_of(json!({ "request": { "marks_used": 2 } })), 2);
    assert_eq!(marks_of(json!({ "request": { "global_cache": true } })), 2);
    let servers = json!({ "servers": [{ "name": "a" }] });
    assert_eq!(marks_of(json!({ "request": { "global_cache": true }, "mcp": servers })), 3);
}
