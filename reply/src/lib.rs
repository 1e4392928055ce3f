//! Cuts a model's streamed reply into text, reasoning and tool calls.
//!
//! In: chunks of bytes as they arrive, or a provider's own events. Out: events, and blocks that can be looked at any
//! time. Never: parses again what it has parsed, runs a call, or calls complete what was cut.
//!
//! ```
//! use promptweave_reply::{Block, End, Event, ParamSpec, Parser, Specs, StopReason, ToolSpec};
//!
//! let path = ParamSpec::new("path", Some("string"));
//! let specs = Specs::from_tools(&[ToolSpec { name: "read_file".into(), params: vec![path] }]);
//! let mut parser = Parser::new(specs);
//! let mut ran = Vec::new();
//! for chunk in ["I look.\n<read_", "file>\n<path>a.rs</p", "ath>\n</read_file>"] {
//!     for event in parser.push(chunk) {
//!         // Only a call that ended in the text is complete.
//!         if let Event::Closed { end: Some(End::Text), block: Block::ToolUse(call), .. } = event {
//!             let path = call.param("path").expect("the tool's parameter");
//!             ran.push(format!("{} {}", call.name(), path.value.text()));
//!         }
//!     }
//! }
//! let _ = parser.finish(StopReason::EndTurn);
//! assert_eq!(ran, ["read_file a.rs"]);
//! assert!(matches!(parser.blocks().next(), Some(Block::Text { content, .. }) if content == "I look."));
//! ```
//!
//! Next: [`Parser`], then [`Event`]. `docs/replies.md` draws the machine, and describes the tables of dialects.
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
mod text;
mod view;

pub use parser::Parser;
pub use specs::{ParamKind, ParamSpec, Specs, SpecsError, ToolSpec};

pub use event::{BlockKind, End, Repair, StopReason};
pub use events::{Event, Events};
pub use text::Text;
pub use view::{Block, Blocks, Name, Param, ToolUse, Value};

pub use dialect::{Dialect, DialectError, DialectTable};
pub use json::{Typed, Typing};
pub use robust::NativeEvent;
