//! The words of the face: what a block is, how it ended, why the stream stopped.
//!
//! In: nothing. Out: names, also as text. Never: holds text of a reply.

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// For the user.
    Text,
    /// The model's thoughts.
    Reasoning,
    /// A call of a tool.
    ToolUse,
}

impl BlockKind {
    /// `text`, `reasoning` or `tool_use`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Reasoning => "reasoning",
            Self::ToolUse => "tool_use",
        }
    }

    /// What an id begins with.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Text => "text_",
            Self::Reasoning => "reasoning_",
            Self::ToolUse => "call_",
        }
    }
}

/// How a block ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Something in the reply ended it. Only a call that ended so is complete and may run.
    Text,
    /// The model stopped while it was open.
    Stop,
    /// The limit of tokens cut it.
    Length,
}

impl End {
    /// `text`, `stop` or `length`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Stop => "stop",
            Self::Length => "length",
        }
    }
}

/// Why the stream ended, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The model was done with its turn, or waits for the result of a call.
    EndTurn,
    /// A stop sequence, which may have swallowed a closing tag.
    StopSequence,
    /// The limit of tokens.
    MaxTokens,
    /// Refused, filtered, failed, or cut by the host.
    Aborted,
    /// Nobody says: blocks are described as of the last byte, and what is not ended stays partial.
    Unknown,
}

impl StopReason {
    /// The reason as a provider names it, in any case of letters; none for a name that no known provider uses.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "end_turn" | "stop" | "tool_use" | "tool_calls" | "function_call" | "complete"
            | "completed" | "eos" | "finish" | "pause_turn" => Self::EndTurn,
            "stop_sequence" => Self::StopSequence,
            "max_tokens"
            | "length"
            | "max_output_tokens"
            | "model_length"
            | "model_context_window_exceeded"
            | "incomplete" => Self::MaxTokens,
            "refusal"
            | "content_filter"
            | "safety"
            | "error"
            | "failed"
            | "cancelled"
            | "aborted"
            | "recitation"
            | "malformed_function_call" => Self::Aborted,
            "unknown" | "null" | "" => Self::Unknown,
            _ => return None,
        })
    }

    /// How a block ended that was still open.
    pub(crate) fn end(self) -> Option<End> {
        match self {
            Self::EndTurn | Self::StopSequence | Self::Aborted => Some(End::Stop),
            Self::MaxTokens => Some(End::Length),
            Self::Unknown => None,
        }
    }
}

/// Why the parameters of a call are other than they were told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// A closing tag is implied by what follows, and was not seen.
    ImpliedCloser,
    /// A parameter came a second time; the last one counts.
    Repeated,
    /// A value ended later than it seemed to: what was taken for other parameters is part of it.
    LaterCloser,
    /// A value ended earlier than it seemed to.
    EarlierCloser,
    /// An example within the value was never closed.
    UnclosedExample,
}

impl Repair {
    /// The reason in kebab case, e.g. `implied-closer`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ImpliedCloser => "implied-closer",
            Self::Repeated => "repeated-parameter",
            Self::LaterCloser => "later-closer",
            Self::EarlierCloser => "earlier-closer",
            Self::UnclosedExample => "unclosed-example",
        }
    }
}
