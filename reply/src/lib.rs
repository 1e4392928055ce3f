//! Cuts a model's streamed reply into text, reasoning and tool calls.
#![forbid(unsafe_code)]

mod buffer;
mod dialect;
mod event;
mod events;
mod exact;
mod flow;
mod json;
mod literal;
mod parser;
mod pattern;
mod robust;
mod scan;
mod space;
mod specs;
mod store;
mod view;

pub use parser::Parser;
pub use specs::{ParamKind, ParamSpec, Specs, SpecsError, ToolSpec};

pub use event::{BlockKind, End, Repair, StopReason};
pub use events::{Event, Events};
pub use view::{Block, Blocks, Param, ToolUse, Value};

pub use dialect::{Dialect, DialectError, DialectTable};
pub use json::{Typed, Typing};
pub use robust::NativeEvent;
