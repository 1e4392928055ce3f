//! `skills read`: the text of a skill, as a model would be given it.

use std::path::Path;

use clap::Args;
use promptweave::Diagnostic;
use promptweave_guard::{Action, Finding};
use promptweave_skills::{Code, Gravity, Note};
use serde_json::json;

use super::{SkillFlags, told};
use crate::console::Console;
use crate::context::MAX_TOLD;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave skills read release-notes
  promptweave skills read release-notes references/format.md";

/// Print the instructions of a skill, or one of its files
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SkillsRead {
    /// The skill, as `skills list` names it
    name: String,
    /// A file in the skill's folder; default: its instructions
    file: Option<String>,
    #[command(flatten)]
    flags: SkillFlags,
}

impl SkillsRead {
    pub(super) fn run(&self, console: &Console) -> Result<(), Failure> {
        let found = self.flags.shelf()?.look();
        let Some(skill) = found.skill(&self.name) else {
            let untrusted = found.untrusted.iter().any(|skill| skill.name == self.name);
            let help = match untrusted {
                true => {
                    "it belongs to a project that is not trusted; read its file, then run `promptweave trust`, or add `--trust`"
                }
                false => "`promptweave skills list` shows those that there are",
            };
            return Err(Failure::input(format!("there is no skill `{}`", self.name), help));
        };
        let read = skill.read(self.file.as_deref());
        let text = read.map_err(|error| {
            Failure::input(error.to_string(), "name a file below the skill's folder")
        })?;
        let mut notes: Vec<_> =
            text.findings.iter().take(MAX_TOLD).map(|it| suspicious(&skill.path, it)).collect();
        if let Some(more) = text.findings.len().checked_sub(MAX_TOLD).filter(|more| *more > 0) {
            let message = format!("its text holds {more} more of the kind");
            notes.push(note(&skill.path, Gravity::Warning, message));
        }
        console.tell(&notes);
        if console.json {
            let file = skill.path.to_string_lossy();
            return console.out_json(&json!({ "id": skill.name, "file": file, "text": text.text }));
        }
        console.out(&text.text)
    }
}

fn suspicious(path: &Path, finding: &Finding) -> Diagnostic {
    let gravity = match finding.action {
        Action::Allow => Gravity::Note,
        Action::Warn | Action::Redact | Action::Fence | Action::Block => Gravity::Warning,
    };
    let message = format!("its text holds {}: `{}`", finding.kind.as_str(), finding.rule);
    note(path, gravity, message)
}

fn note(path: &Path, gravity: Gravity, message: String) -> Diagnostic {
    let (code, help) = (Code::SkillSuspicious, "read the file before you use the skill");
    told(&Note { code, gravity, path: path.into(), message, help })
}
