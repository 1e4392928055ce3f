//! `parse_reply`.
//!
//! In: a reply, the tools that it may call. Out: what `parse --final` prints, in an object. Never: reads a dialect from a file.

use promptweave::Engine;
use promptweave_inspect::{self as inspect, Choice, Cut, Mode};
use promptweave_reply::{Block, Specs, Typed, Typing};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::refusal::Refusal;

/// A reply to cut.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ParseArguments {
    /// The text of the reply
    reply: String,
    /// The tools: `{"name": {"params": {"p": "raw|scalar"}}}`, or the list that a provider got; without it those of the packs
    #[serde(default)]
    specs: Option<Json>,
    /// Only these tools
    #[serde(default)]
    tools: Option<Vec<String>>,
    /// Each tool has these parameters
    #[serde(default)]
    params: Option<Vec<String>>,
    /// These parameters are read raw, all others as scalars
    #[serde(default)]
    raw: Option<Vec<String>>,
    /// How the reply is cut
    #[serde(default)]
    mode: ParseMode,
    /// The name of a dialect, or `auto`
    #[serde(default)]
    dialect: Option<String>,
    /// The tools and the dialect of this variant
    #[serde(default)]
    variant: Option<String>,
    /// Why the model stopped, as its provider says
    #[serde(default)]
    stop_reason: Option<String>,
    /// Values get the type that the tool's schema states
    #[serde(default)]
    typed: bool,
    /// Accept a call in a code fence that holds nothing else
    #[serde(default)]
    fenced_calls: bool,
    /// The prompt's template has opened the reasoning
    #[serde(default)]
    starts_in_reasoning: bool,
    /// A call ends reasoning
    #[serde(default)]
    call_ends_reasoning: bool,
    /// Each tag that is a name ends so
    #[serde(default)]
    tag_suffix: Option<String>,
}

/// Which machine cuts.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ParseMode {
    /// Tells real tags from those in code, prose, files and examples
    #[default]
    Robust,
    /// What the parser of Cline 4.0 makes of it
    Exact,
}

impl From<ParseMode> for Mode {
    fn from(mode: ParseMode) -> Self {
        match mode {
            ParseMode::Robust => Self::Robust,
            ParseMode::Exact => Self::Exact,
        }
    }
}

impl ParseArguments {
    /// `{blocks}`.
    pub(super) fn parse(self, engine: &Engine) -> Result<Json, Refusal> {
        let reason = inspect::stop_reason(self.stop_reason.as_deref());
        let reason = reason.map_err(Refusal::arguments)?;
        let specs = self.specs.map(|specs| Specs::read_tools(&specs.to_string())).transpose();
        let choice = Choice {
            specs: specs.map_err(Refusal::arguments)?,
            tools: self.tools,
            params: self.params,
            raw: self.raw,
            variant: self.variant,
        };
        let chosen = choice.choose(engine.registry())?;
        let named = self.dialect.as_deref().or(chosen.dialect.as_deref());
        let dialect = named.map(inspect::dialect).transpose().map_err(Refusal::arguments)?;
        let cut = Cut {
            mode: self.mode.into(),
            dialect,
            fenced_calls: self.fenced_calls,
            starts_in_reasoning: self.starts_in_reasoning,
            call_ends_reasoning: self.call_ends_reasoning,
            tag_suffix: self.tag_suffix,
        };
        let mut parser = cut.parser(&chosen)?;
        parser.push(self.reply.as_bytes());
        parser.finish(reason);
        let typing = if self.typed { Typing::BySchema } else { Typing::AsWritten };
        let blocks: Vec<Block<'_>> = parser.blocks().collect();
        let blocks: Vec<_> = blocks.iter().map(|block| Typed(block, typing)).collect();
        Ok(json!({ "blocks": blocks }))
    }
}
