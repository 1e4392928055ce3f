//! `plugin`: what there is, what is trusted, what keeps its promises. `list` and `trust` run no plugin's code.

mod bench;
mod check;
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
  promptweave plugin check target/release/libacme.so
  promptweave plugin seal . --library target/release/libacme.so";

/// List plugins, trust them by the digest of their files, check, measure and seal them
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Plugin {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Bench(bench::PluginBench),
    Check(check::PluginCheck),
    List(list::PluginList),
    Trust(trust::PluginTrust),
    Seal(seal::PluginSeal),
}

impl Plugin {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match &self.what {
            What::Bench(verb) => verb.run(console),
            What::Check(verb) => verb.run(console),
            What::List(verb) => verb.run(console),
            What::Trust(verb) => verb.run(console),
            What::Seal(verb) => verb.run(console),
        }
    }
}
