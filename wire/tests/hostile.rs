//! Answers and requests of servers and clients that do not keep to what they speak.

mod common;

use common::{answering, blocks, check, converted, sse};
use promptweave_wire::{
    AbilityData, FailureKind, NoteCode, RequestError, Stop, Stream, StreamEvent, Target, answer,
    fold, request,
};
use serde_json::{Value as Json, json};

fn sse_of(events: &[Json]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

/// The events, and the codes of what was told of them.
fn noted(target: Target, events: &[Json]) -> (Vec<StreamEvent>, Vec<NoteCode>) {
    let bytes = sse_of(events);
    let mut stream = Stream::new(target, answering());
    let mut out = stream.push(bytes.as_bytes());
    out.extend(stream.finish());
    check(&out);
    assert_eq!(out, converted(target, bytes.as_bytes().chunks(1)), "{target:?}");
    (out, stream.notes().iter().map(|note| note.code).collect())
}

fn streamed(target: Target, events: &[Json]) -> Vec<StreamEvent> {
    noted(target, events).0
}

fn chunk(delta: Json, finish: Json) -> Json {
    json!({ "id": "c", "model": "m", "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

fn call(index: usize, id: &str, name: &str, arguments: &str) -> Json {
    json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } })
}

/// A call whose input is this, and the reason at the end, in each API's words.
fn with_call(target: Target, input: &str, cut: bool) -> Vec<Json> {
    match target {
        Target::Anthropic | Target::Vertex => vec![
            json!({ "type": "message_start", "message": { "id": "msg_1", "usage": {} } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "tool_use", "id": "t", "name": "f", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": input } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": if cut { "max_tokens" } else { "tool_use" } }, "usage": {} }),
            json!({ "type": "message_stop" }),
        ],
        Target::Bedrock => vec![
            json!({ "messageStart": {} }),
            json!({ "contentBlockStart": { "contentBlockIndex": 0, "start": { "toolUse": { "toolUseId": "t", "name": "f" } } } }),
            json!({ "contentBlockDelta": { "contentBlockIndex": 0, "delta": { "toolUse": { "input": input } } } }),
            json!({ "contentBlockStop": { "contentBlockIndex": 0 } }),
            json!({ "messageStop": { "stopReason": if cut { "max_tokens" } else { "tool_use" } } }),
            json!({ "metadata": {} }),
        ],
        Target::OpenAiResponses => {
            let item = json!({ "type": "function_call", "call_id": "t", "name": "f" });
            let status = if cut { "incomplete" } else { "completed" };
            vec![
                json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
                json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": input }),
                json!({ "type": format!("response.{status}"), "response": { "status": status } }),
            ]
        }
        Target::Gemini => {
            let part = json!({ "functionCall": { "name": "f", "args": input } });
            vec![
                json!({ "candidates": [{ "content": { "parts": [part] }, "finishReason": if cut { "MAX_TOKENS" } else { "STOP" } }] }),
            ]
        }
        Target::OpenAiChat | Target::OpenAiCompatible | Target::Xai => vec![
            chunk(json!({ "tool_calls": [call(0, "t", "f", input)] }), Json::Null),
            chunk(json!({}), json!(if cut { "length" } else { "tool_calls" })),
        ],
    }
}

#[test]
fn a_call_that_is_cut_ends_cleanly_at_a_limit_alone() {
    for target in Target::ALL {
        for input in ["{\"path\": \"a", "{\"path\"", "{\"path\": nope}", "[1]", "{} {}"] {
            let events = streamed(*target, &with_call(*target, input, false));
            assert!(matches!(events.last(), Some(StreamEvent::Error(_))), "{target:?} {input}");
            let told = fold(&events).expect_err("no message");
            assert_eq!(told.kind, FailureKind::Api);
            let cut = streamed(*target, &with_call(*target, input, true));
            assert_eq!(cut.last(), Some(&StreamEvent::MessageStop), "{target:?} {input}");
            let message = fold(&cut).expect("a message");
            assert_eq!(
                (&message["stop_reason"], &message["content"]),
                (&json!("max_tokens"), &json!([]))
            );
        }
        for input in ["{\"path\": \"a\"}", " {} ", ""] {
            let events = streamed(*target, &with_call(*target, input, false));
            assert_eq!(events.last(), Some(&StreamEvent::MessageStop), "{target:?} {input}");
        }
    }
}

#[test]
fn only_the_last_call_may_be_a_half() {
    let calls = [call(0, "a", "f", "{\"x\""), call(1, "b", "g", "{}")];
    let events = streamed(
        Target::OpenAiChat,
        &[chunk(json!({ "tool_calls": calls }), Json::Null), chunk(json!({}), json!("length"))],
    );
    assert!(matches!(events.last(), Some(StreamEvent::Error(_))));
    // The bytes end, or `[DONE]` comes, and nobody said why.
    let open = [chunk(json!({ "tool_calls": [call(0, "a", "f", "{\"x\"")] }), Json::Null)];
    for end in ["", "data: [DONE]\n\n"] {
        let events = converted(Target::OpenAiChat, [(sse_of(&open) + end).as_bytes()]);
        check(&events);
        assert!(matches!(events.last(), Some(StreamEvent::Error(_))), "{end}");
    }
}

/// The names and inputs of the calls of a stream.
fn calls(events: &[StreamEvent]) -> Vec<(String, Json)> {
    let message = fold(events).expect("a message");
    let content = message["content"].as_array().expect("a list").iter();
    content
        .filter(|block| block["type"] == "tool_use")
        .map(|block| {
            (block["name"].as_str().unwrap_or_default().to_owned(), block["input"].clone())
        })
        .collect()
}

#[test]
fn calls_of_one_id_are_told_apart_by_index_and_name() {
    let expected = vec![("f".to_owned(), json!({ "a": 1 })), ("g".to_owned(), json!({ "b": 2 }))];
    let pieces = |second: usize| {
        [
            call(0, "same", "f", "{\"a\""),
            call(second, "same", "g", "{\"b\""),
            json!({ "index": 0, "id": "same", "function": { "arguments": ":1}" } }),
            json!({ "index": second, "id": "same", "function": { "arguments": ":2}" } }),
        ]
    };
    let stream = |pieces: &[Json]| {
        let mut events: Vec<Json> = pieces
            .iter()
            .map(|piece| chunk(json!({ "tool_calls": [piece] }), Json::Null))
            .collect();
        events.push(chunk(json!({}), json!("tool_calls")));
        streamed(Target::OpenAiCompatible, &events)
    };
    assert_eq!(calls(&stream(&pieces(1))), expected, "another index");
    let whole = [call(0, "same", "f", "{\"a\":1}"), call(0, "same", "g", "{\"b\":2}")];
    assert_eq!(calls(&stream(&whole)), expected, "another name");
    let same = [call(0, "same", "f", "{\"a\":1}"), call(1, "same", "f", "{\"b\":2}")];
    assert_eq!(calls(&stream(&same)).len(), 2, "another index, the same name");
    // A piece that repeats all that is known of its call begins none.
    let repeated = [call(0, "same", "f", "{\"a\""), call(0, "same", "f", ":1}")];
    assert_eq!(calls(&stream(&repeated)), expected[..1]);
}

#[test]
fn what_is_no_call_is_left_out_and_told() {
    for odd in
        [json!(null), json!("x"), json!({}), json!({ "index": 3 }), json!({ "function": null })]
    {
        let (events, notes) = noted(
            Target::OpenAiChat,
            &[
                chunk(json!({ "content": "a", "tool_calls": [odd] }), Json::Null),
                chunk(json!({ "tool_calls": null }), json!("stop")),
            ],
        );
        assert_eq!(events.last(), Some(&StreamEvent::MessageStop), "{odd}");
        assert_eq!(notes, [NoteCode::PieceDropped], "{odd}");
        assert_eq!(
            fold(&events).expect("a message")["content"],
            json!([{ "type": "text", "text": "a" }])
        );
    }
}

fn of_anthropic(inside: Json) -> Vec<Json> {
    let mut events = vec![
        json!({ "type": "message_start", "message": { "id": "msg_1", "model": "m", "usage": { "input_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "a" } }),
    ];
    events.extend(inside.as_array().cloned().unwrap_or_default());
    events.extend([
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 2 } }),
        json!({ "type": "message_stop" }),
    ]);
    events
}

#[test]
fn parts_of_a_text_that_are_none_are_left_out_and_told() {
    for odd in [json!(5), json!(true), json!([null]), json!([{ "type": "reference" }]), json!({})] {
        let events =
            [chunk(json!({ "content": odd }), Json::Null), chunk(json!({}), json!("stop"))];
        let (events, notes) = noted(Target::OpenAiCompatible, &events);
        assert_eq!(events.last(), Some(&StreamEvent::MessageStop), "{odd}");
        assert_eq!(notes, [NoteCode::PieceDropped], "{odd}");
    }
}

#[test]
fn what_has_no_type_is_left_out_and_what_is_new_is_passed_on() {
    let plain = sse(&streamed(Target::Anthropic, &of_anthropic(json!([]))));
    for odd in [
        json!({ "type": "content_block_delta", "index": 0, "delta": null }),
        json!({ "type": "content_block_delta", "index": 0, "delta": "x" }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "text": "b" } }),
        json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "input_json_delta", "partial_json": "{" } }),
        json!({ "type": "content_block_delta", "index": 7, "delta": { "type": "future_delta" } }),
        json!({ "type": "content_block_start", "index": 1, "content_block": null }),
        json!({ "type": "content_block_start", "index": 1, "content_block": { "text": "b" } }),
        json!({ "type": "future_event", "index": 0 }),
        json!({}),
    ] {
        let (events, notes) = noted(Target::Anthropic, &of_anthropic(json!([odd])));
        assert_eq!(sse(&events), plain, "{odd}");
        assert_eq!(notes, [NoteCode::PieceDropped], "{odd}");
    }
    let new = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "future_delta", "x": 1 } });
    let (events, notes) = noted(Target::Anthropic, &of_anthropic(json!([new])));
    assert!(sse(&events).contains("future_delta") && notes.is_empty());
}

#[test]
fn reasoning_that_is_told_as_part_of_a_text_has_a_block_of_its_own() {
    let thought = json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "hm" } });
    let events = streamed(Target::Anthropic, &of_anthropic(json!([thought])));
    let shown: Vec<Json> = blocks(&events).iter().map(|block| block["type"].clone()).collect();
    assert_eq!(shown, ["text", "reasoning"]);
}

/// The usage at the end of a stream, and what was told of it.
fn counted(target: Target, events: &[Json]) -> (Json, Vec<NoteCode>) {
    let (events, notes) = noted(target, events);
    (fold(&events).expect("a message")["usage"].clone(), notes)
}

#[test]
fn counts_that_cannot_be_are_clamped_and_told() {
    let most = 1_000_000_000_000_u64;
    for (odd, input) in [
        (json!(-5), 0),
        (json!(7.9), 7),
        (json!(u64::MAX), most),
        (json!(1e300), most),
        (json!(i64::MIN), 0),
    ] {
        let chat = json!({ "id": "c", "choices": [], "usage": { "prompt_tokens": odd, "completion_tokens": odd } });
        let usage = json!({ "input_tokens": odd, "output_tokens": odd });
        let gemini = json!({ "candidates": [{ "content": { "parts": [{ "text": "a" }] }, "finishReason": "STOP" }],
            "usageMetadata": { "promptTokenCount": odd, "candidatesTokenCount": odd } });
        let bedrock =
            json!({ "metadata": { "usage": { "inputTokens": odd, "outputTokens": odd } } });
        let start = json!({ "type": "message_start", "message": { "id": "m", "usage": usage } });
        let end = json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } });
        for (target, events) in [
            (Target::OpenAiChat, vec![chunk(json!({ "content": "a" }), json!("stop")), chat]),
            (
                Target::OpenAiResponses,
                vec![
                    json!({ "type": "response.completed", "response": { "status": "completed", "usage": usage } }),
                ],
            ),
            (Target::Gemini, vec![gemini]),
            (
                Target::Bedrock,
                vec![json!({ "messageStop": { "stopReason": "end_turn" } }), bedrock],
            ),
            (Target::Anthropic, vec![start, end, json!({ "type": "message_stop" })]),
        ] {
            let (usage, notes) = counted(target, &events);
            let told = (&usage["input_tokens"], &usage["output_tokens"]);
            assert_eq!(told, (&json!(input), &json!(input)), "{target:?} {odd}");
            assert_eq!(notes, [NoteCode::UsageClamped], "{target:?} {odd}");
        }
    }
    // What is counted beside tokens is not ours to judge.
    let usage =
        json!({ "prompt_tokens": 1, "completion_tokens": 2, "cost": 0.25, "queue_time": -1 });
    let chat = json!({ "id": "c", "choices": [], "usage": usage });
    let (_, notes) =
        counted(Target::OpenAiChat, &[chunk(json!({ "content": "a" }), json!("stop")), chat]);
    assert_eq!(notes, []);
    let more =
        json!({ "cache_creation": { "ephemeral_5m_input_tokens": -3 }, "service_tier": "x" });
    let (usage, notes) = counted(
        Target::Anthropic,
        &[
            json!({ "type": "message_start", "message": { "id": "m", "usage": more } }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" } }),
            json!({ "type": "message_stop" }),
        ],
    );
    assert_eq!(usage["cache_creation"]["ephemeral_5m_input_tokens"], 0);
    assert_eq!((&usage["service_tier"], &notes[..]), (&json!("x"), &[NoteCode::UsageClamped][..]));
}

#[test]
fn an_answer_that_came_whole_is_a_stream_too() {
    let body = json!({ "id": "c", "choices": [{ "message": { "content": "a", "tool_calls": [call(0, "t", "f", "{}")] }, "finish_reason": "tool_calls" }] });
    let mut stream = Stream::new(Target::OpenAiChat, answering());
    let events = stream.push_whole(&body);
    check(&events);
    assert!(stream.is_over() && stream.finish().is_empty());
    assert_eq!(fold(&events), answer(Target::OpenAiChat, answering(), &body));
    let failed = Stream::new(Target::OpenAiChat, answering()).push_whole(&json!([]));
    assert!(matches!(failed[..], [StreamEvent::Error(_)]));
}

/// A ping, and each event, is there with the last byte of it, wherever the bytes are cut.
#[test]
fn nothing_is_held_back_or_glued() {
    let texts = ["k-start", "sk-", "ping", "event: ping", "data:", "\n\n", ": x"];
    let mut bytes = Vec::new();
    let mut ends = Vec::new();
    for event in of_anthropic(json!([])).iter().take(2) {
        bytes.extend_from_slice(format!("data: {event}\n\n").as_bytes());
    }
    let begun = bytes.len();
    for text in texts {
        for event in [
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
            json!({ "type": "ping" }),
        ] {
            bytes.extend_from_slice(
                format!(": still there\n\nevent: x\ndata: {event}\n\n").as_bytes(),
            );
            ends.push(bytes.len());
        }
    }
    for cut in begun..=bytes.len() {
        let mut stream = Stream::new(Target::Anthropic, answering());
        let mut events = stream.push(&bytes[..begun]);
        events.clear();
        events.extend(stream.push(&bytes[begun..cut]));
        let there = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!(events.len(), there, "cut at {cut}");
        let pings = events.iter().filter(|event| **event == StreamEvent::Ping).count();
        assert_eq!(pings, there / 2, "cut at {cut}");
    }
}

fn refusal(target: Target, change: (&str, Json)) -> Option<RequestError> {
    let mut asked = json!({ "model": "m", "max_tokens": 9, "messages": [{ "role": "user", "content": "Hi" }],
        "tools": [{ "name": "f", "input_schema": { "type": "object" } }] });
    let (pointer, value) = change;
    match pointer.rsplit_once('/') {
        Some(("", key)) => asked[key] = value,
        _ => *asked.pointer_mut(pointer).expect("a place") = value,
    }
    request(target, &AbilityData::builtin().abilities(target, "m"), &asked).err()
}

#[test]
fn fields_of_another_type_are_refused_by_their_path() {
    let blocks = |block: Json| json!([{ "role": "user", "content": [block] }]);
    let cases = [
        ("/temperature", json!("hot"), "/temperature"),
        ("/temperature", json!(-1), "/temperature"),
        ("/top_p", json!([]), "/top_p"),
        ("/top_k", json!(1.5), "/top_k"),
        ("/max_tokens", json!(-1), "/max_tokens"),
        ("/max_tokens", json!(0.5), "/max_tokens"),
        ("/max_tokens", json!("9"), "/max_tokens"),
        ("/stream", json!("yes"), "/stream"),
        ("/messages", json!({}), "/messages"),
        ("/messages", json!([]), "messages"),
        ("/messages", json!([null]), "/messages/0"),
        ("/messages", json!([{ "role": "robot", "content": "x" }]), "/messages/0/role"),
        ("/messages", json!([{ "content": "x" }]), "/messages/0/role"),
        ("/messages", json!([{ "role": "user", "content": 5 }]), "/messages/0/content"),
        ("/messages", blocks(json!(5)), "/messages/0/content/0"),
        ("/messages", blocks(json!({ "type": "text", "text": 5 })), "/messages/0/content/0/text"),
        ("/messages", blocks(json!({ "type": "text" })), "/messages/0/content/0"),
        ("/messages", blocks(json!({ "type": 5 })), "/messages/0/content/0/type"),
        (
            "/messages",
            blocks(json!({ "type": "image", "source": "x" })),
            "/messages/0/content/0/source",
        ),
        (
            "/messages",
            blocks(json!({ "type": "tool_use", "id": "a", "name": "f", "input": "x" })),
            "/messages/0/content/0/input",
        ),
        (
            "/messages",
            blocks(
                json!({ "type": "tool_result", "tool_use_id": "a", "content": [{ "type": "text", "text": [] }] }),
            ),
            "/messages/0/content/0/content/0/text",
        ),
        (
            "/messages",
            blocks(json!({ "type": "tool_result", "tool_use_id": "a", "is_error": "no" })),
            "/messages/0/content/0/is_error",
        ),
        ("/messages", blocks(json!({ "type": "image" })), "/messages/0/content/0/source"),
        (
            "/messages",
            blocks(json!({ "type": "tool_use", "id": "a", "name": "f", "input": {} })),
            "/messages/0/content/0",
        ),
        ("/messages", blocks(json!({ "type": "thinking" })), "/messages/0/content/0"),
        (
            "/messages",
            json!([{ "role": "assistant", "content": [{ "type": "tool_result", "tool_use_id": "a" }] }]),
            "/messages/0/content/0",
        ),
        ("/model", json!(""), "/model"),
        ("/model", json!(".."), "/model"),
        ("/model", json!("a\nb"), "/model"),
        ("/model", json!("m".repeat(2049)), "/model"),
        ("/system", json!(5), "/system"),
        ("/tools", json!(5), "/tools"),
        ("/tools", json!(["f"]), "/tools/0"),
        ("/tools/0/name", json!(5), "/tools/0/name"),
        ("/tools/0/input_schema", json!("x"), "/tools/0/input_schema"),
        ("/tool_choice", json!("any"), "/tool_choice"),
        ("/tool_choice", json!({ "type": "some" }), "/tool_choice/type"),
        ("/tool_choice", json!({}), "/tool_choice/type"),
        ("/tool_choice", json!({ "type": "tool" }), "/tool_choice/name"),
        ("/stop_sequences", json!("END"), "/stop_sequences"),
        ("/stop_sequences", json!([5]), "/stop_sequences/0"),
        ("/thinking", json!(true), "/thinking"),
        (
            "/thinking",
            json!({ "type": "enabled", "budget_tokens": "much" }),
            "/thinking/budget_tokens",
        ),
        ("/metadata", json!({ "user_id": 5 }), "/metadata/user_id"),
        ("/cache_control", json!("ephemeral"), "/cache_control"),
        ("/output_config", json!({ "format": 5 }), "/output_config/format"),
    ];
    for target in Target::ALL {
        for (pointer, value, at) in &cases {
            let told = refusal(*target, (pointer, value.clone()));
            let told = told.unwrap_or_else(|| panic!("{target:?} takes {pointer} {value}"));
            assert!(told.to_string().contains(&format!("{at}`")), "{target:?} {at}: {told}");
        }
        for key in ["temperature", "system", "tools", "tool_choice", "metadata", "stop_sequences"] {
            assert_eq!(refusal(*target, (&format!("/{key}"), Json::Null)), None, "{key}");
        }
    }
}

#[test]
fn a_stop_that_nobody_knows_cuts_no_call() {
    let mut events = with_call(Target::Anthropic, "{\"a\"", false);
    events[4]["delta"]["stop_reason"] = "odd".into();
    let events = streamed(Target::Anthropic, &events);
    assert!(matches!(events.last(), Some(StreamEvent::Error(_))));
    assert!(!events.iter().any(|event| matches!(
        event,
        StreamEvent::MessageDelta { stop_reason: Stop::Other(_), .. }
    )));
}
