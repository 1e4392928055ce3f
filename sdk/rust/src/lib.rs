//! Writes plugins for promptweave in safe Rust.
//!
//! A plugin is a library that offers components, matchers, helpers, probes, variants and tools. Here is a
//! whole one; its `Cargo.toml` says `crate-type = ["cdylib"]`.
//!
//! ```
//! #![forbid(unsafe_code)]
//! use promptweave_plugin::{Cache, Component, Cx, Error, Section, export_plugin};
//!
//! /// What the configuration makes of the plugin; every call gets a reference to it.
//! struct State {
//!     greeting: String,
//! }
//!
//! impl State {
//!     // The configuration is JSON; `serde_json` reads it.
//!     fn from_config(config: &str) -> Result<State, Error> {
//!         let config: serde_json::Value = serde_json::from_str(config)?;
//!         let greeting = config["greeting"].as_str().unwrap_or("You work in");
//!         Ok(State { greeting: greeting.to_owned() })
//!     }
//! }
//!
//! /// A component is a name for facts and one function.
//! struct Workspace;
//!
//! impl Component<State> for Workspace {
//!     const ID: &'static str = "workspace";
//!     const DESCRIPTION: &'static str = "Names the working folder and the branch";
//!     // It can read these keys and no other, so the host knows when its text may change.
//!     const DEPS: &'static [&'static str] = &["cwd", "git.branch"];
//!     const CACHE: Cache = Cache::Session;
//!
//!     fn render(state: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
//!         let Some(cwd) = cx.get_str("cwd")? else { return Ok(Section::Nothing) };
//!         write!(cx, "{} {cwd}", state.greeting)?;
//!         if let Some(branch) = cx.get_str("git.branch")? {
//!             write!(cx, ", on the git branch {branch}")?;
//!         }
//!         cx.write(".\n")?;
//!         Ok(Section::Written)
//!     }
//! }
//!
//! export_plugin! {
//!     name: "acme", version: env!("CARGO_PKG_VERSION"), state: State, init: State::from_config,
//!     components: [Workspace],
//! }
//! ```
//!
//! An error costs the section and is told to the user; so is a panic, which ends at the border of the
//! library. Wrong facts (an id given twice, `Volatile` without a reason) do not compile. Next:
//! [`Component`], [`Cx`], [`export_plugin!`].

mod barrier;
mod cx;
mod error;
mod export;
mod items;
mod manifest;
mod table;
mod trampoline;
mod value;

pub use cx::{Cx, Report};
pub use error::Error;
pub use items::{Cache, Component, Data, Helper, Matcher, Probe, Section};
pub use promptweave_abi::{Entry, Level, Status};
pub use value::Value;

/// For what [`export_plugin!`] expands to alone.
#[doc(hidden)]
pub mod __private {
    pub use promptweave_abi::{HostApi, Item, Plugin, Status};

    pub use crate::manifest::manifest;
    pub use crate::table::{
        Head, Reads, component, handle, helper, matcher, plugin, probe, strs, tool, variant,
    };
    pub use crate::trampoline::{Definition, entry};
}
