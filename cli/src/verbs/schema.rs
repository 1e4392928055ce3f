//! `schema`: JSON Schemas of the formats, for editors.

use clap::{Args, ValueEnum};
use promptweave::Engine;
use promptweave_inspect::{SchemaKind, schema};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;

const EXAMPLES: &str = "\
Examples:
  promptweave schema variant > variant.schema.json
  promptweave schema context --pack packs/acme";

/// Print the JSON Schema (draft 2020-12) of a format
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Schema {
    /// The format
    #[arg(value_enum)]
    kind: Kind,
    #[command(flatten)]
    packs: PackFlags,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// pack.toml
    Pack,
    /// patch.toml
    Patch,
    /// A variant's file
    Variant,
    /// A component's file, or the front matter of one
    Component,
    /// A tool's file
    Tool,
    /// The context, with the keys that the packs in force declare
    Context,
    /// What `build --format json` prints
    Result,
}

impl From<Kind> for SchemaKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Pack => Self::Pack,
            Kind::Patch => Self::Patch,
            Kind::Variant => Self::Variant,
            Kind::Component => Self::Component,
            Kind::Tool => Self::Tool,
            Kind::Context => Self::Context,
            Kind::Result => Self::Result,
        }
    }
}

impl Schema {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let engine = match self.kind {
            Kind::Context => self.packs.bare_engine()?,
            Kind::Pack
            | Kind::Patch
            | Kind::Variant
            | Kind::Component
            | Kind::Tool
            | Kind::Result => Engine::builder().build()?,
        };
        console.tell(engine.diagnostics());
        let text = schema(self.kind.into(), engine.registry()).map_err(|error| {
            Failure::input(format!("the schema is broken: {error}"), "report this")
        })?;
        console.out(text)
    }
}
