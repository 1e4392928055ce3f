//! `plugin`: what there is, and what is trusted. What is here runs no plugin's code.

mod list;
mod trust;

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave plugin list
  promptweave plugin trust path/to/plugin --dry-run
  promptweave plugin trust acme-workspace --revoke";

/// List plugins, and trust them by the digest of their files
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
}

impl Plugin {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match &self.what {
            What::List(verb) => verb.run(console),
            What::Trust(verb) => verb.run(console),
        }
    }
}
