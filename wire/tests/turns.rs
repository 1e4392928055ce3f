//! Whole turns: what a provider answers goes back to it in the next request, and what it needs is there.

mod common;

use common::answering;
use promptweave_wire::{AbilityData, Target, answer, request};
use serde_json::{Value as Json, json};

/// The body of the request after an answer.
fn next(target: Target, model: &str, body: &Json) -> Json {
    let message = answer(target, answering(), body).expect("an answer");
    let content = message["content"].as_array().expect("blocks");
    let results = content.iter().filter(|block| block["type"] == "tool_use").map(|call| {
        json!({ "type": "tool_result", "tool_use_id": call["id"], "content": format!("of {}", call["input"]["n"]) })
    });
    let results: Vec<Json> = results.collect();
    let asked = json!({ "model": model, "max_tokens": 100,
        "tools": [{ "name": "f", "input_schema": { "type": "object", "properties": { "n": { "type": "integer" } } } }],
        "messages": [
            { "role": "user", "content": "Go" }, { "role": "assistant", "content": content },
            { "role": "user", "content": results },
        ] });
    let abilities = AbilityData::builtin().abilities(target, model);
    request(target, &abilities, &asked).expect("a request").body
}

#[test]
fn gemini_gets_its_parts_as_they_were() {
    let call = |n: u8| json!({ "functionCall": { "name": "f", "args": { "n": n } } });
    let mut first = call(1);
    first["thoughtSignature"] = "c2ln".into();
    let thought = json!({ "text": "hm", "thought": true, "thoughtSignature": "dGg=" });
    let parts = json!([thought, first, call(2)]);
    let body = json!({ "candidates": [{ "content": { "parts": parts }, "finishReason": "STOP" }] });
    let sent = next(Target::Gemini, "gemini-3-pro", &body);
    assert_eq!(sent["contents"][1]["parts"], parts);
    let response = |n: u8| json!({ "functionResponse": { "name": "f", "response": { "result": format!("of {n}") } } });
    assert_eq!(sent["contents"][2]["parts"], json!([response(1), response(2)]));
}

#[test]
fn responses_get_their_reasoning_items() {
    let call = json!({ "type": "function_call", "call_id": "call_1", "name": "f", "arguments": "{\"n\":1}" });
    let summed = json!({ "type": "reasoning", "id": "rs_1", "summary": [{ "type": "summary_text", "text": "hm" }], "encrypted_content": "gAAA" });
    let bare =
        json!({ "type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gBBB" });
    let body =
        json!({ "object": "response", "status": "completed", "output": [summed, bare, call] });
    let sent = next(Target::OpenAiResponses, "gpt-5.6", &body);
    let input = sent["input"].as_array().expect("items");
    assert_eq!(input[1..4], [summed, bare, call]);
    assert_eq!(
        input[4],
        json!({ "type": "function_call_output", "call_id": "call_1", "output": "of 1" })
    );
}

#[test]
fn bedrock_gets_its_reasoning() {
    let thought =
        json!({ "reasoningContent": { "reasoningText": { "text": "hm", "signature": "EqQB" } } });
    let redacted = json!({ "reasoningContent": { "redactedContent": "AAEC" } });
    let call = json!({ "toolUse": { "toolUseId": "tooluse_1", "name": "f", "input": { "n": 1 } } });
    let content = json!([thought, redacted, call]);
    let body = json!({ "output": { "message": { "content": content } }, "stopReason": "tool_use" });
    assert_eq!(next(Target::Bedrock, "claude-opus-4-5", &body)["messages"][1]["content"], content);
}

#[test]
fn anthropic_gets_its_blocks_as_they_were() {
    let content = json!([
        { "type": "thinking", "thinking": "hm", "signature": "EqQB" },
        { "type": "redacted_thinking", "data": "EmwK" },
        { "type": "tool_use", "id": "toolu_1", "name": "f", "input": { "n": 1 } },
    ]);
    let body =
        json!({ "type": "message", "id": "msg_1", "content": content, "stop_reason": "tool_use" });
    assert_eq!(
        next(Target::Anthropic, "claude-opus-4-5", &body)["messages"][1]["content"],
        content
    );
}

#[test]
fn chat_gets_ids_names_and_arguments() {
    let call = |id: &str, n: u8| json!({ "id": id, "type": "function", "function": { "name": "f", "arguments": format!("{{\"n\":{n}}}") } });
    let message = json!({ "role": "assistant", "content": "I look.", "tool_calls": [call("call_1", 1), call("call_2", 2)] });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "tool_calls" }] });
    for (target, model) in [
        (Target::OpenAiChat, "gpt-5.6"),
        (Target::OpenAiCompatible, "qwen3"),
        (Target::Xai, "grok-4.5"),
    ] {
        let sent = next(target, model, &body);
        assert_eq!(sent["messages"][1], message);
        assert_eq!(
            sent["messages"][3],
            json!({ "role": "tool", "tool_call_id": "call_2", "content": "of 2" })
        );
    }
}
