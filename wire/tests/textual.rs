//! Models that write their calls: tools go in as text, calls come out as blocks.

mod common;

use common::{answering, check, random_pieces, sse};
use promptweave_wire::{
    AbilityData, Answering, Stop, Stream, StreamEvent, Target, answer, fold, request,
};
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn ready() -> Answering {
    let properties = json!({ "path": { "type": "string" }, "line": { "type": "integer" } });
    let tool = json!({ "name": "read_file", "input_schema": { "type": "object", "properties": properties } });
    let asked = json!({ "model": "gemma3", "max_tokens": 9, "tools": [tool], "messages": [{ "role": "user", "content": "Hi" }] });
    let abilities = AbilityData::builtin().abilities(Target::OpenAiCompatible, "gemma3");
    let out = request(Target::OpenAiCompatible, &abilities, &asked).expect("a request");
    assert!(out.body.get("tools").is_none());
    Answering { seed: Some("s".into()), ..out.answering }
}

fn bytes(text: &str, finish: &str) -> String {
    let mut all = String::new();
    for piece in text.split_inclusive(|c: char| c.is_whitespace()) {
        let chunk = json!({ "id": "c", "choices": [{ "delta": { "content": piece }, "finish_reason": null }] });
        all += &format!("data: {chunk}\n\n");
    }
    let last = json!({ "id": "c", "choices": [{ "delta": {}, "finish_reason": finish }] });
    all + &format!("data: {last}\n\ndata: [DONE]\n\n")
}

fn events<'c>(chunks: impl IntoIterator<Item = &'c [u8]>) -> Vec<StreamEvent> {
    let mut stream = Stream::new(Target::OpenAiCompatible, ready());
    let mut events: Vec<_> = chunks.into_iter().flat_map(|chunk| stream.push(chunk)).collect();
    events.extend(stream.finish());
    check(&events);
    events
}

#[test]
fn written_calls_become_blocks_wherever_the_bytes_are_cut() {
    let call = |id: &str, input: Json| json!({ "type": "tool_use", "id": id, "name": "read_file", "input": input });
    let text = |text: &str| json!({ "type": "text", "text": text });
    for (written, finish, content, stop) in [
        ("Just text.", "stop", json!([text("Just text.")]), "end_turn"),
        (
            "I look.\n<read_file>\n<path>a b.rs</path>\n<line>7</line>\n</read_file>",
            "stop",
            json!([
                text("I look."),
                call("toolu_s_text_0", json!({ "path": "a b.rs", "line": 7 }))
            ]),
            "tool_use",
        ),
        (
            "<read_file>\n<path>a</path>\n</read_file>\n<read_file>\n<path>b</path>\n</read_file>\nDone.",
            "stop",
            json!([
                call("toolu_s_text_0", json!({ "path": "a" })),
                call("toolu_s_text_1", json!({ "path": "b" })),
                text("Done."),
            ]),
            "tool_use",
        ),
        (
            "<think>hm hm</think>\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
            "stop",
            json!([
                { "type": "thinking", "thinking": "hm hm", "signature": "" },
                call("toolu_s_text_0", json!({ "path": "a" })),
            ]),
            "tool_use",
        ),
        // A half is no call.
        (
            "Look:\n<read_file>\n<path>a",
            "length",
            json!([text("Look:"), text("<read_file>\n<path>a")]),
            "max_tokens",
        ),
    ] {
        let bytes = bytes(written, finish);
        let whole = events([bytes.as_bytes()]);
        let message = fold(&whole).unwrap();
        assert_eq!(
            (&message["content"], &message["stop_reason"]),
            (&content, &json!(stop)),
            "{written}"
        );
        for seed in 0..20 {
            let cut = events(random_pieces(bytes.as_bytes(), seed));
            assert_eq!(sse(&cut), sse(&whole), "{written}");
        }
        let said = json!({ "id": "c", "choices": [{ "message": { "content": written }, "finish_reason": finish }] });
        let once = answer(Target::OpenAiCompatible, ready(), &said).unwrap();
        assert_eq!(once["content"], content);
    }
}

#[test]
fn native_answers_are_not_searched() {
    let mut stream = Stream::new(Target::OpenAiChat, answering());
    let mut events = stream.push(bytes("<read_file><path>a</path></read_file>", "stop").as_bytes());
    events.extend(stream.finish());
    assert!(events.iter().any(|event| matches!(
        event,
        StreamEvent::MessageDelta { stop_reason: Stop::EndTurn, .. }
    )));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_makes_a_valid_stream(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "<read_file>", "</read_file>", "<path>", "</path>", "<line>", "</line>", "a", "7", "\n", " ", "<think>",
            "</think>", "`", "```\n", "<tool_call>", "</tool_call>", "{\"name\": \"read_file\", \"arguments\": {", "}}",
        ]), 0..24),
        finish in proptest::sample::select(vec!["stop", "length", "tool_calls"]),
        seed in any::<u64>(),
    ) {
        let bytes = bytes(&pieces.concat(), finish);
        let whole = events([bytes.as_bytes()]);
        prop_assert_eq!(sse(&events(random_pieces(bytes.as_bytes(), seed))), sse(&whole));
        fold(&whole).expect("a message");
    }
}
