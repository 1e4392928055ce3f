//! `new`: scaffolds that pass `check` as they are.

mod component;
mod overriding;
pub(crate) mod pack;
mod plugin;
mod prompt;
mod quote;
mod tool;
mod variant;
mod wording;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::packs::{self, PackFlags};

const EXAMPLES: &str = "\
Examples:
  promptweave new pack packs/acme
  promptweave new pack packs/acme --from PROMPT.md
  promptweave new component house_rules --into packs/acme
  promptweave new override editing --variant claude
  promptweave new plugin acme-tickets --lang rust";

/// Make a pack, a part of one, or a plugin
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct New {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Pack(pack::NewPack),
    Variant(variant::NewVariant),
    Component(component::NewComponent),
    Tool(tool::NewTool),
    Override(overriding::NewOverride),
    Plugin(plugin::NewPlugin),
}

impl New {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match &self.what {
            What::Pack(new) => new.run(console),
            What::Variant(new) => new.run(console),
            What::Component(new) => new.run(console),
            What::Tool(new) => new.run(console),
            What::Override(new) => new.run(console),
            What::Plugin(new) => new.run(console),
        }
    }
}

/// Where a part goes, and which packs it is made for.
#[derive(Args)]
struct Place {
    /// The pack's folder; without it the pack here or the project's
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    #[command(flatten)]
    packs: PackFlags,
}

impl Place {
    fn dir(&self) -> Result<PathBuf, Failure> {
        let dir = self.into.clone().or_else(packs::pack_here).ok_or_else(|| {
            let why = "there is no pack here; name one by `--into`, or make one by `new pack`";
            Failure::Usage(why.into())
        })?;
        packs::pack_dir(&dir)?;
        Ok(dir)
    }
}

/// A file to be made: its path below the pack's folder, and its text.
type NewFile = (PathBuf, String);

/// Writes all files or, where one of them exists, none; prints their paths.
fn write_all(console: &Console, dir: &Path, new: &[NewFile]) -> Result<(), Failure> {
    let paths = || new.iter().map(|(path, text)| (dir.join(path), text));
    if let Some((path, _)) = paths().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Failure::Usage(format!("`{}` exists already", path.display())));
    }
    paths().try_for_each(|(path, text)| files::create(&path, text))?;
    written(console, paths().map(|(path, _)| path))
}

/// Prints the paths of files that were written, as the result: with `--json` an array.
fn written(console: &Console, paths: impl Iterator<Item = PathBuf>) -> Result<(), Failure> {
    let paths: Vec<String> = paths.map(|path| path.display().to_string()).collect();
    if console.json {
        return console.out_json(&paths);
    }
    console.out(paths.iter().map(|path| format!("{path}\n")).collect::<String>())
}

/// Refuses a name that has not the shape its kind asks for.
fn checked<T>(id: Result<T, promptweave::InvalidId>) -> Result<T, Failure> {
    id.map_err(|error| Failure::Usage(error.to_string()))
}
