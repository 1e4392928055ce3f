//! Anthropic's Messages, also of servers that only speak like it: everything is checked, and nothing believed.
//!
//! In: its events or its message. Out: pieces. Never: drops a block or a delta for being new; what has no type is none.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::counts::Counts;
use super::{arguments, failure, index, list, some, text};
use crate::event::{Delta, Stop, Usage};
use crate::note::NoteCode;
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
            "content_block_start" => {
                self.begin(index(event, "index"), &event["content_block"], out)
            }
            "content_block_delta" => delta(index(event, "index"), &event["delta"], out),
            "content_block_stop" => self.end(index(event, "index"), out),
            "message_delta" => {
                usage(event, out);
                finish(&event["delta"], out);
            }
            "message_stop" => out.push(Piece::Done),
            "ping" => out.push(Piece::Ping),
            "error" => out.push(Piece::Fail(failure(event, None))),
            _ if event.get("error").is_some_and(|error| !error.is_null()) => {
                out.push(Piece::Fail(failure(event, None)));
            }
            // New kinds of events may appear, and are to be ignored.
            _ => out.push(Piece::Note(NoteCode::PieceDropped)),
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
            Some(_) => {}
            None => return out.push(Piece::Note(NoteCode::PieceDropped)),
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

/// Takes the text out of a block.
fn taken(block: &mut Json, key: &str) -> Option<String> {
    let held = some(block, key)?;
    block[key] = "".into();
    Some(held)
}

fn start(message: &Json, out: &mut Vec<Piece>) {
    usage(message, out);
    out.push(Piece::Start { id: some(message, "id"), model: some(message, "model") });
}

fn delta(key: usize, delta: &Json, out: &mut Vec<Piece>) {
    let held = |name: &str| text(delta, name).unwrap_or_default().to_owned();
    let delta = match text(delta, "type") {
        Some("text_delta") => Delta::Text(held("text")),
        Some("thinking_delta") => Delta::Thinking(held("thinking")),
        Some("signature_delta") => Delta::Signature(held("signature")),
        Some("input_json_delta") => Delta::InputJson(held("partial_json")),
        Some(_) => Delta::Other(delta.clone()),
        None => return out.push(Piece::Note(NoteCode::PieceDropped)),
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

fn usage(from: &Json, out: &mut Vec<Piece>) {
    let Some(told) = from.get("usage").filter(|usage| usage.is_object()) else { return };
    let counts = Counts::of(told);
    let mut more = Map::new();
    for (key, value) in told.as_object().into_iter().flatten() {
        if !COUNTS.contains(&key.as_str()) && !value.is_null() {
            more.insert(key.clone(), within(value, key, &counts));
        }
    }
    let [input, output, cache_read, cache_write] = COUNTS.map(|key| counts.at(&[key]));
    counts.tell(Usage { input, output, cache_read, cache_write, more }, out);
}

/// The four counts that every answer has.
const COUNTS: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];

/// What else is counted, with counts that can be.
fn within(value: &Json, key: &str, counts: &Counts<'_>) -> Json {
    match value {
        Json::Object(object) => {
            let each = |(key, value): (&String, &Json)| (key.clone(), within(value, key, counts));
            object.iter().map(each).collect()
        }
        Json::Number(_) if key.ends_with("_tokens") => counts.count(value).into(),
        other => other.clone(),
    }
}
