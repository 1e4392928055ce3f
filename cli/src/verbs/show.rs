//! `show`: the source of one thing, from wherever it comes.

use clap::{Args, ValueEnum};
use promptweave::SourceFile;
use promptweave_inspect::{ShowKind, show};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;

const EXAMPLES: &str = "\
Examples:
  promptweave show component editing
  promptweave show variant claude
  promptweave show tool read_file > tools/read_file.toml";

/// Print the source of a variant, component, tool or partial
///
/// When it is written in more than one file, a line `==> FILE <==` stands before each.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// What it is
    #[arg(value_enum)]
    kind: Kind,
    /// Its id; of a variant also ID@VERSION or ID@LABEL
    id: String,
    #[command(flatten)]
    packs: PackFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Variant,
    Component,
    Tool,
    Partial,
}

impl From<Kind> for ShowKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Variant => Self::Variant,
            Kind::Component => Self::Component,
            Kind::Tool => Self::Tool,
            Kind::Partial => Self::Partial,
        }
    }
}

impl Show {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let engine = self.packs.bare_engine()?;
        console.tell(engine.diagnostics());
        let shown = show(engine.registry(), self.kind.into(), &self.id).map_err(Failure::Usage)?;
        if console.json {
            return console.out_json(&shown.to_json());
        }
        match shown.0.as_slice() {
            [] => {
                Err(Failure::Usage(format!("`{}` is supplied by code and has no source", self.id)))
            }
            [only] => console.out(only.text()),
            several => console.out(several.iter().map(|file| headed(file)).collect::<String>()),
        }
    }
}

fn headed(file: &SourceFile) -> String {
    let end = if file.text().ends_with('\n') { "" } else { "\n" };
    format!("==> {} <==\n{}{end}", file.name(), file.text())
}
