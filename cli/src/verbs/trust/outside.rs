//! What a project brings besides its pack: skills, which trust lets in, and instruction files, which agents read of any project.
//!
//! In: a project's folder. Out: [`Change`]s by their names, what there is to tell of them. Never: shows a text.

use std::collections::BTreeSet;
use std::path::Path;

use promptweave::{Diagnostic, Origin};
use promptweave_instructions::{Outcome, Place, Profile, Scope, discover};
use promptweave_skills::Code;

use super::Change;
use crate::verbs::skills;

/// The skills that would be offered, and what there is to tell of them.
pub(super) fn skills(project: &Path) -> (Vec<Change>, Vec<Diagnostic>) {
    let found = skills::of_project(project);
    let changes = found.untrusted.iter().map(|skill| {
        let file = skill.path.to_string_lossy().into();
        let origin = Origin::Line { file, line: 0 };
        Change { what: "adds", kind: "skill", id: skill.name.clone(), origin, before: None }
    });
    let told = found.notes.iter().filter(|note| note.code != Code::SkillUntrusted);
    (changes.collect(), told.map(skills::told).collect())
}

/// The instruction files that some host reads there, in the order of their paths.
pub(super) fn instructions(project: &Path) -> Vec<Change> {
    let place = Place::new(project);
    let profiles = Profile::built_in();
    let entries = profiles.iter().flat_map(|profile| discover(profile, &place).report);
    let files: BTreeSet<String> = entries
        .filter(|entry| matches!(entry.scope, Scope::Project | Scope::Local))
        .filter(|entry| !matches!(entry.outcome, Outcome::Skipped(_)))
        .map(|entry| entry.path)
        .filter(|path| !Path::new(path).is_absolute())
        .collect();
    let change = |path: String| {
        let file = project.join(&path).to_string_lossy().into();
        let origin = Origin::Line { file, line: 0 };
        Change { what: "has", kind: "instructions", id: path, origin, before: None }
    };
    files.into_iter().map(change).collect()
}
