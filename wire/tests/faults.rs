//! Faults that users of other converters reported, each named after its report. The cases are written from the reports'
//! descriptions; each fails in the design that it is about.

mod common;

use common::{answering, check, converted};
use promptweave_wire::{
    AbilityData, Delta, NoteCode, Outgoing, StartBlock, Stop, StreamEvent, Target, answer, fold,
    request,
};
use serde_json::{Value as Json, json};

fn sent(target: Target, model: &str, asked: &Json) -> Outgoing {
    let mut asked = asked.clone();
    asked["model"] = model.into();
    if asked.get("max_tokens").is_none() {
        asked["max_tokens"] = 100.into();
    }
    request(target, &AbilityData::builtin().abilities(target, model), &asked).expect("a request")
}

fn noted(out: &Outgoing, code: NoteCode) -> bool {
    out.notes.iter().any(|note| note.code == code)
}

fn streamed(target: Target, events: &[Json]) -> Vec<StreamEvent> {
    let bytes: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let events = converted(target, [bytes.as_bytes()]);
    check(&events);
    events
}

fn chunk(delta: Json, finish: Json) -> Json {
    json!({ "id": "c", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

fn stop(events: &[StreamEvent]) -> Stop {
    let stop = events.iter().find_map(|event| match event {
        StreamEvent::MessageDelta { stop_reason, .. } => Some(stop_reason.clone()),
        _ => None,
    });
    stop.expect("a reason")
}

fn count(events: &[StreamEvent], name: &str) -> usize {
    events.iter().filter(|event| event.name() == name).count()
}

/// All values at a key, at any depth.
fn all<'j>(json: &'j Json, key: &str, found: &mut Vec<&'j Json>) {
    match json {
        Json::Object(object) => object.iter().for_each(|(name, value)| {
            if name == key {
                found.push(value);
            }
            all(value, key, found);
        }),
        Json::Array(list) => list.iter().for_each(|value| all(value, key, found)),
        _ => {}
    }
}

fn marks(body: &Json) -> usize {
    ["cache_control", "cachePoint", "prompt_cache_breakpoint"]
        .iter()
        .map(|key| {
            let mut found = Vec::new();
            all(body, key, &mut found);
            found.len()
        })
        .sum()
}

fn read_file() -> Json {
    json!({ "name": "read_file", "input_schema": { "type": "object", "properties": { "path": { "type": "string" } } } })
}

fn marked(text: &str) -> Json {
    json!({ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } })
}

fn user(content: Json) -> Json {
    json!({ "role": "user", "content": content })
}

fn with_result(result: Json) -> Json {
    let call = json!({ "type": "tool_use", "id": "toolu_1", "name": "read_file", "input": { "path": "a" } });
    json!({ "tools": [read_file()], "messages": [
        user(json!("Read")), { "role": "assistant", "content": [call] }, user(json!([result])),
    ] })
}

#[test]
fn f01_litellm_32357_one_start_and_thoughts_in_blocks_of_their_own() {
    let events = streamed(
        Target::OpenAiCompatible,
        &[
            chunk(json!({ "role": "assistant", "content": "" }), Json::Null),
            chunk(json!({ "content": "a" }), Json::Null),
            chunk(json!({ "reasoning_content": "b" }), Json::Null),
            chunk(json!({}), json!("stop")),
        ],
    );
    assert_eq!(count(&events, "message_start"), 1);
    let mut kind = None;
    for event in &events {
        match event {
            StreamEvent::BlockStart { block, .. } => kind = Some(block.clone()),
            StreamEvent::BlockDelta { delta: Delta::Thinking(_), .. } => {
                assert_eq!(kind, Some(StartBlock::Thinking));
            }
            _ => {}
        }
    }
}

#[test]
fn f02_litellm_25321_arguments_that_come_when_done_are_not_lost() {
    let item = json!({ "type": "function_call", "call_id": "c", "name": "f", "arguments": "" });
    let events = streamed(
        Target::OpenAiResponses,
        &[
            json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
            json!({ "type": "response.function_call_arguments.done", "output_index": 0, "arguments": "{\"a\":1}" }),
            json!({ "type": "response.completed", "response": { "status": "completed" } }),
        ],
    );
    assert_eq!(fold(&events).unwrap()["content"][0]["input"], json!({ "a": 1 }));
}

#[test]
fn f03_litellm_34692_a_call_wants_its_result_and_empty_text_opens_nothing() {
    let call = json!([{ "index": 0, "id": "c", "function": { "name": "f", "arguments": "{}" } }]);
    let events = streamed(
        Target::OpenAiChat,
        &[
            chunk(json!({ "content": "" }), Json::Null),
            chunk(json!({ "content": "", "tool_calls": call }), Json::Null),
            chunk(json!({}), json!("stop")),
        ],
    );
    assert_eq!(stop(&events), Stop::ToolUse);
    assert_eq!(count(&events, "content_block_start"), 1);
}

#[test]
fn f04_litellm_37118_stop_sequences_are_sent_or_told() {
    let asked = json!({ "stop_sequences": ["END"], "messages": [user(json!("Hi"))] });
    for (target, model, pointer) in [
        (Target::OpenAiChat, "gpt-4.1", "/stop"),
        (Target::OpenAiCompatible, "x", "/stop"),
        (Target::Gemini, "gemini-2.5-pro", "/generationConfig/stopSequences"),
        (Target::Bedrock, "claude", "/inferenceConfig/stopSequences"),
        (Target::Vertex, "claude", "/stop_sequences"),
    ] {
        let out = sent(target, model, &asked);
        assert_eq!(out.body.pointer(pointer), Some(&json!(["END"])), "{target:?}");
    }
    assert!(noted(&sent(Target::OpenAiResponses, "gpt-5.6", &asked), NoteCode::StopDropped));
}

#[test]
fn f05_litellm_9969_all_system_blocks_arrive() {
    let system = json!([{ "type": "text", "text": "One." }, { "type": "text", "text": "Two." }]);
    let asked = json!({ "system": system, "messages": [user(json!("Hi"))] });
    for target in Target::ALL {
        let body = sent(*target, "x", &asked).body.to_string();
        assert!(body.contains("One.") && body.contains("Two."), "{target:?}");
    }
}

#[test]
fn f06_litellm_26320_automatic_caching_becomes_a_mark_where_it_is_refused() {
    let asked =
        json!({ "cache_control": { "type": "ephemeral" }, "messages": [user(json!("Hi"))] });
    let bedrock = sent(Target::Bedrock, "claude", &asked);
    assert_eq!(bedrock.body["messages"][0]["content"][1]["cachePoint"]["type"], "default");
    let vertex = sent(Target::Vertex, "claude", &asked);
    assert!(vertex.body.get("cache_control").is_none());
    assert_eq!(vertex.body["messages"][0]["content"][0]["cache_control"]["type"], "ephemeral");
    assert!(noted(&bedrock, NoteCode::MarkMoved) && noted(&vertex, NoteCode::MarkMoved));
}

#[test]
fn f07_litellm_17479_nova_gets_no_point_beside_a_result() {
    let result = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "A", "cache_control": { "type": "ephemeral" } });
    let out = sent(Target::Bedrock, "amazon.nova-pro-v1:0", &with_result(result.clone()));
    assert_eq!(marks(&out.body), 0);
    assert!(noted(&out, NoteCode::MarkDropped));
    assert_eq!(
        marks(&sent(Target::Bedrock, "anthropic.claude-sonnet-4-5", &with_result(result)).body),
        1
    );
}

#[test]
fn f08_litellm_29823_an_arn_without_a_name_keeps_its_marks() {
    let asked = json!({ "system": [marked("S")], "messages": [user(json!("Hi"))] });
    let arn = "arn:aws:bedrock:us-east-1:1:application-inference-profile/a1b2";
    assert_eq!(marks(&sent(Target::Bedrock, arn, &asked).body), 1);
}

#[test]
fn f09_litellm_29600_a_chunk_of_reasoning_alone_opens_a_block() {
    let events = streamed(
        Target::OpenAiCompatible,
        &[chunk(json!({ "reasoning_content": "hm" }), Json::Null), chunk(json!({}), json!("stop"))],
    );
    assert_eq!(fold(&events).unwrap()["content"][0]["thinking"], "hm");
}

#[test]
fn f10_litellm_31551_a_responses_shaped_answer_is_an_answer() {
    let part = json!({ "type": "output_text", "text": "Hi" });
    let body = json!({ "id": "r", "object": "response", "model": "m", "status": "completed",
        "output": [{ "type": "message", "content": [part] }] });
    let message = answer(Target::OpenAiChat, answering(), &body).unwrap();
    assert_eq!(message["content"][0]["text"], "Hi");
}

#[test]
fn f11_headroom_2151_marks_of_system_blocks_survive() {
    let asked = json!({ "system": [marked("A"), marked("B")], "messages": [user(json!("Hi"))] });
    for (target, model) in [
        (Target::Anthropic, "claude-opus-4-5"),
        (Target::Vertex, "claude-opus-4-5"),
        (Target::Bedrock, "claude-opus-4-5"),
        (Target::OpenAiChat, "gpt-5.6"),
        (Target::OpenAiResponses, "gpt-5.6"),
    ] {
        assert_eq!(marks(&sent(target, model, &asked).body), 2, "{target:?}");
    }
    assert!(noted(&sent(Target::Gemini, "gemini-3-pro", &asked), NoteCode::MarkDropped));
}

#[test]
fn f12_headroom_2939_no_hour_follows_five_minutes() {
    let hour = json!({ "type": "text", "text": "S", "cache_control": { "type": "ephemeral", "ttl": "1h" } });
    let mut tool = read_file();
    tool["cache_control"] = json!({ "type": "ephemeral" });
    let asked = json!({ "tools": [tool], "system": [hour], "messages": [user(json!("Hi"))] });
    let out = sent(Target::Anthropic, "claude-opus-4-5", &asked);
    assert_eq!(out.body["system"][0]["cache_control"], json!({ "type": "ephemeral" }));
    assert!(noted(&out, NoteCode::TtlLowered));
}

#[test]
fn f13_hebo_190_a_mark_on_a_block_and_automatic_caching_both_hold() {
    let asked = json!({ "cache_control": { "type": "ephemeral" },
        "messages": [user(json!([marked("Hi")])), { "role": "assistant", "content": "ok" }, user(json!("Bye"))] });
    assert_eq!(marks(&sent(Target::Anthropic, "claude-opus-4-5", &asked).body), 2);
    assert_eq!(marks(&sent(Target::Vertex, "claude-opus-4-5", &asked).body), 2);
}

#[test]
fn f14_gcmp_370_there_are_never_five_marks() {
    let mut tool = read_file();
    tool["cache_control"] = json!({ "type": "ephemeral" });
    let asked = json!({ "cache_control": { "type": "ephemeral" }, "tools": [tool], "system": [marked("S")],
        "messages": [user(json!([marked("a"), marked("b"), marked("c")])), { "role": "assistant", "content": "ok" }, user(json!("Bye"))] });
    for target in [Target::Anthropic, Target::Vertex, Target::Bedrock] {
        let out = sent(target, "claude-opus-4-5", &asked);
        assert_eq!(marks(&out.body), 4, "{target:?}");
        assert!(noted(&out, NoteCode::MarksOver));
    }
}

#[test]
fn f15_hermes_11970_converse_gets_points() {
    let asked = json!({ "system": [marked("S")], "messages": [user(json!([marked("Hi")]))] });
    let out = sent(Target::Bedrock, "us.anthropic.claude-opus-4-5-20251101-v1:0", &asked);
    assert_eq!(marks(&out.body), 2);
    assert!(!out.body.to_string().contains("cache_control"));
}

#[test]
fn f16_rust_genai_130_a_mark_on_the_first_system_block_counts() {
    let asked = json!({ "system": [marked("S"), { "type": "text", "text": "T" }], "messages": [user(json!("Hi"))] });
    let out = sent(Target::Anthropic, "claude-opus-4-5", &asked);
    assert!(out.body["system"][0].get("cache_control").is_some());
}

#[test]
fn f17_rust_genai_258_cache_counts_that_come_at_the_end_are_told() {
    let usage = json!({ "output_tokens": 3, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20 });
    let events = streamed(
        Target::Anthropic,
        &[
            json!({ "type": "message_start", "message": { "id": "msg_1", "model": "m", "usage": { "input_tokens": 9 } } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": usage }),
            json!({ "type": "message_stop" }),
        ],
    );
    let usage = &fold(&events).unwrap()["usage"];
    assert_eq!(
        (
            &usage["input_tokens"],
            &usage["cache_read_input_tokens"],
            &usage["cache_creation_input_tokens"]
        ),
        (&json!(9), &json!(70), &json!(20))
    );
}

#[test]
fn f18_rust_genai_240_automatic_caching_is_never_ignored_silently() {
    let asked =
        json!({ "cache_control": { "type": "ephemeral" }, "messages": [user(json!("Hi"))] });
    let out = sent(Target::Anthropic, "claude-opus-4-5", &asked);
    assert_eq!(out.body["cache_control"]["type"], "ephemeral");
    assert_eq!(marks(&sent(Target::Bedrock, "claude-opus-4-5", &asked).body), 1);
}

#[test]
fn f19_vercel_2888_assistants_messages_keep_marks() {
    let asked = json!({ "messages": [user(json!("Hi")), { "role": "assistant", "content": [marked("Hello.")] }, user(json!("Bye"))] });
    for target in [Target::Anthropic, Target::Vertex, Target::Bedrock] {
        assert_eq!(
            marks(&sent(target, "claude-opus-4-5", &asked).body["messages"][1]),
            1,
            "{target:?}"
        );
    }
}

#[test]
fn f20_vercel_5942_messages_of_several_parts_keep_marks() {
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AA==" } });
    let asked = json!({ "messages": [user(json!([image, marked("What?")]))] });
    for (target, model) in [
        (Target::Anthropic, "claude-opus-4-5"),
        (Target::Bedrock, "claude"),
        (Target::OpenAiChat, "gpt-5.6"),
    ] {
        assert_eq!(marks(&sent(target, model, &asked).body), 1, "{target:?}");
    }
}

#[test]
fn f21_vercel_7612_system_text_among_messages_keeps_its_mark() {
    let asked = json!({ "messages": [user(json!("Hi")), { "role": "system", "content": [marked("Plan.")] }] });
    for (target, model) in [
        (Target::Anthropic, "claude-opus-4-8"),
        (Target::Vertex, "claude-opus-4-8"),
        (Target::OpenAiChat, "gpt-5.6"),
    ] {
        assert_eq!(marks(&sent(target, model, &asked).body), 1, "{target:?}");
    }
}

#[test]
fn f22_cliproxyapi_876_a_later_stop_does_not_undo_calls() {
    let part = |part: Json, finish: Json| json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": finish }] });
    let events = streamed(
        Target::Gemini,
        &[
            part(json!({ "functionCall": { "name": "f", "args": {} } }), Json::Null),
            part(json!({ "text": "" }), json!("STOP")),
        ],
    );
    assert_eq!(stop(&events), Stop::ToolUse);
}

#[test]
fn f23_workbuddy_3_an_empty_reason_is_none() {
    let call = json!([{ "index": 0, "id": "c", "function": { "name": "f", "arguments": "{}" } }]);
    let events = streamed(
        Target::OpenAiCompatible,
        &[
            chunk(json!({ "content": "a" }), json!("")),
            chunk(json!({ "tool_calls": call }), json!("")),
            chunk(json!({}), json!("length")),
        ],
    );
    assert_eq!(stop(&events), Stop::MaxTokens);
    let cut = streamed(Target::OpenAiCompatible, &[chunk(json!({ "content": "a" }), json!(""))]);
    assert!(matches!(cut.last(), Some(StreamEvent::Error(_))));
}

#[test]
fn f24_opencode2api_27_without_a_call_nothing_waits_for_a_result() {
    let events = streamed(
        Target::OpenAiChat,
        &[chunk(json!({ "content": "a" }), Json::Null), chunk(json!({}), json!("tool_calls"))],
    );
    assert_eq!(stop(&events), Stop::EndTurn);
}

#[test]
fn f25_cliproxyapi_3133_a_cut_stream_closes_its_block_and_fails() {
    let events = streamed(Target::OpenAiChat, &[chunk(json!({ "content": "a" }), Json::Null)]);
    assert_eq!(count(&events, "content_block_stop"), 1);
    assert!(matches!(events.last(), Some(StreamEvent::Error(_))));
}

#[test]
fn f26_jcode_518_signatures_come_back_in_the_next_turn() {
    let call = json!({ "functionCall": { "name": "read_file", "args": { "path": "a" } }, "thoughtSignature": "c2ln" });
    let body =
        json!({ "candidates": [{ "content": { "parts": [call] }, "finishReason": "STOP" }] });
    let message = answer(Target::Gemini, answering(), &body).unwrap();
    let id = message["content"][1]["id"].clone();
    let result = json!({ "type": "tool_result", "tool_use_id": id, "content": "A" });
    let asked = json!({ "tools": [read_file()], "messages": [
        user(json!("Read")), { "role": "assistant", "content": message["content"] }, user(json!([result])),
    ] });
    let out = sent(Target::Gemini, "gemini-3-pro", &asked);
    assert_eq!(out.body["contents"][1]["parts"][0]["thoughtSignature"], "c2ln");
    assert!(!noted(&out, NoteCode::SignatureMissing));
    // And to nobody else.
    for target in [Target::Anthropic, Target::OpenAiChat, Target::Bedrock] {
        assert!(!sent(target, "x", &asked).body.to_string().contains("c2ln"), "{target:?}");
    }
}

#[test]
fn f27_cliproxyapi_97_gemini_gets_no_schema_keyword_that_it_refuses() {
    let tool = json!({ "name": "f", "input_schema": { "$schema": "x", "type": "object", "additionalProperties": false,
        "properties": { "a": { "type": ["string", "null"], "$comment": "x" } } } });
    let out = sent(
        Target::Gemini,
        "gemini-2.5-pro",
        &json!({ "tools": [tool], "messages": [user(json!("Hi"))] }),
    );
    let parameters = &out.body["tools"][0]["functionDeclarations"][0]["parameters"];
    assert_eq!(
        parameters,
        &json!({ "type": "object", "properties": { "a": { "type": "string", "nullable": true } } })
    );
    assert!(noted(&out, NoteCode::SchemaAdapted));
}

#[test]
fn f28_kibana_227096_a_malformed_call_is_no_success() {
    for word in ["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"] {
        let events = streamed(
            Target::Gemini,
            &[
                json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] }, "finishReason": word }] }),
            ],
        );
        assert!(matches!(events.last(), Some(StreamEvent::Error(_))), "{word}");
    }
}

#[test]
fn f29_pi_3636_reasoning_goes_back_where_it_must() {
    let call = json!({ "id": "c", "type": "function", "function": { "name": "read_file", "arguments": "{}" } });
    let said = json!({ "role": "assistant", "content": null, "reasoning_content": "I read.", "tool_calls": [call] });
    let body = json!({ "id": "x", "object": "chat.completion", "choices": [{ "message": said, "finish_reason": "tool_calls" }] });
    let message = answer(Target::OpenAiCompatible, answering(), &body).unwrap();
    let result = json!({ "type": "tool_result", "tool_use_id": "c", "content": "A" });
    let asked = json!({ "tools": [read_file()], "messages": [
        user(json!("Read")), { "role": "assistant", "content": message["content"] }, user(json!([result])),
    ] });
    let back =
        |model: &str| sent(Target::OpenAiCompatible, model, &asked).body["messages"][1].clone();
    assert_eq!(back("deepseek-v4")["reasoning_content"], "I read.");
    assert!(back("deepseek-r1").get("reasoning_content").is_none());
    assert!(back("deepseek-r1")["content"].is_null(), "never in the content");
}

#[test]
fn f30_free_claude_code_512_images_that_cannot_be_seen_do_not_fail_the_request() {
    let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "AA==" } });
    let out = sent(
        Target::OpenAiCompatible,
        "deepseek-chat",
        &json!({ "messages": [user(json!([image]))] }),
    );
    assert!(!out.body.to_string().contains("image_url"));
    assert!(noted(&out, NoteCode::ImageDropped));
}

#[test]
fn f31_claude_code_68900_the_attribution_block_reaches_nobody_else() {
    let system = json!([{ "type": "text", "text": "x-anthropic-billing-header: cc_version=1;" }, { "type": "text", "text": "Be brief." }]);
    let asked = json!({ "system": system, "messages": [user(json!("Hi"))] });
    for (target, model) in [
        (Target::OpenAiChat, "gpt-5.6"),
        (Target::OpenAiResponses, "gpt-5.6"),
        (Target::OpenAiCompatible, "qwen3"),
        (Target::Xai, "grok-4.5"),
        (Target::Gemini, "gemini-3-pro"),
        (Target::Bedrock, "amazon.nova-pro-v1:0"),
    ] {
        assert!(!sent(target, model, &asked).body.to_string().contains("billing"), "{target:?}");
    }
    let own = sent(Target::Anthropic, "claude-opus-4-5", &asked);
    assert_eq!(own.body["system"], asked["system"], "first, separate, unmodified");
}

#[test]
fn f32_claude_code_21644_the_scope_header_goes_with_a_scope_alone() {
    let scoped = json!({ "type": "text", "text": "S", "cache_control": { "type": "ephemeral", "scope": "global" } });
    let asked = json!({ "model": "m", "max_tokens": 9, "system": [scoped], "messages": [user(json!("Hi"))] });
    let mut abilities = AbilityData::builtin().abilities(Target::Anthropic, "m");
    let out = request(Target::Anthropic, &abilities, &asked).unwrap();
    assert!(!out.headers.contains_key("anthropic-beta") && noted(&out, NoteCode::ScopeDropped));
    abilities.scope = true.into();
    let out = request(Target::Anthropic, &abilities, &asked).unwrap();
    assert!(out.headers["anthropic-beta"].contains("scope"));
    let plain = json!({ "model": "m", "max_tokens": 9, "messages": [user(json!("Hi"))] });
    assert!(
        !request(Target::Anthropic, &abilities, &plain)
            .unwrap()
            .headers
            .contains_key("anthropic-beta")
    );
}

#[test]
fn f36_sdk_python_939_every_mark_stands_on_its_own_block_on_bedrock() {
    let asked = json!({ "system": [marked("S")], "messages": [
        user(json!([marked("a")])), { "role": "assistant", "content": [marked("b")] }, user(json!([marked("c")])),
    ] });
    let out = sent(Target::Bedrock, "claude-opus-4-5", &asked);
    assert_eq!(marks(&out.body), 4);
    for message in out.body["messages"].as_array().unwrap() {
        assert!(message["content"][1].get("cachePoint").is_some(), "behind the block it ends");
    }
}

#[test]
fn f37_crustly_38_inputs_arrive() {
    let call = |index: Option<&str>, arguments: &str| {
        let mut call = json!({ "index": 0, "function": { "arguments": arguments } });
        if let Some(name) = index {
            call["id"] = "c".into();
            call["function"]["name"] = name.into();
        }
        chunk(json!({ "tool_calls": [call] }), Json::Null)
    };
    let events = streamed(
        Target::OpenAiChat,
        &[
            call(Some("f"), ""),
            call(None, "{\"a\""),
            call(None, ":1}"),
            chunk(json!({}), json!("tool_calls")),
        ],
    );
    assert_eq!(fold(&events).unwrap()["content"][0]["input"], json!({ "a": 1 }));
}
