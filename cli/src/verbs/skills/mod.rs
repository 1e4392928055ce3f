//! `skills`: what there is, the text of one, what is wrong with them. None of it runs anything that a skill brings along.
//!
//! In: arguments. Out: what one of its verbs prints. Never: offers the skills of a project that is not trusted.

mod check;
mod list;
mod read;

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, Subcommand};
use promptweave::{Code, Diagnostic, Origin, Severity, TrustStore};
use promptweave_skills::{FOLDERS, Found, Gravity, Note, Place, Scope, Shelf, Trust};

use crate::console::Console;
use crate::failure::Failure;
use crate::{packs, workspace};

const EXAMPLES: &str = "\
Examples:
  promptweave skills list
  promptweave skills list --budget 500 --json
  promptweave skills read release-notes
  promptweave skills read release-notes references/format.md
  promptweave skills check .agents/skills";

/// List Agent Skills, read one, hold them to the format
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Skills {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    List(list::SkillsList),
    Read(read::SkillsRead),
    Check(check::SkillsCheck),
}

impl Skills {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        match &self.what {
            What::List(verb) => verb.run(console),
            What::Read(verb) => verb.run(console),
            What::Check(verb) => verb.run(console),
        }
    }
}

/// Which skills are meant.
#[derive(Args)]
struct SkillFlags {
    /// Look in this folder instead of those of the user and the project; may be given again, the first wins
    #[arg(long, value_name = "DIR")]
    dir: Vec<PathBuf>,
    /// Take the project's skills as trusted, for this command
    #[arg(long)]
    trust: bool,
}

impl SkillFlags {
    fn shelf(&self) -> Result<Shelf, Failure> {
        if let Some(dir) = self.dir.iter().find(|dir| !dir.is_dir()) {
            let message = format!("`{}` is no folder", dir.display());
            return Err(Failure::input(
                message,
                "name a folder that holds folders with `SKILL.md`",
            ));
        }
        if !self.dir.is_empty() {
            let places = self.dir.iter().map(|dir| Place::free(dir, Scope::User));
            return Ok(Shelf::new(places.collect()));
        }
        let here = env::current_dir().map_err(|error| {
            let message = format!("the current folder cannot be told: {error}");
            Failure::input(message, "go to a folder that is there")
        })?;
        Ok(shelf(&here, |project| self.trusts(project)))
    }

    fn trusts(&self, project: &Path) -> Trust {
        let store = packs::trust_file().map(TrustStore::open);
        match self.trust || store.is_some_and(|store| store.is_trusted(project)) {
            true => Trust::Trusted,
            false => Trust::Untrusted,
        }
    }
}

/// The names of the skills of the user and of the project that a folder is in, trusted or not.
pub(crate) fn names(here: &Path) -> BTreeSet<String> {
    let found = shelf(here, |_| Trust::Untrusted).look();
    let own = found.skills.iter().map(|skill| &**skill);
    own.chain(&found.untrusted).map(|skill| skill.name.clone()).collect()
}

/// The skills of a project alone, as those of one that is not trusted; those of a folder within a repository never count.
pub(crate) fn of_project(project: &Path) -> Arc<Found> {
    let home = env::home_dir().filter(|home| home.is_absolute());
    let own = (top(project, home.as_deref()) == project).then_some((project, Trust::Untrusted));
    Shelf::new(Place::all(FOLDERS, None, own)).look()
}

/// The skills of the user and of the project that a folder is in.
fn shelf(here: &Path, trust: impl Fn(&Path) -> Trust) -> Shelf {
    let home = env::home_dir().filter(|home| home.is_absolute());
    let project = top(here, home.as_deref());
    let project = Some((&*project, trust(&project)));
    Shelf::new(Place::all(FOLDERS, home.as_deref(), project))
}

/// The top of the repository, else the current folder.
fn top(here: &Path, home: Option<&Path>) -> PathBuf {
    workspace::folders(here, home).get(1).cloned().unwrap_or_else(|| here.to_owned())
}

/// A note as it is told.
pub(crate) fn told(note: &Note) -> Diagnostic {
    let origin = match note.path.as_os_str().is_empty() {
        true => Origin::Engine,
        false => Origin::Line { file: note.path.to_string_lossy().into(), line: 0 },
    };
    let message = format!("{}: {}", note.code.as_str(), note.message);
    let mut told = Diagnostic::new(Code::PluginReport, message, origin).help(note.help);
    told.severity = match note.gravity {
        Gravity::Note => Severity::Note,
        Gravity::Warning => Severity::Warning,
    };
    told
}
