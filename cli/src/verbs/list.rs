//! `list`: what there is, where it comes from, what it shadows.

use clap::{Args, ValueEnum};
use promptweave::Registry;
use promptweave_inspect::{self as inspect, Entry};
use promptweave_loader::Listed;
use serde_json::Value as Json;

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::plugins::Plugins;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  promptweave list
  promptweave list variants --json
  promptweave list tools --pack packs/acme
  promptweave list plugins";

/// List variants, components, tools and plugins: id, origin, what they shadow
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// Only these
    #[arg(value_enum)]
    kind: Option<Kind>,
    #[command(flatten)]
    packs: PackFlags,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Variants,
    Components,
    Tools,
    Plugins,
}

impl From<Kind> for inspect::Kind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Variants => Self::Variants,
            Kind::Components => Self::Components,
            Kind::Tools => Self::Tools,
            Kind::Plugins => Self::Plugins,
        }
    }
}

impl List {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let engine = self.packs.bare_engine()?;
        console.tell(engine.diagnostics());
        let plugins = self.plugins(console);
        let entries = self.entries(engine.registry(), &plugins);
        if console.json {
            let entries: Json = entries.into_iter().map(Entry::into_json).collect();
            return console.out_json(&entries);
        }
        let mut table = Table::with_heads(&["kind", "id", "origin", "shadows"]);
        for entry in &entries {
            let shadows: Vec<String> =
                entry.shadows.iter().map(|shadowed| shadowed.origin.to_string()).collect();
            table.row([entry.kind, &entry.name, &entry.origin.to_string(), &shadows.join(", ")]);
        }
        console.out(table.text())
    }

    fn plugins(&self, console: &Console) -> Vec<Listed> {
        if !self.wants(Kind::Plugins) {
            return Vec::new();
        }
        let plugins = Plugins::find(&self.packs);
        console.tell(plugins.diagnostics());
        plugins.listed()
    }

    fn wants(&self, kind: Kind) -> bool {
        self.kind.is_none_or(|wanted| wanted == kind)
    }

    fn entries<'r>(&self, registry: &'r Registry, plugins: &[Listed]) -> Vec<Entry<'r>> {
        let wanted = Kind::value_variants().iter().filter(|kind| self.wants(**kind));
        wanted.flat_map(|kind| inspect::list(registry, plugins, (*kind).into())).collect()
    }
}
