//! Agent Skills: finds them, lists them within a budget, reads them on demand.
//!
//! In: folders of the user and of a project. Out: skills with what was left out and why, an index that fits a number of
//! tokens, the text of one. Never: runs a script of a skill, follows a project's link out of the project, or offers the
//! skills of a project that nobody trusts.
//!
//! The format is that of agentskills.io, `SKILL.md` in a folder of its own. As a plugin this is one probe, `skills`; a host
//! links it in, `Plugins::builder().linked(promptweave_skills::plugin(), "{}")`, or loads the library that
//! `cargo build -p promptweave-skills --features export` makes. As a library, [`Shelf`] is where to begin.
//!
//! ```
//! use promptweave_skills::{Place, Scope, Shelf};
//!
//! let folder = tempfile::tempdir()?;
//! let skill = folder.path().join("release-notes");
//! std::fs::create_dir(&skill)?;
//! std::fs::write(skill.join("SKILL.md"), "---\nname: release-notes\ndescription: Writes them.\n---\nRead the log.\n")?;
//!
//! let shelf = Shelf::new(vec![Place::free(folder.path(), Scope::User)]);
//! let found = shelf.look();
//! let index = found.index(Some(100));
//! assert_eq!(index.entries[0].description, "Writes them.");
//! assert_eq!(found.skills[0].read(None)?.text, "Read the log.\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod check;
mod config;
mod files;
mod index;
mod note;
mod probe;
mod read;
mod scan;
mod shelf;
mod skill;

use promptweave_plugin::export_plugin;

pub use check::{Fault, check};
pub use config::FOLDERS;
pub use index::{Entry, Form, Index, tokens};
pub use note::{Code, Gravity, Note};
pub use read::{ReadError, Text};
pub use scan::{Place, Trust};
pub use shelf::{Found, Shelf};
pub use skill::{Listing, Scope, Skill};

export_plugin! {
    name: "skills", version: env!("CARGO_PKG_VERSION"),
    description: "Finds Agent Skills of the user and the project, within a token budget",
    license: "MIT OR Apache-2.0",
    state: probe::State, init: probe::State::read,
    probes: [probe::Skills],
    symbol: cfg(feature = "export"),
}
