//! `list`: what there is, where it comes from, what it shadows.

use clap::{Args, ValueEnum};
use promptweave::{Origin, Registry, Shadowed, SourceFile};
use promptweave_loader::Listed;
use serde_json::{Value as Json, json};

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

/// One line of the list.
struct Entry<'r> {
    kind: &'static str,
    /// Of variants with the number: `claude@2`.
    name: String,
    /// None of a plugin: it may lie outside of packs.
    pack: Option<&'r str>,
    origin: Origin,
    shadows: Vec<&'r Shadowed>,
    json: Json,
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
        let wants = |kind| self.wants(kind);
        let mut entries = Vec::new();
        if wants(Kind::Variants) {
            entries.extend(variants(registry));
        }
        if wants(Kind::Components) {
            entries.extend(components(registry));
        }
        if wants(Kind::Tools) {
            entries.extend(tools(registry));
        }
        entries.extend(plugins.iter().map(plugin));
        entries
    }
}

impl Entry<'_> {
    fn into_json(self) -> Json {
        let shadows: Json = self.shadows.iter().map(|shadowed| place(shadowed)).collect();
        let mut json = self.json;
        json["kind"] = json!(self.kind);
        if let Some(pack) = self.pack {
            json["pack"] = json!(pack);
        }
        json["origin"] = self.origin.to_json();
        json["shadows"] = shadows;
        json
    }
}

fn place(shadowed: &Shadowed) -> Json {
    json!({ "pack": shadowed.pack.as_str(), "origin": shadowed.origin.to_json() })
}

fn shadows<'r>(registry: &'r Registry, kind: &str, id: &str) -> Vec<&'r Shadowed> {
    let same = |shadowed: &&Shadowed| shadowed.kind == kind && &*shadowed.id == id;
    registry.shadowed.iter().filter(same).collect()
}

fn variants(registry: &Registry) -> impl Iterator<Item = Entry<'_>> {
    let all = registry
        .variants
        .iter()
        .filter_map(|(id, versions)| Some((id.as_str(), versions, registry.current(id.as_str())?)));
    all.map(|(id, versions, current)| {
        let numbers: Vec<u32> = versions.by_number.keys().copied().collect();
        Entry {
            kind: "variant",
            name: format!("{id}@{}", current.version),
            pack: Some(current.pack.as_str()),
            origin: current.origin.clone(),
            shadows: shadows(registry, "variant", id),
            json: json!({
                "id": id, "version": current.version, "versions": numbers, "labels": versions.labels,
                "family": current.family, "description": current.description, "tags": current.tags,
            }),
        }
    })
}

fn components(registry: &Registry) -> impl Iterator<Item = Entry<'_>> {
    registry.components.iter().map(|(id, component)| Entry {
        kind: "component",
        name: id.to_string(),
        pack: Some(component.pack.as_str()),
        origin: component.origin.clone(),
        shadows: shadows(registry, "component", id.as_str()),
        json: json!({ "id": id.as_str(), "description": component.description }),
    })
}

fn tools(registry: &Registry) -> impl Iterator<Item = Entry<'_>> {
    registry.tools.iter().map(|(id, tool)| Entry {
        kind: "tool",
        name: id.to_string(),
        pack: Some(tool.pack.as_str()),
        origin: tool.origin.clone(),
        shadows: shadows(registry, "tool", id.as_str()),
        json: json!({ "id": id.as_str(), "role": tool.role }),
    })
}

/// What one shadows is told when plugins are looked for.
fn plugin<'r>(plugin: &Listed) -> Entry<'r> {
    Entry {
        kind: "plugin",
        name: plugin.id.clone(),
        pack: None,
        origin: Origin::file(&SourceFile::new(plugin.path.clone(), ""), 0..0),
        shadows: Vec::new(),
        json: json!(plugin),
    }
}
