//! `skills list`: the index that a model would be given.

use clap::Args;
use promptweave_skills::{Form, Found, Index, Listing, Skill};
use serde_json::{Value as Json, json};

use super::{SkillFlags, told};
use crate::console::Console;
use crate::failure::Failure;
use crate::table::Table;

const EXAMPLES: &str = "\
Examples:
  promptweave skills list
  promptweave skills list --dir path/to/skills --budget 500";

/// List the skills of the user and the project, with what a budget leaves of each
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct SkillsList {
    #[command(flatten)]
    flags: SkillFlags,
    /// Fit the index into so many tokens, by a count that errs high
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
}

/// Why a skill is in the index or not.
#[derive(Clone, Copy)]
enum State {
    Listed(Form),
    Cut,
    Hidden,
    Untrusted,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            Self::Listed(form) => form.as_str(),
            Self::Cut => "cut",
            Self::Hidden => "hidden",
            Self::Untrusted => "untrusted",
        }
    }
}

impl SkillsList {
    pub(super) fn run(&self, console: &Console) -> Result<(), Failure> {
        let found = self.flags.shelf()?.look();
        let notes: Vec<_> = found.notes.iter().map(told).collect();
        console.tell(&notes);
        let index = found.index(self.budget);
        let rows = rows(&found, &index);
        if console.json {
            let rows: Json = rows.iter().map(to_json).collect();
            return console.out_json(&rows);
        }
        let mut table = Table::with_heads(&["skill", "scope", "state", "description", "file"]);
        for (skill, state, description) in &rows {
            let (scope, path) = (skill.scope.as_str(), skill.path.display().to_string());
            table.row([&*skill.name, scope, state.as_str(), description, &path]);
        }
        console.out(table.text())?;
        console.say(&format!("index: {}, about {} tokens\n", index.form.as_str(), index.tokens));
        Ok(())
    }
}

type Row<'s> = (&'s Skill, State, String);

fn rows<'s>(found: &'s Found, index: &Index) -> Vec<Row<'s>> {
    let of = |skill: &'s Skill| {
        let entry = index.entries.iter().find(|entry| entry.skill.name == skill.name);
        let state = match (entry, skill.listing) {
            (Some(_), _) => State::Listed(index.form),
            (None, Listing::Hidden) => State::Hidden,
            (None, Listing::Offered) => State::Cut,
        };
        (skill, state, entry.map(|entry| entry.description.clone()).unwrap_or_default())
    };
    let own = found.skills.iter().map(|skill| of(skill));
    let others = found.untrusted.iter().map(|skill| (skill, State::Untrusted, String::new()));
    own.chain(others).collect()
}

fn to_json((skill, state, description): &Row<'_>) -> Json {
    json!({
        "id": skill.name, "scope": skill.scope, "state": state.as_str(), "description": description,
        "category": skill.category, "tags": skill.tags, "license": skill.license,
        "compatibility": skill.compatibility, "allowed_tools": skill.allowed_tools,
        "file": skill.path.to_string_lossy(),
    })
}
