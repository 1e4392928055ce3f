//! `trust`: lets a project's pack load, and shows first what it would change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Engine, Origin, Pack, Registry, TrustStore, Variant};
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::{self, PROJECT_FOLDER, PackFlags};
use crate::table::{Table, visible};

const EXAMPLES: &str = "\
Examples:
  promptweave trust . --dry-run
  promptweave trust path/to/project";

/// Let a project's pack load: shows what it would change, then remembers the folder
///
/// On a terminal it asks before it remembers. Trust covers the folder as it is and as it will be, but
/// never a folder inside it, and no code.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Trust {
    /// The project, the folder that holds `.promptweave`
    dir: PathBuf,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    #[command(flatten)]
    packs: PackFlags,
}

/// One thing that the pack brings or touches.
struct Change {
    what: &'static str,
    kind: &'static str,
    id: String,
    origin: Origin,
    /// What stood there before.
    before: Option<Origin>,
}

impl Trust {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let project = project(&self.dir)?;
        let (base, with) = self.packs.engines_with(&project.join(PROJECT_FOLDER))?;
        console.tell(&promptweave_inspect::check(&with, None));
        let changes = changes(base.registry(), with.registry());
        if !console.json {
            console.out(shown(&project, &with, &changes))?;
        }
        let trusts = !self.dry_run && (self.yes || console.agreed("trust this folder?"));
        if trusts {
            remember(&project)?;
        }
        if console.json {
            let changes: Json = changes.iter().map(Change::to_json).collect();
            let folder = project.display().to_string();
            return console.out_json(&json!({
                "folder": folder, "changes": changes, "trusted": trusts,
            }));
        }
        console.say(match (trusts, self.dry_run) {
            (true, _) => "trusted\n",
            (false, true) => "not trusted yet\n",
            (false, false) => "not trusted\n",
        });
        Ok(())
    }
}

impl Change {
    fn to_json(&self) -> Json {
        json!({
            "change": self.what, "kind": self.kind, "id": self.id, "origin": self.origin.to_json(),
            "before": self.before.as_ref().map(Origin::to_json),
        })
    }
}

/// The project's folder, also when its pack's folder is named.
fn project(dir: &Path) -> Result<PathBuf, Failure> {
    let found = dir.canonicalize().map_err(|error| {
        Failure::input(
            format!("`{}` cannot be read: {error}", dir.display()),
            "name a project's folder",
        )
    })?;
    let found = match found.parent() {
        Some(parent) if found.ends_with(PROJECT_FOLDER) => parent.to_owned(),
        _ => found,
    };
    if found.join(PROJECT_FOLDER).is_dir() {
        return Ok(found);
    }
    let message = format!("`{}` has no folder `{PROJECT_FOLDER}`", dir.display());
    Err(Failure::input(message, "`promptweave new pack` makes one"))
}

fn remember(project: &Path) -> Result<(), Failure> {
    let file = packs::trust_file();
    let file = file.ok_or_else(|| {
        Failure::input("there is no home folder", "set `HOME` to an absolute path")
    })?;
    TrustStore::open(&file).trust(project).map_err(|error| {
        let message = format!("`{}` cannot take the folder: {error}", file.display());
        Failure::input(message, "mend or remove the file")
    })
}

fn shown(project: &Path, with: &Engine, changes: &[Change]) -> String {
    let mut table = Table::default();
    for change in changes {
        let before = change.before.as_ref().map(|before| format!("was {before}"));
        let (origin, before) = (change.origin.to_string(), before.unwrap_or_default());
        table.row([change.what, change.kind, &change.id, &origin, &before]);
    }
    let own = |pack: &&Pack| {
        pack.origin.file_name().is_some_and(|name| Path::new(name).starts_with(project))
    };
    let pack = with.registry().packs.iter().find(own);
    let pack = pack.map(|pack| format!("pack {} {}", pack.name, visible(&pack.version)));
    let lines = if changes.is_empty() { "it changes nothing\n".into() } else { table.text() };
    format!("{}: {}\n{lines}", visible(&project.display().to_string()), pack.unwrap_or_default())
}

/// One thing of a registry, comparable with the same thing of another.
struct Thing {
    origin: Origin,
    /// Everything about it; two that are equal here build the same.
    whole: String,
}

fn things(registry: &Registry) -> BTreeMap<(&'static str, String), Thing> {
    let mut things = BTreeMap::new();
    let mut add = |kind, id: String, origin: &Origin, whole: String| {
        things.insert((kind, id), Thing { origin: origin.clone(), whole });
    };
    for versions in registry.variants.values() {
        for (number, variant) in &versions.by_number {
            let id = format!("{}@{number}", variant.id);
            // Where its pack stands in the stack is nothing about it.
            let mut variant = Variant::clone(variant);
            variant.rank = 0;
            add("variant", id, &variant.origin, format!("{variant:?}"));
        }
    }
    for (id, component) in &registry.components {
        add("component", id.to_string(), &component.origin, format!("{component:?}"));
    }
    for (id, tool) in &registry.tools {
        add("tool", id.to_string(), &tool.origin, format!("{tool:?}"));
    }
    for (name, partial) in &registry.partials {
        let source = partial.source();
        add("partial", name.to_string(), &source.origin, source.text.to_string());
    }
    for (path, key) in &registry.keys {
        add("context key", path.to_string(), &key.origin, format!("{key:?}"));
    }
    things
}

fn changes(base: &Registry, with: &Registry) -> Vec<Change> {
    let mut before = things(base);
    let mut changes = Vec::new();
    for ((kind, id), thing) in things(with) {
        let old = before.remove(&(kind, id.clone()));
        let what = match &old {
            None => "adds",
            Some(old) if old.whole == thing.whole => continue,
            Some(old) if old.origin.to_string() == thing.origin.to_string() => "changes",
            Some(_) => "replaces",
        };
        let before = old.map(|old| old.origin).filter(|_| what == "replaces");
        changes.push(Change { what, kind, id, origin: thing.origin, before });
    }
    let removed = before.into_iter().map(|((kind, id), thing)| Change {
        what: "removes",
        kind,
        id,
        origin: thing.origin,
        before: None,
    });
    changes.extend(removed);
    changes
}
