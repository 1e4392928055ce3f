//! A plugin that reads CLAUDE.md, AGENTS.md and the like as each agent host reads them.
//!
//! In: the context's `cwd`, `home` and `touched`, a configuration. Out: the keys `rules.files` and `rules.merged`, and
//! the component `instruction_files`, which prints the latter. Never: starts a program, opens a
//! socket, or runs code that a project brings along; a project's file reaches outside of the project only where the user approved it.
//!
//! A host links it in, `Plugins::builder().linked(promptweave_instructions::plugin(), "{}")`, or loads the library
//! that `cargo build -p promptweave-instructions --features export` makes. Without an engine:
//!
//! ```
//! use promptweave_instructions::{Place, Profile, discover};
//!
//! let place = Place::new(env!("CARGO_MANIFEST_DIR"));
//! let found = discover(&Profile::named("codex")?, &place);
//! let joined: String = found.spans.iter().map(|span| &found.text[span.start..span.end]).collect();
//! assert_eq!(joined, found.text);
//! # Ok::<(), String>(())
//! ```
#![forbid(unsafe_code)]

mod config;
mod discover;
mod due;
mod files;
mod front;
mod globs;
mod imports;
mod markdown;
mod merge;
mod place;
mod probe;
mod profile;
mod report;
mod rule;
mod section;
mod text;

use promptweave_plugin::export_plugin;

pub use discover::{MAX_ALL_BYTES, MAX_FILE_BYTES, MAX_FILES, discover};
pub use globs::Globs;
pub use merge::{Change, Instructions, Span};
pub use place::Place;
pub use profile::Profile;
pub use report::{Entry, Note, Outcome, Skip};
pub use rule::{Applies, Piece, Rule, Scope};

export_plugin! {
    name: "instructions", version: env!("CARGO_PKG_VERSION"),
    description: "Reads CLAUDE.md, AGENTS.md and the like as each agent host reads them",
    license: "MIT OR Apache-2.0",
    state: config::Config, init: config::Config::read,
    components: [section::InstructionFiles],
    probes: [probe::Files, probe::Merged],
    symbol: cfg(feature = "export"),
}
