//! What providers call the end of an answer.
//!
//! In: their words. Out: [`Meaning`]. Never: an unknown word that fails an answer; it means what the blocks say.

use crate::event::Stop;
use crate::target::Target;

/// What a word at the end of an answer means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The answer ended so; calls that were emitted may still make it `tool_use`.
    Ends(Stop),
    /// Nothing: the answer goes on, or whether there are calls decides.
    Open,
    /// The model failed.
    Fails,
}

use Meaning::{Ends, Fails, Open};

/// The words of one API.
pub(crate) type Table = &'static [(&'static str, Meaning)];

pub(crate) const CHAT: Table = &[
    ("stop", Ends(Stop::EndTurn)),
    ("end_turn", Ends(Stop::EndTurn)),
    ("length", Ends(Stop::MaxTokens)),
    ("model_length", Ends(Stop::MaxTokens)),
    ("max_tokens", Ends(Stop::MaxTokens)),
    ("tool_calls", Ends(Stop::ToolUse)),
    ("function_call", Ends(Stop::ToolUse)),
    ("content_filter", Ends(Stop::Refusal)),
    ("error", Fails),
    ("insufficient_system_resource", Fails),
    ("", Open),
];

pub(crate) const RESPONSES: Table = &[
    ("completed", Ends(Stop::EndTurn)),
    ("max_output_tokens", Ends(Stop::MaxTokens)),
    ("content_filter", Ends(Stop::Refusal)),
    ("incomplete", Ends(Stop::MaxTokens)),
    ("failed", Fails),
    ("cancelled", Fails),
];

pub(crate) const GEMINI: Table = &[
    ("STOP", Ends(Stop::EndTurn)),
    ("MAX_TOKENS", Ends(Stop::MaxTokens)),
    ("SAFETY", Ends(Stop::Refusal)),
    ("RECITATION", Ends(Stop::Refusal)),
    ("LANGUAGE", Ends(Stop::Refusal)),
    ("BLOCKLIST", Ends(Stop::Refusal)),
    ("PROHIBITED_CONTENT", Ends(Stop::Refusal)),
    ("SPII", Ends(Stop::Refusal)),
    ("IMAGE_SAFETY", Ends(Stop::Refusal)),
    ("MALFORMED_FUNCTION_CALL", Fails),
    ("UNEXPECTED_TOOL_CALL", Fails),
    ("OTHER", Open),
    ("FINISH_REASON_UNSPECIFIED", Open),
];

pub(crate) const BEDROCK: Table = &[
    ("end_turn", Ends(Stop::EndTurn)),
    ("tool_use", Ends(Stop::ToolUse)),
    ("max_tokens", Ends(Stop::MaxTokens)),
    ("stop_sequence", Ends(Stop::StopSequence)),
    ("guardrail_intervened", Ends(Stop::Refusal)),
    ("content_filtered", Ends(Stop::Refusal)),
    ("model_context_window_exceeded", Ends(Stop::ContextWindow)),
    ("malformed_model_output", Fails),
    ("malformed_tool_use", Fails),
];

/// The tables, with the targets that they hold for; Anthropic's words are the result's own.
pub(crate) const TABLES: &[(&[Target], Table)] = &[
    (&[Target::OpenAiChat, Target::OpenAiCompatible, Target::Xai], CHAT),
    (&[Target::OpenAiResponses], RESPONSES),
    (&[Target::Gemini], GEMINI),
    (&[Target::Bedrock], BEDROCK),
];

/// What a word means; one that the table does not have ends the answer as its blocks say.
pub(crate) fn meaning(table: Table, word: &str) -> Meaning {
    let known = table.iter().find(|(known, _)| *known == word);
    known.map_or(Ends(Stop::EndTurn), |(_, meaning)| meaning.clone())
}
