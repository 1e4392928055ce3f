//! Bedrock's Converse and ConverseStream.
//!
//! In: events, `{contentBlockDelta: {…}}` or the inside with the event's name beside it; or the whole answer. Out: pieces.
//! Never: the binary frames of the stream, which `frame.rs` takes apart.

use serde_json::Value as Json;

use super::counts::Counts;
use super::finishes::{BEDROCK, Meaning, meaning};
use super::{arguments, failure, index, list, some, text};
use crate::carry::Carry;
use crate::event::{Failure, FailureKind, Usage};
use crate::piece::{Finish, Piece};

/// The names of events that are errors.
const FAILURES: &[(&str, FailureKind)] = &[
    ("internalServerException", FailureKind::Api),
    ("modelStreamErrorException", FailureKind::Api),
    ("modelTimeoutException", FailureKind::Timeout),
    ("serviceUnavailableException", FailureKind::Overloaded),
    ("throttlingException", FailureKind::RateLimit),
    ("validationException", FailureKind::InvalidRequest),
    ("accessDeniedException", FailureKind::Permission),
    ("resourceNotFoundException", FailureKind::NotFound),
];

#[derive(Debug, Default)]
pub(crate) struct Bedrock;

impl Bedrock {
    pub(super) fn event(&mut self, name: &str, event: &Json, out: &mut Vec<Piece>) {
        match event.as_object() {
            Some(object) if name.is_empty() || object.contains_key(name) => {
                object.iter().for_each(|(name, inside)| one(name, inside, out));
            }
            _ => one(name, event, out),
        }
    }

    pub(super) fn whole(&mut self, answer: &Json, out: &mut Vec<Piece>) {
        let Some(message) = answer.get("output").and_then(|output| output.get("message")) else {
            return out.push(Piece::Fail(failure(answer, None)));
        };
        usage(answer, out);
        out.push(Piece::Start { id: None, model: None });
        for (key, block) in list(message, "content").iter().enumerate() {
            match block.get("toolUse") {
                Some(call) => {
                    out.push(begin(key, call));
                    let arguments = arguments(call.get("input"));
                    out.push(Piece::CallWhole { key, arguments });
                }
                None => delta(key, block, out),
            }
            end(key, out);
        }
        finish(answer, out);
    }
}

fn one(name: &str, event: &Json, out: &mut Vec<Piece>) {
    let key = || index(event, "contentBlockIndex");
    if let Some((_, kind)) = FAILURES.iter().find(|(known, _)| *known == name) {
        let message = text(event, "message").or_else(|| text(event, "originalMessage"));
        return out.push(Piece::Fail(Failure::new(*kind, message.unwrap_or(name))));
    }
    if ["Exception", "Error"].iter().any(|end| name.ends_with(end)) {
        let failure = Failure::new(FailureKind::Api, text(event, "message").unwrap_or(name));
        return out.push(Piece::Fail(failure));
    }
    match name {
        "messageStart" => out.push(Piece::Start { id: None, model: None }),
        "contentBlockStart" => {
            let call = event.get("start").and_then(|start| start.get("toolUse"));
            out.extend(call.map(|call| begin(key(), call)));
        }
        "contentBlockDelta" => delta(key(), &event["delta"], out),
        "contentBlockStop" => end(key(), out),
        "messageStop" => finish(event, out),
        "metadata" => {
            usage(event, out);
            out.push(Piece::Done);
        }
        _ => {}
    }
}

fn begin(key: usize, call: &Json) -> Piece {
    let (id, name) = (some(call, "toolUseId"), some(call, "name"));
    Piece::Call { key, id, name, arguments: String::new() }
}

fn end(key: usize, out: &mut Vec<Piece>) {
    out.extend([Piece::TextEnd, Piece::CallEnd { key }]);
}

fn delta(key: usize, delta: &Json, out: &mut Vec<Piece>) {
    if let Some(text) = some(delta, "text") {
        out.push(Piece::Text(text));
    }
    if let Some(call) = delta.get("toolUse") {
        let arguments = arguments(call.get("input"));
        out.push(Piece::Call { key, id: None, name: None, arguments });
    }
    let Some(reasoning) = delta.get("reasoningContent") else { return };
    // Streams say it flat, whole answers in an object of its own.
    let inner = reasoning.get("reasoningText").unwrap_or(reasoning);
    out.extend(some(inner, "text").map(Piece::Thinking));
    out.extend(some(inner, "signature").map(Piece::Signature));
    let redacted = reasoning.get("redactedContent").and_then(Json::as_str);
    let carried = redacted.map(|data| Carry::Bedrock { data: data.to_owned() });
    out.extend(carried.map(|carry| Piece::Redacted(carry.to_text())));
}

fn finish(from: &Json, out: &mut Vec<Piece>) {
    let Some(word) = text(from, "stopReason") else { return };
    let fields = from.get("additionalModelResponseFields");
    let sequence = fields.and_then(|fields| some(fields, "stop_sequence"));
    match meaning(BEDROCK, word) {
        Meaning::Ends(stop) => out.push(Piece::Finish(Finish { stop, sequence })),
        Meaning::Open => {}
        Meaning::Fails => out.push(Piece::Fail(Failure::new(
            FailureKind::Api,
            format!("the model's answer is malformed: `{word}`"),
        ))),
    }
}

/// Bedrock counts as Anthropic does: the three counts of input do not overlap.
fn usage(from: &Json, out: &mut Vec<Piece>) {
    let Some(told) = from.get("usage") else { return };
    let counts = Counts::of(told);
    let usage = Usage {
        input: counts.at(&["inputTokens"]),
        output: counts.at(&["outputTokens"]),
        cache_read: counts.at(&["cacheReadInputTokens"]),
        cache_write: counts.at(&["cacheWriteInputTokens"]),
        ..Usage::default()
    };
    counts.tell(usage, out);
}
