//! `skills read`: the text of a skill, as a model would be given it.

use clap::Args;
use promptweave_guard::Action;
use promptweave_skills::{Code, Gravity, Note};
use serde_json::json;

use super::{SkillFlags, told};
use crate::console::Console;
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
        let notes: Vec<_> = text
            .findings
            .iter()
            .map(|finding| {
                let gravity = match finding.action {
                    Action::Allow => Gravity::Note,
                    Action::Warn | Action::Redact | Action::Fence | Action::Block => {
                        Gravity::Warning
                    }
                };
                told(&Note {
                    code: Code::SkillSuspicious,
                    gravity,
                    path: skill.path.clone(),
                    message: format!(
                        "its text holds {}: `{}`",
                        finding.kind.as_str(),
                        finding.rule
                    ),
                    help: "read the file before you use the skill",
                })
            })
            .collect();
        console.tell(&notes);
        if console.json {
            let file = skill.path.to_string_lossy();
            return console.out_json(&json!({ "id": skill.name, "file": file, "text": text.text }));
        }
        console.out(&text.text)
    }
}
