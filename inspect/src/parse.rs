//! How a reply is cut.
//!
//! In: settings, the tools that were chosen. Out: a parser. Never: reads a file: a table of a dialect
//! comes in as text.

use promptweave_reply::{Dialect, Parser, StopReason};

use crate::specs::{Chosen, SpecsProblem};

/// Which machine cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Tells real tags from those in code, prose, files and examples.
    #[default]
    Robust,
    /// What the parser of Cline 4.0 makes of it, mistakes included.
    Exact,
}

/// How a reply is cut.
#[derive(Clone, Debug, Default)]
pub struct Cut {
    /// The machine.
    pub mode: Mode,
    /// How calls are written; in any way when it is not said.
    pub dialect: Option<Dialect>,
    /// Accepts a call in a code fence that holds nothing else.
    pub fenced_calls: bool,
    /// The prompt's template has opened the reasoning.
    pub starts_in_reasoning: bool,
    /// A call ends reasoning.
    pub call_ends_reasoning: bool,
    /// Each tag that is a name ends so.
    pub tag_suffix: Option<String>,
}

/// A name that no provider stops with.
#[derive(Debug, thiserror::Error)]
#[error(
    "no provider stops for the reason `{0}`; give end_turn, stop_sequence, max_tokens or aborted"
)]
pub struct StopReasonError(pub String);

/// A name of no dialect.
#[derive(Debug, thiserror::Error)]
#[error("there is no dialect `{0}`; give auto, or one of {known}", known = Dialect::names().collect::<Vec<_>>().join(", "))]
pub struct UnknownDialect(pub String);

/// Why the model stopped, as its provider says; nobody says when there is no name.
///
/// # Errors
/// No known provider uses the name.
pub fn stop_reason(name: Option<&str>) -> Result<StopReason, StopReasonError> {
    match name {
        None => Ok(StopReason::Unknown),
        Some(name) => StopReason::named(name).ok_or_else(|| StopReasonError(name.into())),
    }
}

/// The dialect of a name.
///
/// # Errors
/// There is none of that name.
pub fn dialect(name: &str) -> Result<Dialect, UnknownDialect> {
    Dialect::named(name).ok_or_else(|| UnknownDialect(name.into()))
}

impl Cut {
    /// A parser for these tools.
    ///
    /// # Errors
    /// [`SpecsProblem::NoTag`].
    pub fn parser(self, chosen: &Chosen) -> Result<Parser, SpecsProblem> {
        if self.mode == Mode::Exact {
            return Ok(Parser::exact(&chosen.tool_names(), &chosen.param_names()));
        }
        let mut parser = Parser::new(chosen.specs()?);
        parser = self.dialect.into_iter().fold(parser, Parser::dialect);
        if self.fenced_calls {
            parser = parser.fenced_calls();
        }
        if self.starts_in_reasoning {
            parser = parser.starts_in_reasoning();
        }
        if self.call_ends_reasoning {
            parser = parser.call_ends_reasoning();
        }
        Ok(self.tag_suffix.iter().fold(parser, Parser::tag_suffix))
    }
}
