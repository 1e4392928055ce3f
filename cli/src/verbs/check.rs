//! `check`: everything that is wrong with packs.
//!
//! In: folders, or the packs in force. Out: diagnostics, and how many. Never: repeats for a folder what others say without it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Diagnostic, Engine, Origin, Severity};
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
/// Each folder is loaded on top of the standard pack and of each --pack; what these say without it is
/// not said again. Without a folder, the packs in force are checked. Diagnostics go to standard error, as always; with --json they are the result.
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
            let engine = self.packs.engine()?;
            let told = self.told(Path::new("."), &engine);
            return Ok(vec![checked("packs in force", &engine, told, |_| true)]);
        }
        let beneath = self.packs.beneath_folder()?;
        let mut progress = Progress::new(console, self.dirs.len());
        let one = |dir: &PathBuf| {
            let name = dir.display().to_string();
            progress.step(console, &name);
            self.one(&name, dir, &beneath)
        };
        self.dirs.iter().map(one).collect()
    }

    /// What a folder's pack says, and what it makes others say that they do not say without it.
    fn one(&self, name: &str, dir: &Path, beneath: &Engine) -> Result<Checked, Failure> {
        let engine = self.packs.engine_of(dir)?;
        let is_own = |origin: &Origin| {
            origin.file_name().is_some_and(|file| Path::new(file).starts_with(dir))
        };
        let without: Vec<Json> = self.told(dir, beneath).iter().map(Diagnostic::to_json).collect();
        let mut told = self.told(dir, &engine);
        told.retain(|one| is_own(&one.origin) || !without.contains(&one.to_json()));
        Ok(checked(name, &engine, told, is_own))
    }

    fn told(&self, dir: &Path, engine: &Engine) -> Vec<Diagnostic> {
        check(engine, Some(&known_skills(dir)), self.max_tokens)
    }
}

/// What was told, and how much there is of what counts.
fn checked(
    name: &str,
    engine: &Engine,
    told: Vec<Diagnostic>,
    counts: impl Fn(&Origin) -> bool,
) -> Checked {
    let of = |severity| told.iter().filter(|one| one.severity == severity).count();
    let registry = engine.registry();
    let variants = registry.variants.values();
    let variants = variants.filter(|all| all.by_number.values().any(|one| counts(&one.origin)));
    let components = registry.components.values().filter(|one| counts(&one.origin));
    let tools = registry.tools.values().filter(|one| counts(&one.origin));
    let summary = format!(
        "{}: {}, {}, {}: {}, {}, {}\n",
        visible(name),
        count(variants.count(), "variant"),
        count(components.count(), "component"),
        count(tools.count(), "tool"),
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
