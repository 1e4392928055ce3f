//! One answer as each provider tells it: reasoning, text and two calls end as the same blocks, whole, cut and partial.

mod common;

use common::{blocks, check, converted};
use promptweave_wire::Target;
use serde_json::{Value as Json, json};

fn sse(events: &[Json]) -> Vec<String> {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn chat() -> Vec<String> {
    let chunk = |delta: Json, finish: Json| json!({ "id": "c", "choices": [{ "delta": delta, "finish_reason": finish }] });
    let call = |index: u8, id: Json, name: Json, arguments: &str| {
        let call = json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } });
        chunk(json!({ "tool_calls": [call] }), Json::Null)
    };
    let mut all = sse(&[
        chunk(json!({ "reasoning_content": "hm" }), Json::Null),
        chunk(json!({ "content": "I " }), Json::Null),
        chunk(json!({ "content": "look." }), Json::Null),
        call(0, json!("a"), json!("f"), ""),
        call(0, Json::Null, Json::Null, "{\"n\":"),
        call(0, Json::Null, Json::Null, "1}"),
        call(1, json!("b"), json!("g"), "{\"s\":\"ü\"}"),
        chunk(json!({}), json!("tool_calls")),
    ]);
    all.push("data: [DONE]\n\n".into());
    all
}

fn responses() -> Vec<String> {
    let call = |key: u8, name: &str, arguments: &str| {
        json!({ "type": "response.output_item.done", "output_index": key, "item": {
            "type": "function_call", "call_id": name, "name": name, "arguments": arguments } })
    };
    sse(&[
        json!({ "type": "response.created", "response": { "id": "r" } }),
        json!({ "type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "hm" }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": { "type": "reasoning", "id": "rs" } }),
        json!({ "type": "response.output_text.delta", "output_index": 1, "delta": "I " }),
        json!({ "type": "response.output_text.delta", "output_index": 1, "delta": "look." }),
        call(2, "f", "{\"n\":1}"),
        call(3, "g", "{\"s\":\"ü\"}"),
        json!({ "type": "response.completed", "response": { "status": "completed" } }),
    ])
}

fn gemini() -> Vec<String> {
    let chunk = |parts: Json, finish: Json| json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": finish }] });
    sse(&[
        chunk(json!([{ "text": "hm", "thought": true }]), Json::Null),
        chunk(json!([{ "text": "I " }]), Json::Null),
        chunk(json!([{ "text": "look." }]), Json::Null),
        chunk(json!([{ "functionCall": { "name": "f", "args": { "n": 1 } } }]), Json::Null),
        chunk(json!([{ "functionCall": { "name": "g", "args": { "s": "ü" } } }]), json!("STOP")),
    ])
}

fn bedrock() -> Vec<String> {
    let delta = |key: u8, delta: Json| json!({ "contentBlockDelta": { "contentBlockIndex": key, "delta": delta } });
    let call = |key: u8, name: &str| json!({ "contentBlockStart": { "contentBlockIndex": key, "start": { "toolUse": { "toolUseId": name, "name": name } } } });
    let stop = |key: u8| json!({ "contentBlockStop": { "contentBlockIndex": key } });
    sse(&[
        json!({ "messageStart": { "role": "assistant" } }),
        delta(0, json!({ "reasoningContent": { "text": "hm" } })),
        stop(0),
        delta(1, json!({ "text": "I " })),
        delta(1, json!({ "text": "look." })),
        stop(1),
        call(2, "f"),
        delta(2, json!({ "toolUse": { "input": "{\"n\":1}" } })),
        stop(2),
        call(3, "g"),
        delta(3, json!({ "toolUse": { "input": "{\"s\":\"ü\"}" } })),
        stop(3),
        json!({ "messageStop": { "stopReason": "tool_use" } }),
        json!({ "metadata": {} }),
    ])
}

fn anthropic() -> Vec<String> {
    let start = |key: u8, block: Json| json!({ "type": "content_block_start", "index": key, "content_block": block });
    let delta = |key: u8, delta: Json| json!({ "type": "content_block_delta", "index": key, "delta": delta });
    let stop = |key: u8| json!({ "type": "content_block_stop", "index": key });
    let call = |name: &str| json!({ "type": "tool_use", "id": name, "name": name, "input": {} });
    let input = |json: &str| json!({ "type": "input_json_delta", "partial_json": json });
    let text = |text: &str| json!({ "type": "text_delta", "text": text });
    sse(&[
        json!({ "type": "message_start", "message": { "id": "msg_1" } }),
        start(0, json!({ "type": "thinking", "thinking": "" })),
        delta(0, json!({ "type": "thinking_delta", "thinking": "hm" })),
        stop(0),
        start(1, json!({ "type": "text", "text": "" })),
        delta(1, text("I ")),
        delta(1, text("look.")),
        stop(1),
        start(2, call("f")),
        delta(2, input("{\"n\":1}")),
        stop(2),
        start(3, call("g")),
        delta(3, input("{\"s\":\"ü\"}")),
        stop(3),
        json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
        json!({ "type": "message_stop" }),
    ])
}

/// The blocks without what each provider has of its own.
fn plain(target: Target, bytes: &str) -> Vec<Json> {
    let events = converted(target, [bytes.as_bytes()]);
    check(&events);
    let mut blocks = blocks(&events);
    for block in &mut blocks {
        let object = block.as_object_mut().expect("an object");
        ["id", "signature"].iter().for_each(|key| _ = object.remove(*key));
    }
    blocks
}

fn all() -> Vec<(Target, Vec<String>)> {
    vec![
        (Target::Anthropic, anthropic()),
        (Target::Vertex, anthropic()),
        (Target::Bedrock, bedrock()),
        (Target::OpenAiChat, chat()),
        (Target::OpenAiCompatible, chat()),
        (Target::Xai, chat()),
        (Target::OpenAiResponses, responses()),
        (Target::Gemini, gemini()),
    ]
}

#[test]
fn whole_answers_are_the_same() {
    let call = |name: &str, params: Json| json!({ "type": "tool_use", "name": name, "params": params, "partial": false, "end": "text", "native": true });
    let expected = [
        json!({ "type": "reasoning", "content": "hm", "partial": false }),
        json!({ "type": "text", "content": "I look.", "partial": false }),
        call("f", json!({ "n": 1 })),
        call("g", json!({ "s": "ü" })),
    ];
    for (target, events) in all() {
        assert_eq!(plain(target, &events.concat()), expected, "{target:?}");
    }
}

/// Cut anywhere, what there is of the blocks is a beginning of them, and no call is complete whose input is not.
#[test]
fn cut_answers_are_beginnings() {
    for (target, events) in all() {
        let whole = plain(target, &events.concat());
        for count in 0..events.len() {
            let cut = plain(target, &events[..count].concat());
            assert!(cut.len() <= whole.len(), "{target:?}");
            // Until the answer has ended, its last call may be a half, however whole it looks.
            if count + 2 < events.len() {
                let last = cut.last().filter(|block| block["type"] == "tool_use");
                assert!(last.is_none_or(|call| call["partial"] == true), "{target:?} {cut:?}");
            }
            for (cut, whole) in cut.iter().zip(&whole) {
                match cut["type"].as_str() {
                    Some("tool_use") => {
                        assert_eq!(cut["name"], whole["name"]);
                        let is_whole = cut["params"] == whole["params"];
                        assert!(is_whole || cut["partial"] == true, "{target:?} {cut}");
                    }
                    _ => {
                        let (cut, whole) = (cut["content"].as_str(), whole["content"].as_str());
                        assert!(whole.expect("text").starts_with(cut.expect("text")), "{target:?}");
                    }
                }
            }
        }
    }
}
