//! What is shown of packs and prompts: one shape of JSON for the command line, the preview and MCP.
//!
//! In: an engine, contexts, replies. Out: JSON, and the data that it is made of. Never: reads a file, prints, or decides what a
//! prompt says.
//!
//! [`Built`] is a prompt with what it was built with; what can be asked of one or two of them are functions beside it. The others
//! ask an engine: [`check`], [`list`], [`show`], [`schema`], [`matrix`].
#![forbid(unsafe_code)]

mod built;
mod check;
mod compare;
mod diff;
mod effect;
mod list;
mod matrix;
mod overlay;
mod parse;
mod payload;
mod place;
mod schema;
mod show;
mod specs;

pub use built::Built;
pub use check::check;
pub use compare::{Change, Pair, Part, Weight, difference, pairs, parts};
pub use diff::{Side, asides, deltas, diff};
pub use effect::{Amount, Apart, Effect, Ends, Tools, effect};
pub use list::{Entry, Kind, list};
pub use matrix::{Cell, Figures, Variants, matrix, variants};
pub use overlay::{Assignment, Misplaced, Overlay, assign};
pub use parse::{Cut, Mode, StopReasonError, UnknownDialect, dialect, stop_reason};
pub use payload::{PayloadOptions, payload};
pub use place::{char_start, common_prefix, position};
pub use schema::{ANSWER_SCHEMAS, RESULT_SCHEMA, SchemaKind, schema};
pub use show::{ShowKind, Shown, show};
pub use specs::{Choice, Chosen, SpecsProblem};
