//! Anthropic's Messages, also of servers that only speak like it: everything is checked, and nothing believed.
//!
//! In: its events or its message. Out: pieces. Never: drops a block for being new.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::{arguments, failure, list, some, text};
use crate::event::{Delta, Stop, Usage};
use crate::piece::{Finish, Piece};

#[derive(Debug, Default)]
pub(crate) struct Anthropic {
    /// Inputs that stood whole where the call began, by index.
    inputs: BTreeMap<usize, String>,
}

impl Anthropic {
    pub(super) fn event(&mut self, event: &Json, out: &mut Vec<Piece>) {
        match text(event, "type").unwrap_or_default() {
            "message_start" => start(&event["message"], out),
            "content_block_start" => self.begin(index(event), &event["content_block"], out),
            "content_block_delta" => delta(index(event), &event["delta"], out),
            "content_block_stop" => self.end(index(event), out),
            "message_delta" => {
                out.extend(usage(event));
                finish(&event["delta"], out);
            }
            "message_stop" => out.push(Piece::Done),
            "ping" => out.push(Piece::Ping),
            // New kinds of events may appear, and are to be ignored.
            "error" => out.push(Piece::Fail(failure(event, None))),
            _ if event.get("error").is_some_and(|error| !error.is_null()) => {
                out.push(Piece::Fail(failure(event, None)));
            }
            _ => {}
        }
    }

    pub(super) fn whole(&mut self, answer: &Json, out: &mut Vec<Piece>) {
        if answer.get("content").is_none() {
            return out.push(Piece::Fail(failure(answer, None)));
        }
        start(answer, out);
        for (key, block) in list(answer, "content").iter().enumerate() {
            self.begin(key, block, out);
            self.end(key, out);
        }
        finish(answer, out);
    }

    /// A block may hold content where it begins; it is told as a delta.
    fn begin(&mut self, key: usize, block: &Json, out: &mut Vec<Piece>) {
        let mut block = block.clone();
        let mut deltas = Vec::new();
        match text(&block, "type") {
            Some("text") => deltas.extend(taken(&mut block, "text").map(Delta::Text)),
            Some("thinking") => {
                deltas.extend(taken(&mut block, "thinking").map(Delta::Thinking));
                deltas.extend(taken(&mut block, "signature").map(Delta::Signature));
            }
            Some("tool_use") => {
                let input = block.get("input").filter(|input| **input != json!({}));
                self.inputs.insert(key, arguments(input));
            }
            _ => {}
        }
        out.push(Piece::Block { key, block });
        out.extend(deltas.into_iter().map(|delta| Piece::BlockDelta { key, delta }));
    }

    fn end(&mut self, key: usize, out: &mut Vec<Piece>) {
        if let Some(arguments) = self.inputs.remove(&key).filter(|input| !input.is_empty()) {
            out.push(Piece::CallWhole { key, arguments });
        }
        out.push(Piece::BlockEnd { key });
    }
}

fn index(event: &Json) -> usize {
    let index = event.get("index").and_then(Json::as_u64).unwrap_or_default();
    usize::try_from(index).unwrap_or_default()
}

/// Takes the text out of a block.
fn taken(block: &mut Json, key: &str) -> Option<String> {
    let held = some(block, key)?;
    block[key] = "".into();
    Some(held)
}

fn start(message: &Json, out: &mut Vec<Piece>) {
    out.extend(usage(message));
    out.push(Piece::Start { id: some(message, "id"), model: some(message, "model") });
}

fn delta(key: usize, delta: &Json, out: &mut Vec<Piece>) {
    let held = |name: &str| text(delta, name).unwrap_or_default().to_owned();
    let delta = match text(delta, "type").unwrap_or_default() {
        "text_delta" => Delta::Text(held("text")),
        "thinking_delta" => Delta::Thinking(held("thinking")),
        "signature_delta" => Delta::Signature(held("signature")),
        "input_json_delta" => Delta::InputJson(held("partial_json")),
        _ => Delta::Other(delta.clone()),
    };
    out.push(Piece::BlockDelta { key, delta });
}

fn finish(from: &Json, out: &mut Vec<Piece>) {
    if let Some(reason) = text(from, "stop_reason") {
        let finish =
            Finish { stop: Stop::from_name(reason), sequence: some(from, "stop_sequence") };
        out.push(Piece::Finish(finish));
    }
}

fn usage(from: &Json) -> Option<Piece> {
    let mut more: Map<String, Json> = from.get("usage")?.as_object()?.clone();
    let mut count = |key: &str| more.remove(key).and_then(|count| count.as_u64());
    let usage = Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        more: Map::new(),
    };
    more.retain(|_, value| !value.is_null());
    Some(Piece::Usage(Usage { more, ..usage }))
}
