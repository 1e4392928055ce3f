//! Faults that hosts reported of other programs, one test each, which fails in a design that has the fault.

use serde_json::{Value as Json, json};

use super::super::*;
use super::support::{Case, TEXT, marks, texts};

const REQUEST: &str = "request";

fn plain() -> Case<'static> {
    Case::of(&json!({ "model": { "id": "claude-opus-4-5" } }))
}

/// A system prompt in several blocks kept its last one alone.
#[test]
fn all_blocks_arrive() {
    for target in Target::ALL {
        let (payload, _) = plain().deliver(*target);
        assert!(texts(*target, &payload.body).concat().starts_with(TEXT), "{target:?}");
    }
}

/// A mark at the top of the request was sent on to a cloud that refuses it; beside marks on blocks it turned caching off.
#[test]
fn no_mark_stands_at_the_top() {
    for target in Target::ALL {
        let (payload, _) = plain().deliver(*target);
        assert!(payload.body.get("cache_control").is_none(), "{target:?}");
    }
}

/// A mark beside a tool's result was refused by models that take none there.
#[test]
fn marks_of_messages_stand_behind_text() {
    let case = Case::of(&json!({ "model": { "id": "amazon.nova-pro-v1:0" } }));
    let (payload, _) = case.deliver(Target::Bedrock);
    let content = payload.body["messages"][0]["content"].as_array().unwrap();
    assert!(content[0].get("text").is_some() && content[1].get("cachePoint").is_some());
    let tools = payload.body["toolConfig"]["tools"].as_array().unwrap();
    assert!(tools.iter().all(|tool| tool.get("cachePoint").is_none()), "nova takes none on tools");
}

/// Marks were dropped, since an ARN names neither the model nor its maker.
#[test]
fn an_arn_keeps_its_marks() {
    let arn = "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/abc123";
    let (payload, told) = Case::of(&json!({ "model": { "id": arn } })).deliver(Target::Bedrock);
    assert_eq!(marks(Target::Bedrock, &payload.body).len(), 4);
    assert!(told.iter().any(|one| one.code.as_str() == "model-unknown"));
}

/// Blocks were joined to one text, and every mark was lost.
#[test]
fn marked_blocks_stay_apart() {
    for (target, model) in [
        (Target::Anthropic, "claude-opus-4-5"),
        (Target::Bedrock, "claude-opus-4-5"),
        (Target::OpenAiChat, "gpt-5.6"),
        (Target::OpenAiResponses, "gpt-5.6"),
    ] {
        let (payload, _) = Case::of(&json!({ "model": { "id": model } })).deliver(target);
        let texts = texts(target, &payload.body);
        assert_eq!(texts[..2], ["Be brief.\n\nFolder:", " /p"], "{target:?}");
        assert!(marks(target, &payload.body).len() >= 3, "{target:?}");
    }
}

/// An hour stood behind five minutes; a fifth mark stood beside those of the host.
#[test]
fn lives_never_rise_and_four_marks_are_the_most() {
    for used in 0..7_usize {
        let context = json!({ "model": { "id": "claude-opus-4-5" }, REQUEST: { "marks_used": used, "prefix": "p" } });
        let case = Case::of(&context);
        for target in [Target::Anthropic, Target::Vertex, Target::Bedrock] {
            let mut delivery = case.delivery(target);
            delivery.ttl = Ttl::OneHour;
            let (payload, told) = case.deliver_as(&delivery);
            let marks = marks(target, &payload.body);
            assert_eq!(marks.len(), 4_usize.saturating_sub(used), "{target:?} {used}");
            assert!(marks.iter().all(|mark| mark["ttl"] == "1h"));
            let over = told.iter().any(|one| one.code.as_str() == "marks-over");
            let full = told.iter().any(|one| one.code.as_str() == "marks-full");
            assert_eq!((full, over), (used <= 4, used > 4));
        }
    }
}

/// A mark at the first block was taken for none.
#[test]
fn the_first_block_can_be_marked() {
    let (payload, _) = plain().deliver_without_tools(Target::Anthropic);
    assert_eq!(payload.body["system"][0]["cache_control"], json!({ "type": "ephemeral" }));
}

/// A wish about caching was ignored without a word.
#[test]
fn a_wish_that_is_not_met_is_told() {
    for (target, context) in [
        (Target::Bedrock, json!({})),
        (Target::OpenAiChat, json!({})),
        (Target::Anthropic, json!({ "provider": { "id": "gateway" } })),
        (Target::Anthropic, json!({ "mcp": { "servers": [{ "name": "a" }] } })),
    ] {
        let mut all = json!({ REQUEST: { "global_cache": true } });
        super::support::merge(&mut all, &context);
        let (_, told) = Case::of(&all).deliver(target);
        assert!(
            told.iter().any(|one| one.code.as_str() == "global-refused"),
            "{target:?} {context}"
        );
    }
}

/// Marks were lost for messages, and for messages in several parts.
#[test]
fn messages_carry_their_marks() {
    for (target, model, key) in [
        (Target::Anthropic, "claude-opus-4-5", "cache_control"),
        (Target::OpenAiChat, "gpt-5.6", "prompt_cache_breakpoint"),
        (Target::OpenAiResponses, "gpt-5.6", "prompt_cache_breakpoint"),
    ] {
        let (payload, _) = Case::of(&json!({ "model": { "id": model } })).deliver(target);
        let list = if target == Target::OpenAiResponses { "input" } else { "messages" };
        let last = payload.body[list].as_array().unwrap().last().unwrap().clone();
        assert!(last["content"][0].get(key).is_some(), "{target:?}: {last}");
    }
}

/// `$schema` was left in declarations.
#[test]
fn declarations_hold_no_schema_of_schemas() {
    let tool = json!({
        "name": "x", "description": "d",
        "input_schema": { "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {} },
    });
    let case = Case { pack: "order = ['role']", ..Case::of(&json!({ "tools": [tool] })) };
    let (payload, _) = case.deliver(Target::Gemini);
    assert_eq!(payload.body["tools"][0]["functionDeclarations"][0]["name"], "x");
    assert!(!payload.body.to_string().contains("$schema"));
}

/// The attribution text reached other providers, and broke their prefixes.
#[test]
fn attribution_reaches_its_own_api_alone() {
    for target in Target::ALL {
        let context = json!({ REQUEST: { "attribution": "x-acme: 1;" }, "model": { "id": "claude-opus-4-5" } });
        let (payload, told) = Case::of(&context).deliver(*target);
        let arrived = payload.body.to_string().contains("x-acme");
        assert_eq!(arrived, *target == Target::Anthropic, "{target:?}");
        assert_eq!(told.iter().any(|one| one.code.as_str() == "attribution-dropped"), !arrived);
    }
}

/// The header of the scope was sent although nothing had a scope.
#[test]
fn the_header_of_the_scope_follows_the_body() {
    for (global, scope, sent) in
        [(true, WireScope::On, true), (true, WireScope::Off, false), (false, WireScope::On, false)]
    {
        let case = Case::of(
            &json!({ "model": { "id": "claude-opus-5" }, REQUEST: { "global_cache": global } }),
        );
        let mut delivery = case.delivery(Target::Anthropic);
        delivery.wire_scope = scope;
        let (payload, _) = case.deliver_as(&delivery);
        assert_eq!(payload.headers.contains_key("anthropic-beta"), sent);
        assert_eq!(payload.body.to_string().contains("\"scope\":\"global\""), sent);
    }
}

/// The time of day stood in the prefix; its change emptied the cache with each request.
#[test]
fn what_changes_stands_behind_the_first_mark() {
    let pack = "order = ['role', 'now']";
    let of = |time: &str| {
        let case =
            Case { pack, ..Case::of(&json!({ "time": time, "model": { "id": "claude-opus-5" } })) };
        case.deliver_without_tools(Target::Anthropic).0.body["system"].clone()
    };
    let (one, other) = (of("10:00"), of("10:01"));
    assert_eq!(one[0], other[0]);
    assert!(one[0].get("cache_control").is_some() && one[1] != other[1]);
}

/// The date stood in the cached prefix, so that midnight wrote all of it again: in a session it stands still, and no
/// other day changes what stands before the mark that all users share.
#[test]
fn midnight_writes_nothing_anew() {
    let case = Case {
        pack: "order = ['role', 'today']",
        ..Case::of(&json!({ "model": { "id": "claude-opus-5" } }))
    };
    let (engine, context) = (case.engine(), case.read());
    let system = |session: &crate::Session, time: &str| {
        let prompt = session.prompt(&context.with("time", json!(time))).unwrap();
        let (payload, _) = deliver(&prompt, Vec::new(), &case.delivery(Target::Anthropic));
        payload.body["system"].clone()
    };
    let today = engine.session(crate::Clock::new("2026-01-15"));
    let before = system(&today, "23:59");
    assert!(before[1]["text"].as_str().unwrap().contains("2026-01-15"), "{before}");
    assert_eq!(system(&today, "00:01"), before, "the session keeps its date");
    let tomorrow = system(&engine.session(crate::Clock::new("2026-01-16")), "00:01");
    assert_ne!(tomorrow[1], before[1]);
    assert_eq!(tomorrow[0], before[0]);
    assert!(before[0].get("cache_control").is_some(), "{before}");
}

/// The mark of a system message was lost when messages were converted.
#[test]
fn a_system_message_keeps_its_mark() {
    let (payload, _) =
        Case::of(&json!({ "model": { "id": "gpt-5.6" } })).deliver(Target::OpenAiChat);
    let system = &payload.body["messages"][0];
    assert!(matches!(system["role"].as_str(), Some("system" | "developer")), "{system}");
    let parts = system["content"].as_array().unwrap();
    assert!(parts.iter().all(|part| part.get("prompt_cache_breakpoint").is_some()), "{system}");
}

/// Servers that came back in another order changed the order of the tools.
#[test]
fn servers_in_another_order_give_the_same_tools() {
    let server = |name: &str| {
        let tool =
            json!({ "name": "find", "description": "d", "input_schema": { "type": "object" } });
        json!({ "name": name, "status": "connected", "tools": [tool] })
    };
    let of = |servers: [Json; 2]| {
        let case = Case::of(&json!({ "mcp": { "servers": servers } }));
        case.deliver(Target::Anthropic).0.body["tools"].clone()
    };
    let tools = of([server("a"), server("b")]);
    assert_eq!(tools, of([server("b"), server("a")]));
    assert!(tools.as_array().unwrap().len() > 2, "{tools}");
}

/// One mark was enough for one service and not for another, which reads at marks alone.
#[test]
fn every_prefix_end_has_its_point() {
    let (payload, _) = plain().deliver(Target::Bedrock);
    let point = json!({ "cachePoint": { "type": "default" } });
    assert_eq!(payload.body["toolConfig"]["tools"].as_array().unwrap().last(), Some(&point));
    let system = payload.body["system"].as_array().unwrap();
    assert!(system[1] == point && system[3] == point && system.len() == 4, "{system:?}");
}

/// Tools stay out of a mark while servers come and go, so that no entry is written for each of them.
#[test]
fn connecting_a_server_changes_the_split() {
    let of = |servers: Json| {
        let case =
            Case::of(&json!({ "model": { "id": "claude-opus-5" }, "mcp": { "servers": servers } }));
        case.deliver(Target::Anthropic).0.body
    };
    let marked = |body: &Json| {
        body["tools"].as_array().unwrap().last().unwrap().get("cache_control").is_some()
    };
    assert!(marked(&of(json!([]))) && !marked(&of(json!([{ "name": "a" }]))));
}
