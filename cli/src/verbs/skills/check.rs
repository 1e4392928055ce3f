//! `skills check`: holds skills to the letter of the format.

use std::path::{Path, PathBuf};

use clap::Args;
use promptweave_skills::{Code, Found, Gravity, Note, Place, Scope, Shelf, check};

use super::{SkillFlags, told};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::table::count;

const EXAMPLES: &str = "\
Examples:
  promptweave skills check
  promptweave skills check .agents/skills path/to/one-skill";

/// Hold skills to the letter of agentskills.io: exit 1 when there is anything to say
///
/// Loading is lenient; other hosts may be less so. Without folders: the user's and the project's, trusted or not.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SkillsCheck {
    /// Skills, or folders that hold skills
    folders: Vec<PathBuf>,
    #[command(flatten)]
    flags: SkillFlags,
}

impl SkillsCheck {
    pub(super) fn run(&self, console: &Console) -> Result<(), Failure> {
        let found = self.found()?;
        let lenient = |note: &&Note| note.code != Code::SkillLenient;
        let mut notes: Vec<Note> = found.notes.iter().filter(lenient).cloned().collect();
        let trusted = found.skills.iter().map(|skill| &**skill);
        let skills = trusted.chain(&found.untrusted);
        let paths: Vec<&Path> = skills.map(|skill| skill.path.as_path()).collect();
        for path in &paths {
            notes.extend(faults(path)?);
        }
        notes.retain(|note| note.code != Code::SkillUntrusted);
        let told: Vec<_> = notes.iter().map(told).collect();
        console.tell(&told);
        let shown = format!("checked {}: {} to mend\n", count(paths.len(), "skill"), notes.len());
        if console.json {
            console
                .out_json(&serde_json::json!({ "skills": paths.len(), "faults": notes.len() }))?;
        } else {
            console.out(shown)?;
        }
        if notes.is_empty() { Ok(()) } else { Err(Failure::Check) }
    }

    fn found(&self) -> Result<std::sync::Arc<Found>, Failure> {
        if self.folders.is_empty() {
            return Ok(self.flags.shelf()?.look());
        }
        let missing = self.folders.iter().find(|folder| !folder.is_dir());
        if let Some(folder) = missing {
            let message = format!("`{}` is no folder", folder.display());
            return Err(Failure::input(message, "name a skill's folder, or one that holds skills"));
        }
        let places = self.folders.iter().map(|folder| Place::free(folder, Scope::User));
        Ok(Shelf::new(places.collect()).look())
    }
}

/// What is wrong with the text of one.
fn faults(path: &Path) -> Result<Vec<Note>, Failure> {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    let folder = folder.as_deref().and_then(Path::file_name).unwrap_or_default();
    let faults = check(&folder.to_string_lossy(), &files::read_file(path)?).unwrap_or_default();
    let note = |fault: promptweave_skills::Fault| Note {
        code: Code::SkillLenient,
        gravity: Gravity::Warning,
        path: path.to_owned(),
        message: fault.message,
        help: fault.help,
    };
    Ok(faults.into_iter().map(note).collect())
}
