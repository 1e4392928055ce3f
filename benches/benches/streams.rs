//! Prints how many times as long as parsing the same events the conversion of a provider's stream takes, within one run.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::hint::black_box;
use std::process::ExitCode;

use promptweave_benches::measure::pair;
use promptweave_benches::table::{Goal, Table, times};
use promptweave_wire::{Answering, Stream, StreamEvent, Target};
use serde_json::{Value as Json, json};

/// Events of a long answer.
const EVENTS: usize = 2_000;

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    for (target, events) in [
        (Target::Anthropic, anthropic()),
        (Target::OpenAiChat, chat()),
        (Target::OpenAiResponses, responses()),
        (Target::Gemini, gemini()),
        (Target::Bedrock, bedrock()),
    ] {
        let data: Vec<String> = events.iter().map(Json::to_string).collect();
        let sse: Vec<String> = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        let name = target.as_str();
        let parse =
            || data.iter().filter(|data| serde_json::from_str::<Json>(data).is_ok()).count();
        table.row(&format!("{name}, stream / its events parsed"), Goal::AtMost(3.0), || {
            times(pair(|| converted(target, &sse, |_| 0), parse))
        });
        table.row(&format!("{name}, the same and written again"), Goal::None, || {
            times(pair(|| converted(target, &sse, |event| event.to_sse().len()), parse))
        });
    }
    table.verdict()
}

/// Converts a stream that comes event by event.
fn converted(target: Target, sse: &[String], each: impl Fn(StreamEvent) -> usize) -> usize {
    let mut stream = Stream::new(target, Answering::default());
    let pushed: usize = sse.iter().flat_map(|event| stream.push(event.as_bytes())).map(&each).sum();
    black_box(pushed + stream.finish().into_iter().map(each).sum::<usize>())
}

fn word(number: usize) -> String {
    format!(" word{}", number % 97)
}

fn anthropic() -> Vec<Json> {
    let delta = |number| json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": word(number) } });
    let begin = [
        json!({ "type": "message_start", "message": { "id": "msg_1", "usage": { "input_tokens": 1 } } }),
        json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
    ];
    let end = [
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn" }, "usage": { "output_tokens": 9 } }),
        json!({ "type": "message_stop" }),
    ];
    begin.into_iter().chain((0..EVENTS).map(delta)).chain(end).collect()
}

fn chat() -> Vec<Json> {
    let chunk = |delta: Json, finish: Json| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "system_fingerprint": "f",
            "choices": [{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish }], "usage": null,
        })
    };
    let delta = |number| chunk(json!({ "content": word(number) }), Json::Null);
    (0..EVENTS).map(delta).chain([chunk(json!({}), json!("stop"))]).collect()
}

fn responses() -> Vec<Json> {
    let delta = |number| {
        json!({
            "type": "response.output_text.delta", "sequence_number": number, "item_id": "msg_1", "output_index": 0,
            "content_index": 0, "delta": word(number), "logprobs": [],
        })
    };
    let end = json!({ "type": "response.completed", "response": { "status": "completed" } });
    (0..EVENTS).map(delta).chain([end]).collect()
}

fn gemini() -> Vec<Json> {
    let chunk = |text: String, finish: Json| {
        json!({
            "candidates": [{ "content": { "parts": [{ "text": text }], "role": "model" }, "finishReason": finish, "index": 0 }],
            "usageMetadata": { "promptTokenCount": 8, "totalTokenCount": 8 }, "modelVersion": "m", "responseId": "r",
        })
    };
    let delta = |number| chunk(word(number), Json::Null);
    (0..EVENTS).map(delta).chain([chunk(String::new(), json!("STOP"))]).collect()
}

fn bedrock() -> Vec<Json> {
    let delta = |number| json!({ "contentBlockDelta": { "contentBlockIndex": 0, "delta": { "text": word(number) }, "p": "abcdefgh" } });
    let end = [
        json!({ "messageStop": { "stopReason": "end_turn" } }),
        json!({ "metadata": { "usage": { "inputTokens": 1, "outputTokens": 1 } } }),
    ];
    (0..EVENTS).map(delta).chain(end).collect()
}
