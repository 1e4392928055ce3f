//! Tests plugins of promptweave.
//!
//! Three things for the author of a plugin:
//!
//! - [`TestPlugin`] calls items without a host around them;
//! - [`fixture`] and [`fixture_c`] build libraries from inside a test;
//! - [`check`] holds a library against every promise of the ABI, each check in a process of its own. It is what
//!   `promptweave plugin check` runs; `docs/plugin-checks.md` lists [`checks`].
//!
//! ```
//! use promptweave_plugin::{Cache, Component, Cx, Error, Section, export_plugin};
//! use promptweave_testkit::TestPlugin;
//! use serde_json::json;
//!
//! struct Workspace;
//!
//! impl Component<()> for Workspace {
//!     const ID: &'static str = "workspace";
//!     const DESCRIPTION: &'static str = "Names the working folder";
//!     const DEPS: &'static [&'static str] = &["cwd"];
//!     const CACHE: Cache = Cache::Session;
//!
//!     fn render((): &(), cx: &mut Cx<'_>) -> Result<Section, Error> {
//!         let Some(cwd) = cx.get_str("cwd")? else { return Ok(Section::Nothing) };
//!         write!(cx, "You work in {cwd}.\n")?;
//!         Ok(Section::Written)
//!     }
//! }
//!
//! fn init(_: &str) -> Result<(), Error> {
//!     Ok(())
//! }
//!
//! export_plugin! {
//!     name: "acme", version: "1.0.0", state: (), init: init, components: [Workspace],
//! }
//!
//! let acme = TestPlugin::linked(plugin())?;
//! let called = acme.component("workspace").context(json!({ "cwd": "/src/acme" })).call();
//! assert_eq!(called.text.as_deref(), Some("You work in /src/acme.\n"));
//! assert_eq!(acme.component("workspace").call().text, None);
//! # Ok::<(), String>(())
//! ```
//!
//! Unix alone; what compares processes is only tried on Linux.

mod checks;
mod fixture;
mod fuzz;
mod guard;
mod host;
mod loaded;
mod measure;
mod plugin;
mod raw;
mod run;
mod sample;
mod scene;
mod system;
mod target;

pub use fixture::{fixture, fixture_c};
pub use plugin::{Call, TestPlugin};
pub use promptweave_loader::harness::{Called, Told, Where};

pub use checks::{Check, Stage, checks};
pub use measure::{Measured, MeasuredItem, Times, measure};
pub use promptweave_loader::{HostProgram, Keys};
pub use run::{Checked, Effort, Fuzzed, Options, Process, Report, Status, check, fuzz, serve};
pub use target::{SETTINGS_FILE, TargetError};
