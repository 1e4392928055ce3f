//! `trust`: lets a project's pack and its skills in, and shows first what that would change.

mod outside;
mod packs;

use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Diagnostic, Engine, Origin, Pack, TrustStore};
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::packs::{PACK_FILE, PROJECT_FOLDER, PackFlags, pack_dir, trust_file};
use crate::table::{Table, visible};
use crate::verbs::check;

const EXAMPLES: &str = "\
Examples:
  promptweave trust . --dry-run
  promptweave trust path/to/project";

/// Let a project's pack and skills in: shows what changes, then remembers the folder
///
/// On a terminal it asks before it remembers. Trust covers the folder as it is and as it will be, but
/// never a folder inside it, and no code. Instruction files, which agents read of any project, are shown too.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Trust {
    /// The project, the folder that holds `.promptweave`, skills or instruction files
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

/// One thing that the project brings or touches.
struct Change {
    what: &'static str,
    kind: &'static str,
    id: String,
    origin: Origin,
    /// What stood there before.
    before: Option<Origin>,
}

/// What trust in a project would let in.
struct Brought {
    /// The engine with its pack, where it has one.
    with: Option<Engine>,
    changes: Vec<Change>,
    told: Vec<Diagnostic>,
}

impl Trust {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let project = project(&self.dir)?;
        let brought = self.brought(&project)?;
        console.tell(&brought.told);
        if !console.json {
            console.out(shown(&project, &brought))?;
        }
        let trusts = !self.dry_run && (self.yes || console.agreed("trust this folder?"));
        if trusts {
            remember(&project)?;
        }
        if console.json {
            let changes: Json = brought.changes.iter().map(Change::to_json).collect();
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

    fn brought(&self, project: &Path) -> Result<Brought, Failure> {
        let (mut changes, mut told) = outside::skills(project);
        changes.extend(outside::instructions(project));
        let own = project.join(PROJECT_FOLDER);
        if !own.join(PACK_FILE).is_file() {
            if changes.is_empty() {
                return Err(nothing(&self.dir, &own));
            }
            return Ok(Brought { with: None, changes, told });
        }
        let (base, with) = self.packs.engines_with(&own)?;
        let mut all = packs::changes(base.registry(), with.registry());
        all.append(&mut changes);
        let mut of_pack =
            promptweave_inspect::check(&with, Some(&check::known_skills(project)), None);
        of_pack.append(&mut told);
        Ok(Brought { with: Some(with), changes: all, told: of_pack })
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
    Ok(found)
}

/// There is nothing that could be trusted.
fn nothing(dir: &Path, own: &Path) -> Failure {
    if let Some(no_pack) = own.is_dir().then(|| pack_dir(own).err()).flatten() {
        return no_pack;
    }
    let message = format!("`{}` has no pack, no skills and no instruction files", dir.display());
    Failure::input(message, "name the folder that holds them; `promptweave new pack` makes a pack")
}

fn remember(project: &Path) -> Result<(), Failure> {
    let file = trust_file();
    let file = file.ok_or_else(|| {
        Failure::input("there is no home folder", "set `HOME` to an absolute path")
    })?;
    TrustStore::open(&file).trust(project).map_err(|error| {
        let message = format!("`{}` cannot take the folder: {error}", file.display());
        Failure::input(message, "mend or remove the file")
    })
}

fn shown(project: &Path, brought: &Brought) -> String {
    let mut table = Table::default();
    for change in &brought.changes {
        let before = change.before.as_ref().map(|before| format!("was {before}"));
        let (origin, before) = (change.origin.to_string(), before.unwrap_or_default());
        table.row([change.what, change.kind, &change.id, &origin, &before]);
    }
    let own = |pack: &&Pack| {
        pack.origin.file_name().is_some_and(|name| Path::new(name).starts_with(project))
    };
    let packs = brought.with.iter().flat_map(|with| &with.registry().packs);
    let pack = packs.into_iter().find(own);
    let pack = pack.map(|pack| format!("pack {} {}", pack.name, visible(&pack.version)));
    let pack = pack.unwrap_or_else(|| "no pack".into());
    let lines =
        if brought.changes.is_empty() { "it changes nothing\n".into() } else { table.text() };
    format!("{}: {pack}\n{lines}", visible(&project.display().to_string()))
}
