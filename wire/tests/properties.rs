//! What must hold for any stream and any request, hostile ones included.

mod common;

use std::path::Path;

use common::{blocks, check, converted, random_pieces, sse};
use promptweave_wire::{AbilityData, Target, answer, fold, request};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn word() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("a".into()), Just("<f>\"\\".into()), "\\PC{0,6}"]
}

fn index() -> impl Strategy<Value = Json> {
    prop_oneof![
        (0_u64..4).prop_map(Json::from),
        Just(Json::Null),
        Just(json!(-1)),
        Just(json!("x"))
    ]
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![Just("{}".into()), Just("{\"a\"".into()), Just(":1}".into()), word()]
}

fn reason() -> impl Strategy<Value = Json> {
    let words = [
        "",
        "stop",
        "length",
        "tool_calls",
        "content_filter",
        "error",
        "STOP",
        "MAX_TOKENS",
        "SAFETY",
        "MALFORMED_FUNCTION_CALL",
        "end_turn",
        "tool_use",
        "max_tokens",
        "pause_turn",
        "odd",
    ];
    prop_oneof![Just(Json::Null), proptest::sample::select(words.to_vec()).prop_map(Json::from)]
}

/// Any JSON, mostly small.
fn junk() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        word().prop_map(Json::from),
    ];
    let keys = proptest::sample::select(vec![
        "type",
        "choices",
        "delta",
        "content",
        "tool_calls",
        "function",
        "usage",
        "message",
        "error",
        "candidates",
        "parts",
        "response",
        "item",
        "output",
        "start",
        "toolUse",
        "contentBlockDelta",
        "index",
        "id",
        "name",
    ]);
    leaf.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            proptest::collection::btree_map(keys.clone().prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| map.into_iter().collect()),
        ]
    })
}

fn chat() -> impl Strategy<Value = Json> {
    let call = (index(), proptest::option::of(word()), proptest::option::of(word()), arguments())
        .prop_map(|(index, id, name, arguments)| {
            json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } })
        });
    let delta = prop_oneof![
        word().prop_map(|text| json!({ "content": text })),
        word().prop_map(|text| json!({ "reasoning_content": text })),
        proptest::collection::vec(call, 0..3).prop_map(|calls| json!({ "tool_calls": calls })),
        junk(),
    ];
    (delta, reason()).prop_map(|(delta, reason)| {
        json!({ "id": "c", "choices": [{ "delta": delta, "finish_reason": reason }] })
    })
}

fn responses() -> impl Strategy<Value = Json> {
    let kinds = proptest::sample::select(vec![
        "created",
        "output_item.added",
        "output_text.delta",
        "reasoning_text.delta",
        "refusal.delta",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
        "completed",
        "incomplete",
        "failed",
        "reasoning_summary_part.added",
    ]);
    let items = proptest::sample::select(vec!["message", "function_call", "reasoning", "other"]);
    (kinds, index(), items, word(), arguments()).prop_map(|(kind, index, item, word, arguments)| {
        let item = json!({ "type": item, "id": word, "call_id": word, "name": word, "arguments": arguments,
            "content": [{ "type": "output_text", "text": word }] });
        json!({ "type": format!("response.{kind}"), "output_index": index, "delta": arguments,
            "arguments": arguments, "item": item, "response": { "status": kind, "output": [item] } })
    })
}

fn gemini() -> impl Strategy<Value = Json> {
    let part = prop_oneof![
        word().prop_map(|text| json!({ "text": text })),
        word().prop_map(|text| json!({ "text": text, "thought": true, "thoughtSignature": "s" })),
        (word(), junk()).prop_map(|(name, args)| {
            json!({ "functionCall": { "name": name, "args": args }, "thoughtSignature": "s" })
        }),
        junk(),
    ];
    (proptest::collection::vec(part, 0..3), reason()).prop_map(|(parts, reason)| {
        json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": reason }] })
    })
}

fn bedrock() -> impl Strategy<Value = Json> {
    (index(), word(), arguments(), 0..8_u8, reason()).prop_map(|(index, word, input, which, reason)| {
        match which {
            0 => json!({ "messageStart": {} }),
            1 => json!({ "contentBlockStart": { "contentBlockIndex": index, "start": { "toolUse": { "toolUseId": word, "name": word } } } }),
            2 => json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": { "toolUse": { "input": input } } } }),
            3 => json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": { "text": word } } }),
            4 => json!({ "contentBlockDelta": { "contentBlockIndex": index, "delta": { "reasoningContent": { "text": word, "signature": word } } } }),
            5 => json!({ "contentBlockStop": { "contentBlockIndex": index } }),
            6 => json!({ "messageStop": { "stopReason": reason } }),
            _ => json!({ "metadata": { "usage": { "inputTokens": 1 } } }),
        }
    })
}

fn anthropic() -> impl Strategy<Value = Json> {
    let kinds = proptest::sample::select(vec![
        "text",
        "thinking",
        "tool_use",
        "redacted_thinking",
        "future",
    ]);
    (index(), word(), arguments(), 0..8_u8, reason(), kinds).prop_map(|(index, word, input, which, reason, kind)| {
        match which {
            0 => json!({ "type": "message_start", "message": { "id": word, "usage": { "input_tokens": 1 } } }),
            1 => json!({ "type": "content_block_start", "index": index, "content_block": { "type": kind, "text": word, "id": word, "name": word, "input": {} } }),
            2 => json!({ "type": "content_block_delta", "index": index, "delta": { "type": "input_json_delta", "partial_json": input } }),
            3 => json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": word } }),
            4 => json!({ "type": "content_block_stop", "index": index }),
            5 => json!({ "type": "message_delta", "delta": { "stop_reason": reason }, "usage": {} }),
            6 => json!({ "type": "ping" }),
            _ => json!({ "type": "message_stop" }),
        }
    })
}

fn event(target: Target) -> BoxedStrategy<String> {
    let own = match target {
        Target::Anthropic | Target::Vertex => anthropic().boxed(),
        Target::Bedrock => bedrock().boxed(),
        Target::OpenAiChat | Target::OpenAiCompatible | Target::Xai => chat().boxed(),
        Target::OpenAiResponses => responses().boxed(),
        Target::Gemini => gemini().boxed(),
    };
    prop_oneof![
        12 => own.prop_map(|json| format!("data: {json}\n\n")),
        1 => junk().prop_map(|json| format!("data: {json}\r\n\r\n")),
        1 => Just(": still there\n\n".to_owned()),
        1 => Just("data: [DONE]\n\n".to_owned()),
    ]
    .boxed()
}

fn stream() -> impl Strategy<Value = (Target, String)> {
    proptest::sample::select(Target::ALL.to_vec()).prop_flat_map(|target| {
        let events = proptest::collection::vec(event(target), 0..12);
        (Just(target), events.prop_map(|events| events.concat()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_events_make_a_valid_stream((target, bytes) in stream(), seed in any::<u64>()) {
        let events = converted(target, [bytes.as_bytes()]);
        check(&events);
        let cut = converted(target, random_pieces(bytes.as_bytes(), seed));
        prop_assert_eq!(sse(&cut), sse(&events));
        // And the result is a stream that says the same when it is read again.
        let twice = converted(Target::Anthropic, [sse(&events).as_bytes()]);
        prop_assert_eq!(sse(&twice), sse(&events));
        prop_assert_eq!(blocks(&twice), blocks(&events));
        let _ = fold(&events);
    }

    #[test]
    fn any_bytes_make_a_valid_stream(
        target in proptest::sample::select(Target::ALL.to_vec()),
        bytes in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        check(&converted(target, [&bytes[..]]));
    }

    #[test]
    fn any_json_is_an_answer_or_a_failure(
        target in proptest::sample::select(Target::ALL.to_vec()), body in junk(),
    ) {
        if let Ok(message) = answer(target, common::answering(), &body) {
            prop_assert!(message["stop_reason"].is_string());
        }
    }

    #[test]
    fn any_json_is_a_request_or_refused(
        target in proptest::sample::select(Target::ALL.to_vec()), messages in junk(), extra in junk(),
    ) {
        let asked = json!({ "messages": messages, "system": extra, "tools": extra, "model": "x" });
        let _ = request(target, &AbilityData::builtin().abilities(target, "x"), &asked);
    }
}

fn block(role: &'static str) -> impl Strategy<Value = Json> {
    let mark = proptest::option::weighted(0.2, proptest::sample::select(vec!["5m", "1h"]));
    let id = proptest::sample::select(vec!["toolu_1", "toolu_2", "odd:id"]);
    let image = json!({ "type": "base64", "media_type": "image/png", "data": "AA==" });
    let kind = prop_oneof![
        word().prop_map(|text| json!({ "type": "text", "text": text })),
        (id.clone(), word()).prop_map(move |(id, text)| match role {
            "user" => json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": text.len() > 3 }),
            _ => json!({ "type": "tool_use", "id": id, "name": "read_file", "input": { "path": text } }),
        }),
        word().prop_map(move |text| match role {
            "user" => json!({ "type": "image", "source": image }),
            _ => json!({ "type": "thinking", "thinking": text, "signature": "c2ln" }),
        }),
    ];
    (kind, mark).prop_map(|(mut block, mark)| {
        if let Some(ttl) = mark.filter(|_| block["type"] != "thinking") {
            block["cache_control"] = json!({ "type": "ephemeral", "ttl": ttl });
        }
        block
    })
}

fn asked() -> impl Strategy<Value = Json> {
    let turn = (
        proptest::collection::vec(block("user"), 1..4),
        proptest::collection::vec(block("assistant"), 1..4),
    );
    let choice = proptest::sample::select(vec!["auto", "any", "none"]);
    let last = proptest::collection::vec(block("user"), 1..3);
    (proptest::collection::vec(turn, 0..4), last, choice, word(), any::<bool>()).prop_map(
        |(turns, last, choice, system, auto)| {
            let mut messages = Vec::new();
            for (user, assistant) in turns {
                messages.push(json!({ "role": "user", "content": user }));
                messages.push(json!({ "role": "assistant", "content": assistant }));
            }
            messages.push(json!({ "role": "user", "content": last }));
            let tool = json!({ "name": "read_file", "input_schema": { "type": "object", "properties": { "path": { "type": "string" } } } });
            let mut asked = json!({ "max_tokens": 100, "messages": messages, "tools": [tool], "tool_choice": { "type": choice },
                "system": [{ "type": "text", "text": system }] });
            if auto {
                asked["cache_control"] = json!({ "type": "ephemeral" });
            }
            asked
        },
    )
}

const MODELS: &[(Target, &str)] = &[
    (Target::Anthropic, "claude-opus-4-5"),
    (Target::Vertex, "claude-opus-5"),
    (Target::Bedrock, "amazon.nova-pro-v1:0"),
    (Target::Bedrock, "claude-opus-4-5"),
    (Target::OpenAiChat, "gpt-5.6"),
    (Target::OpenAiChat, "gpt-4o"),
    (Target::OpenAiResponses, "gpt-5.6"),
    (Target::OpenAiCompatible, "deepseek-v4"),
    (Target::OpenAiCompatible, "gemma3"),
    (Target::Xai, "grok-4.5"),
    (Target::Gemini, "gemini-3-pro"),
    (Target::Gemini, "gemma-3"),
];

/// The list of messages of a body.
fn messages(target: Target, body: &Json) -> Vec<Json> {
    let key = match target {
        Target::OpenAiResponses => "input",
        Target::Gemini => "contents",
        _ => "messages",
    };
    body[key].as_array().expect("a list").clone()
}

/// Takes out all marks.
fn unmarked(json: &mut Json) {
    match json {
        Json::Object(object) => {
            object.remove("cache_control");
            object.values_mut().for_each(unmarked);
        }
        Json::Array(list) => list.iter_mut().for_each(unmarked),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_request_fits_the_documented_shapes(asked in asked()) {
        for (target, model) in MODELS {
            let abilities = AbilityData::builtin().abilities(*target, model);
            let mut asked = asked.clone();
            asked["model"] = (*model).into();
            let out = request(*target, &abilities, &asked).unwrap();
            // What is left may be no message at all; then there is nothing to send.
            if messages(*target, &out.body).is_empty() {
                continue;
            }
            let wrong: Vec<String> = schema(*target).iter_errors(&out.body)
                .map(|error| format!("{}: {error}", error.instance_path())).collect();
            prop_assert!(wrong.is_empty(), "{:?} {:?}", target, wrong);
        }
    }

    #[test]
    fn what_was_sent_stays_when_more_is_said(asked in asked()) {
        let mut asked = asked;
        unmarked(&mut asked);
        for (target, model) in MODELS {
            let abilities = AbilityData::builtin().abilities(*target, model);
            let sent = |asked: &Json| {
                let body = request(*target, &abilities, asked).unwrap().body;
                messages(*target, &body)
            };
            let all = sent(&asked);
            let count = asked["messages"].as_array().unwrap().len();
            if count > 2 {
                let mut shorter = asked.clone();
                let kept: Vec<Json> = asked["messages"].as_array().unwrap()[..count - 2].to_vec();
                shorter["messages"] = kept.into();
                let fewer = sent(&shorter);
                // Messages that became empty let their neighbours join: the last one may go on.
                let same = fewer.len().saturating_sub(1);
                prop_assert_eq!(&all[..same], &fewer[..same], "{:?}", target);
            }
        }
    }
}

fn schema(target: Target) -> &'static jsonschema::Validator {
    use std::collections::BTreeMap;
    use std::sync::OnceLock;
    static ALL: OnceLock<BTreeMap<Target, jsonschema::Validator>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
        let read = |target: &Target| {
            let bytes =
                std::fs::read(folder.join(format!("{}.json", target.as_str()))).expect("a file");
            let schema = serde_json::from_slice::<Json>(&bytes).expect("JSON");
            (*target, jsonschema::validator_for(&schema).expect("a schema"))
        };
        Target::ALL.iter().map(read).collect()
    });
    &all[&target]
}
