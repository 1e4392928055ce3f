//! Which tools a reply may call: of the packs, of a file, or named in the flags.
//!
//! In: flags. Out: tools with their parameters, and the dialect of a variant. Never: drops a name without saying so.

use std::path::PathBuf;

use clap::Args;
use promptweave::Engine;
use promptweave_inspect::{Choice, Chosen, SpecsProblem};
use promptweave_reply::{Specs, ToolSpec};

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::packs::PackFlags;

/// Which tools; without a flag those of the packs in force.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Tools")]
pub(super) struct SpecFlags {
    /// Read the tools from JSON: {"tools": {"name": {"params": {"p": "raw|scalar"}}}}, or the list that a provider got
    #[arg(long, value_name = "FILE", conflicts_with_all = ["tools", "params", "raw", "variant"])]
    specs: Option<PathBuf>,
    /// Only these tools, with commas between; an empty value is none
    #[arg(long, value_name = "NAMES")]
    tools: Option<String>,
    /// Each tool has these parameters
    #[arg(long, value_name = "NAMES")]
    params: Option<String>,
    /// These parameters are read raw, all others as scalars
    #[arg(long, value_name = "NAMES")]
    raw: Option<String>,
    /// The tools and the dialect of this variant
    #[arg(long, value_name = "ID[@VERSION|@LABEL]")]
    variant: Option<String>,
    #[command(flatten)]
    packs: PackFlags,
}

impl SpecFlags {
    /// The tools that the flags describe.
    pub(super) fn choose(&self, console: &Console) -> Result<Chosen, Failure> {
        let names = |flag: &Option<String>| flag.as_deref().map(list);
        let choice = Choice {
            specs: self.specs.as_deref().map(from_file).transpose()?,
            tools: names(&self.tools),
            params: names(&self.params),
            raw: names(&self.raw),
            variant: self.variant.clone(),
        };
        let engine = match choice.is_of_packs() {
            true => self.packs.engine()?,
            false => Engine::builder().build()?,
        };
        console.tell(engine.diagnostics());
        choice.choose(engine.registry()).map_err(problem)
    }
}

/// Why there are no tools.
pub(super) fn problem(why: SpecsProblem) -> Failure {
    Failure::Usage(why.to_string())
}

fn from_file(path: &std::path::Path) -> Result<Vec<ToolSpec>, Failure> {
    let read = Specs::read_tools(&files::read_file(path)?);
    read.map_err(|error| {
        let message = format!("`{}` names no tools: {error}", path.display());
        Failure::input(message, "give {\"tools\": {…}} or the list of tools that the provider got")
    })
}

/// The names between commas; none in an empty text.
fn list(names: &str) -> Vec<String> {
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}
