//! Why an answer ended, and what it cost.
//!
//! In: words and counts. Out: Anthropic's. Never: a count that includes another.

use serde_json::{Map, Value as Json};

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

    /// Whether an answer that ended so may end within the input of its last call.
    pub(crate) fn may_cut(&self) -> bool {
        matches!(self, Self::MaxTokens | Self::ContextWindow | Self::Refusal)
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
