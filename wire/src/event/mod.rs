//! Anthropic's stream events: what every answer becomes.
//!
//! In: parts. Out: [`StreamEvent`] as a value, as JSON, as a server-sent event. Never: decides what comes next.

mod ending;
mod failure;
mod input;

use std::fmt::{self, Write as _};

use serde_json::{Value as Json, json};

pub use ending::{Stop, Usage};
pub use failure::{Failure, FailureKind};
pub(crate) use input::input;

/// One event of a stream in Anthropic's form.
///
/// A stream is one `MessageStart`, blocks one after the other with indices from 0 and without holes, one `MessageDelta`
/// and one `MessageStop`. An `Error` ends it instead, with every block closed before it; it may also be all there is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum StreamEvent {
    /// The answer begins.
    MessageStart {
        /// `msg_…`.
        id: String,
        /// The model's name.
        model: String,
        /// What is known by now; the last word is in `MessageDelta`.
        usage: Usage,
    },
    /// A block begins.
    BlockStart {
        /// Its place, from 0.
        index: usize,
        /// What it is.
        block: StartBlock,
    },
    /// More of the open block.
    BlockDelta {
        /// The block.
        index: usize,
        /// What is added.
        delta: Delta,
    },
    /// The open block ends.
    BlockStop {
        /// The block.
        index: usize,
    },
    /// Why the answer ended, and what it cost.
    MessageDelta {
        /// Decided by what was emitted.
        stop_reason: Stop,
        /// The sequence that stopped it, where the provider says which.
        stop_sequence: Option<String>,
        /// All counts that were told.
        usage: Usage,
    },
    /// The answer is complete.
    MessageStop,
    /// Nothing; the connection is alive.
    Ping,
    /// The answer failed; nothing follows.
    Error(Failure),
}

/// What a block is when it begins.
#[derive(Clone, Debug, PartialEq)]
pub enum StartBlock {
    /// Text.
    Text,
    /// Reasoning.
    Thinking,
    /// Reasoning that nobody can read; to be sent back as it is.
    RedactedThinking {
        /// Opaque.
        data: String,
    },
    /// A call of a tool; its input comes as pieces of JSON.
    ToolUse {
        /// `[A-Za-z0-9_-]+`, unlike all others of the answer.
        id: String,
        /// The tool, by the name that the request gave it.
        name: String,
    },
    /// A block that only Anthropic has, as it came.
    Other(Json),
}

/// What is added to a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Delta {
    /// Text.
    Text(String),
    /// Reasoning.
    Thinking(String),
    /// What the provider wants to get back with the reasoning.
    Signature(String),
    /// A piece of a call's input, as JSON text.
    InputJson(String),
    /// A delta that only Anthropic has, as it came.
    Other(Json),
}

impl StartBlock {
    /// The block as it stands in `content_block_start`.
    pub fn to_json(&self) -> Json {
        match self {
            Self::Text => json!({ "type": "text", "text": "" }),
            Self::Thinking => json!({ "type": "thinking", "thinking": "", "signature": "" }),
            Self::RedactedThinking { data } => json!({ "type": "redacted_thinking", "data": data }),
            Self::ToolUse { id, name } => {
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
            }
            Self::Other(block) => block.clone(),
        }
    }
}

impl Delta {
    /// Type, key and text of a delta that is nothing but text.
    fn texts(&self) -> Option<(&'static str, &'static str, &str)> {
        match self {
            Self::Text(text) => Some(("text_delta", "text", text)),
            Self::Thinking(text) => Some(("thinking_delta", "thinking", text)),
            Self::Signature(text) => Some(("signature_delta", "signature", text)),
            Self::InputJson(text) => Some(("input_json_delta", "partial_json", text)),
            Self::Other(_) => None,
        }
    }

    fn to_json(&self) -> Json {
        if let Self::Other(delta) = self {
            return delta.clone();
        }
        let texts = self.texts().into_iter();
        let entries = texts.flat_map(|(kind, key, text)| [("type", kind), (key, text)]);
        entries.map(|(key, value)| (key.to_owned(), Json::from(value))).collect()
    }
}

impl StreamEvent {
    /// The name of the event, e.g. `content_block_delta`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::MessageStart { .. } => "message_start",
            Self::BlockStart { .. } => "content_block_start",
            Self::BlockDelta { .. } => "content_block_delta",
            Self::BlockStop { .. } => "content_block_stop",
            Self::MessageDelta { .. } => "message_delta",
            Self::MessageStop => "message_stop",
            Self::Ping => "ping",
            Self::Error(_) => "error",
        }
    }

    /// The event's data.
    pub fn to_json(&self) -> Json {
        let kind = self.name();
        match self {
            Self::MessageStart { id, model, usage } => {
                let message = json!({
                    "id": id, "type": "message", "role": "assistant", "model": model, "content": [],
                    "stop_reason": null, "stop_sequence": null, "usage": usage.to_json(),
                });
                json!({ "type": kind, "message": message })
            }
            Self::BlockStart { index, block } => {
                json!({ "type": kind, "index": index, "content_block": block.to_json() })
            }
            Self::BlockDelta { index, delta } => {
                json!({ "type": kind, "index": index, "delta": delta.to_json() })
            }
            Self::BlockStop { index } => json!({ "type": kind, "index": index }),
            Self::MessageDelta { stop_reason, stop_sequence, usage } => json!({
                "type": kind, "usage": usage.to_json(),
                "delta": { "stop_reason": stop_reason.as_str(), "stop_sequence": stop_sequence },
            }),
            Self::MessageStop | Self::Ping => json!({ "type": kind }),
            Self::Error(failure) => failure.to_json(),
        }
    }

    /// The event as it goes over the wire: `event`, `data` and a blank line.
    pub fn to_sse(&self) -> String {
        let mut out = String::new();
        self.write_sse(&mut out);
        out
    }

    /// The same behind what is written already.
    pub fn write_sse(&self, out: &mut String) {
        let name = self.name();
        // Nearly all events are deltas of text: they are written without a tree of values in between.
        let short = match self {
            Self::BlockDelta { index, delta } => delta.texts().map(|parts| (index, parts)),
            _ => None,
        };
        // Writing to a string cannot fail.
        let _ = match short {
            None => write!(out, "event: {name}\ndata: {}\n\n", self.to_json()),
            Some((index, (kind, key, text))) => {
                let text = Quoted(text);
                let _ = write!(out, "event: {name}\ndata: {{\"delta\":{{");
                // The keys of an object are sorted, as everywhere.
                let _ = if key < "type" {
                    write!(out, "\"{key}\":{text},\"type\":\"{kind}\"")
                } else {
                    write!(out, "\"type\":\"{kind}\",\"{key}\":{text}")
                };
                write!(out, "}},\"index\":{index},\"type\":\"{name}\"}}\n\n")
            }
        };
    }
}

/// A text as JSON.
struct Quoted<'t>(&'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self.0).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_the_short_way_is_the_same() {
        let text = || "a\"\n\u{1}\u{2028}".to_owned();
        for delta in [
            Delta::Text(text()),
            Delta::Thinking(text()),
            Delta::Signature(text()),
            Delta::InputJson(text()),
            Delta::Other(json!({ "type": "x" })),
        ] {
            let event = StreamEvent::BlockDelta { index: 7, delta };
            let long = format!("event: {}\ndata: {}\n\n", event.name(), event.to_json());
            assert_eq!(event.to_sse(), long);
        }
    }
}
