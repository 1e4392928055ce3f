//! A plugin that tells where the agent works: git, system, shell, home, roots.
//!
//! In: the context's `cwd`, a configuration. Out: one probe for each context key; without `cwd` there is no
//! `git` and no `roots`. Never: starts a program, opens a socket, or runs code that a repository brings along, such as
//! hooks, filters and the file system monitor.
//!
//! A host links it in, `Plugins::builder().linked(promptweave_workspace::plugin(), "{}")`, or loads the library
//! that `cargo build -p promptweave-workspace --features export` makes.
#![forbid(unsafe_code)]

mod config;
mod git;
mod machine;
mod roots;

use std::path::Path;

use promptweave_plugin::{Cx, Error, export_plugin};

export_plugin! {
    name: "workspace", version: env!("CARGO_PKG_VERSION"),
    description: "Tells where the agent works: git, system, shell, home, roots",
    license: "MIT OR Apache-2.0",
    state: config::Config, init: config::Config::read,
    probes: [git::Git, machine::Os, machine::Shell, machine::Home, roots::Roots],
    symbol: cfg(feature = "export"),
}

/// The folder to look at. A plugin's process has a folder of its own, which is nobody's workspace.
fn folder<'a>(cx: &Cx<'a>) -> Result<Option<&'a Path>, Error> {
    Ok(cx.get_str("cwd")?.map(Path::new))
}

/// Writes what was found.
fn write(cx: &mut Cx<'_>, found: &impl serde::Serialize) -> Result<(), Error> {
    cx.write(&serde_json::to_string(found)?)
}
