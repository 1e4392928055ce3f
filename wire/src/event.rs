//! Anthropic's stream events: what every answer becomes.
//!
//! In: parts. Out: [`StreamEvent`] as a value, as JSON, as a server-sent event. Never: decides what comes next.

use serde_json::{Map, Value as Json, json};

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

/// Why an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// `end_turn`.
    EndTurn,
    /// `max_tokens`.
    MaxTokens,
    /// `stop_sequence`.
    StopSequence,
    /// `tool_use`.
    ToolUse,
    /// `pause_turn`: a tool of the provider's own runs on.
    PauseTurn,
    /// `refusal`.
    Refusal,
    /// `model_context_window_exceeded`.
    ContextWindow,
    /// Another of Anthropic's, as it came.
    Other(String),
}

impl Stop {
    /// Those with a name of their own.
    const NAMED: &[(&str, Self)] = &[
        ("end_turn", Self::EndTurn),
        ("max_tokens", Self::MaxTokens),
        ("stop_sequence", Self::StopSequence),
        ("tool_use", Self::ToolUse),
        ("pause_turn", Self::PauseTurn),
        ("refusal", Self::Refusal),
        ("model_context_window_exceeded", Self::ContextWindow),
    ];

    /// Anthropic's name.
    pub fn as_str(&self) -> &str {
        match self {
            Self::EndTurn => "end_turn",
            Self::MaxTokens => "max_tokens",
            Self::StopSequence => "stop_sequence",
            Self::ToolUse => "tool_use",
            Self::PauseTurn => "pause_turn",
            Self::Refusal => "refusal",
            Self::ContextWindow => "model_context_window_exceeded",
            Self::Other(name) => name,
        }
    }

    /// The reason of that name.
    pub fn from_name(name: &str) -> Self {
        let named = Self::NAMED.iter().find(|(known, _)| *known == name);
        named.map_or_else(|| Self::Other(name.to_owned()), |(_, stop)| stop.clone())
    }
}

/// Counts of tokens as Anthropic counts: `input` is what neither came from a cache nor was written to one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Input that was neither read from a cache nor written to one.
    pub input: Option<u64>,
    /// Output, reasoning included.
    pub output: Option<u64>,
    /// Input read from a cache.
    pub cache_read: Option<u64>,
    /// Input written to a cache.
    pub cache_write: Option<u64>,
    /// Anthropic's other keys, as they came.
    pub more: Map<String, Json>,
}

impl Usage {
    /// Takes over what `later` says; what it does not say stays.
    pub fn update(&mut self, later: Self) {
        let Self { input, output, cache_read, cache_write, more } = later;
        for (mine, told) in [
            (&mut self.input, input),
            (&mut self.output, output),
            (&mut self.cache_read, cache_read),
            (&mut self.cache_write, cache_write),
        ] {
            *mine = told.or(*mine);
        }
        self.more.extend(more);
    }

    /// Anthropic's `usage`: all four counts, 0 where nothing is known.
    pub fn to_json(&self) -> Json {
        let mut usage = self.more.clone();
        for (key, value) in [
            ("input_tokens", self.input),
            ("output_tokens", self.output),
            ("cache_read_input_tokens", self.cache_read),
            ("cache_creation_input_tokens", self.cache_write),
        ] {
            usage.insert(key.into(), value.unwrap_or_default().into());
        }
        usage.into()
    }
}

/// Why there is no answer, or no whole one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The provider's words, or ours.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Anthropic's `{type: "error", error: {type, message}}`.
    pub fn to_json(&self) -> Json {
        let error = json!({ "type": self.kind.as_str(), "message": self.message });
        json!({ "type": "error", "error": error })
    }
}

/// The kinds of errors of Anthropic's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// 400.
    InvalidRequest,
    /// 401.
    Authentication,
    /// 402.
    Billing,
    /// 403.
    Permission,
    /// 404.
    NotFound,
    /// 413.
    TooLarge,
    /// 429.
    RateLimit,
    /// 500, and whatever has no other kind.
    Api,
    /// 504.
    Timeout,
    /// 529.
    Overloaded,
}

impl FailureKind {
    /// All of them, with the HTTP status that goes with each.
    pub const ALL: &[(Self, u16)] = &[
        (Self::InvalidRequest, 400),
        (Self::Authentication, 401),
        (Self::Billing, 402),
        (Self::Permission, 403),
        (Self::NotFound, 404),
        (Self::TooLarge, 413),
        (Self::RateLimit, 429),
        (Self::Api, 500),
        (Self::Timeout, 504),
        (Self::Overloaded, 529),
    ];

    /// Anthropic's name, e.g. `rate_limit_error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request_error",
            Self::Authentication => "authentication_error",
            Self::Billing => "billing_error",
            Self::Permission => "permission_error",
            Self::NotFound => "not_found_error",
            Self::TooLarge => "request_too_large",
            Self::RateLimit => "rate_limit_error",
            Self::Api => "api_error",
            Self::Timeout => "timeout_error",
            Self::Overloaded => "overloaded_error",
        }
    }

    /// The kind that goes with an HTTP status.
    pub fn of_status(status: u16) -> Self {
        let exact = Self::ALL.iter().find(|(_, its)| *its == status).map(|(kind, _)| *kind);
        exact.unwrap_or(match status {
            408 => Self::Timeout,
            503 => Self::Overloaded,
            400..=499 => Self::InvalidRequest,
            _ => Self::Api,
        })
    }
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
    fn to_json(&self) -> Json {
        match self {
            Self::Text(text) => json!({ "type": "text_delta", "text": text }),
            Self::Thinking(text) => json!({ "type": "thinking_delta", "thinking": text }),
            Self::Signature(text) => json!({ "type": "signature_delta", "signature": text }),
            Self::InputJson(text) => json!({ "type": "input_json_delta", "partial_json": text }),
            Self::Other(delta) => delta.clone(),
        }
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
        format!("event: {}\ndata: {}\n\n", self.name(), self.to_json())
    }
}
