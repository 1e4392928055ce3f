//! What all providers' answers are made of, before it is put in order.
//!
//! In: nothing. Out: [`Piece`]s, which the readers of `answer/` make and `assemble/` puts in order. Never: an index of a block.

use serde_json::Value as Json;

use crate::event::{Delta, Failure, Stop, Usage};
use crate::note::NoteCode;

/// A piece of an answer, in the order in which the provider told it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Piece {
    /// The answer begins; only the first says so.
    Start { id: Option<String>, model: Option<String> },
    /// More text.
    Text(String),
    /// More reasoning.
    Thinking(String),
    /// What goes back with the reasoning before it.
    Signature(String),
    /// Reasoning that nobody can read.
    Redacted(String),
    /// Text or reasoning that is open ends.
    TextEnd,
    /// More of a call.
    Call { key: usize, id: Option<String>, name: Option<String>, arguments: String },
    /// All arguments of a call; they count only where no piece of them came.
    CallWhole { key: usize, arguments: String },
    /// A call ends.
    CallEnd { key: usize },
    /// A block of Anthropic's begins.
    Block { key: usize, block: Json },
    /// More of it.
    BlockDelta { key: usize, delta: Delta },
    /// It ends.
    BlockEnd { key: usize },
    /// Counts, each the last word so far.
    Usage(Usage),
    /// Why the answer ends; the first says so.
    Finish(Finish),
    /// The answer failed.
    Fail(Failure),
    /// Something was adapted.
    Note(NoteCode),
    /// Nothing.
    Ping,
    /// The provider says that nothing follows.
    Done,
}

/// Why an answer ends, as the provider says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Finish {
    pub(crate) stop: Stop,
    pub(crate) sequence: Option<String>,
}

impl From<Stop> for Finish {
    fn from(stop: Stop) -> Self {
        Self { stop, sequence: None }
    }
}
