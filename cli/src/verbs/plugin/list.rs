//! `plugin list`: each plugin with what is known of it from its files.
//!
//! In: the places where plugins lie. Out: a row for each. Never: runs one.

use clap::Args;
use promptweave_loader::{Listed, ListedItem, Part, Runs};
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::plugins::Plugins;
use crate::table::Table;

/// How many digits of a digest are shown.
const SHORT: usize = 12;

/// List plugins: version, state, where they would run, what they supply. Runs none
#[derive(Args)]
pub(crate) struct PluginList {
    #[command(flatten)]
    packs: PackFlags,
}

impl PluginList {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let plugins = Plugins::find(&self.packs);
        console.tell(plugins.diagnostics());
        let listed = plugins.listed();
        if console.json {
            return console.out_json(&json!(listed));
        }
        let heads = ["id", "version", "place", "abi", "state", "runs", "items", "sha256", "path"];
        let mut table = Table::with_heads(&heads);
        for plugin in &listed {
            table.row(cells(plugin));
        }
        console.out(table.text())
    }
}

fn cells(plugin: &Listed) -> [String; 9] {
    let digest = plugin.sha256.map(|digest| digest.to_string()).unwrap_or_default();
    [
        plugin.id.clone(),
        plugin.version.clone().unwrap_or_default(),
        plugin.place.to_string(),
        plugin.abi.clone().unwrap_or_default(),
        state(plugin),
        plugin.runs.map_or("", Runs::as_str).into(),
        items(plugin.items.as_deref()),
        digest.chars().take(SHORT).collect(),
        plugin.path.clone(),
    ]
}

fn state(plugin: &Listed) -> String {
    let changed: Vec<String> = plugin.changed.iter().map(Part::to_string).collect();
    match &*changed {
        [] => plugin.state.into(),
        parts => format!("{}: {}", plugin.state, parts.join(", ")),
    }
}

/// The ids of items with their kinds.
pub(super) fn items(items: Option<&[ListedItem]>) -> String {
    let Some(items) = items else { return "unknown".into() };
    let shown: Vec<String> =
        items.iter().map(|item| format!("{} {}", item.kind.as_str(), item.id)).collect();
    shown.join(", ")
}
