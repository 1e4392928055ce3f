//! `plugin`: what there is, and what is trusted. What is here runs no plugin's code.

mod list;
mod seal;
mod trust;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave plugin list
  promptweave plugin trust path/to/plugin --dry-run
  promptweave plugin trust acme-workspace --revoke
  promptweave plugin seal . --library libacme_workspace.so";

/// List plugins, trust them by the digest of their files, make them ready to publish
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Plugin {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    List(list::PluginList),
    Trust(trust::PluginTrust),
    Seal(seal::PluginSeal),
}

impl Plugin {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match &self.what {
            What::List(verb) => verb.run(console),
            What::Trust(verb) => verb.run(console),
            What::Seal(verb) => verb.run(console),
        }
    }
}
