//! `check`: everything that is wrong with packs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Diagnostic, Engine, Severity};
use promptweave_inspect::check;
use serde_json::Value as Json;

use crate::console::{Console, Progress};
use crate::failure::Failure;
use crate::packs::PackFlags;
use crate::table::{count, visible};
use crate::verbs::skills;

const EXAMPLES: &str = "\
Examples:
  promptweave check
  promptweave check packs/acme --json
  promptweave check packs/* --no-standard
  promptweave check packs/acme --max-tokens 4000";

/// Print everything that is wrong with packs; exit status 1 on any warning or error
///
/// Each folder is loaded on top of the standard pack and of each --pack. Without a folder, the packs
/// in force are checked. Diagnostics go to standard error, as always; with --json they are the result.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// Folders of packs; without one, the packs in force
    #[arg(value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Warn of each variant whose prompt, made from an empty context, has more tokens
    #[arg(long, value_name = "N")]
    max_tokens: Option<usize>,
    #[command(flatten)]
    packs: PackFlags,
}

/// What was found in one stack of packs.
struct Checked {
    summary: String,
    told: Vec<Diagnostic>,
}

impl Check {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let all = self.checked(console)?;
        let grave = all.iter().flat_map(|one| &one.told).any(|one| one.severity > Severity::Note);
        if console.json {
            let told = all.iter().flat_map(|one| &one.told);
            let told: Json = told.map(Diagnostic::to_json).collect();
            console.out_json(&told)?;
        } else {
            for Checked { summary, told } in &all {
                console.tell(told);
                console.out(summary)?;
            }
        }
        if grave { Err(Failure::Check) } else { Ok(()) }
    }

    fn checked(&self, console: &Console) -> Result<Vec<Checked>, Failure> {
        if self.dirs.is_empty() {
            return Ok(vec![self.one("packs in force", Path::new("."), &self.packs.engine()?)]);
        }
        let mut progress = Progress::new(console, self.dirs.len());
        let one = |dir: &PathBuf| {
            let name = dir.display().to_string();
            progress.step(console, &name);
            Ok(self.one(&name, dir, &self.packs.engine_of(dir)?))
        };
        self.dirs.iter().map(one).collect()
    }

    fn one(&self, name: &str, dir: &Path, engine: &Engine) -> Checked {
        let told = check(engine, Some(&known_skills(dir)), self.max_tokens);
        checked(name, engine, told)
    }
}

fn checked(name: &str, engine: &Engine, told: Vec<Diagnostic>) -> Checked {
    let of = |severity| told.iter().filter(|one| one.severity == severity).count();
    let registry = engine.registry();
    let summary = format!(
        "{}: {}, {}, {}: {}, {}, {}\n",
        visible(name),
        count(registry.variants.len(), "variant"),
        count(registry.components.len(), "component"),
        count(registry.tools.len(), "tool"),
        count(of(Severity::Error), "error"),
        count(of(Severity::Warning), "warning"),
        count(of(Severity::Note), "note"),
    );
    Checked { summary, told }
}

/// The skills of the user and of the project that `dir` is in.
pub(crate) fn known_skills(dir: &Path) -> BTreeSet<String> {
    skills::names(&dir.canonicalize().unwrap_or_else(|_| dir.to_owned()))
}
