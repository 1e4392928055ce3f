//! All skills of a host, looked for once and again when something has changed.
//!
//! In: places, in the order in which they count within a scope. Out: [`Found`]. Never: reads a file again whose state is
//! the same; hands out a mix of two states.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use promptweave_guard::Guard;

use crate::files::{Stamp, identity};
use crate::index::Index;
use crate::note::{Code, Note};
use crate::scan::{Place, Seen, Trust, scan};
use crate::skill::Skill;

/// Keeps what was found as long as nothing changes.
#[derive(Debug)]
pub struct Shelf {
    places: Vec<Place>,
    guard: Guard,
    last: Mutex<Option<Arc<Found>>>,
}

/// What was found at one moment.
#[derive(Debug, Default)]
pub struct Found {
    /// Those that count, in order of their names, no name twice.
    pub skills: Vec<Arc<Skill>>,
    /// Those of projects that are not trusted, in order of their names.
    pub untrusted: Vec<Skill>,
    /// What there is to tell, in order of the places.
    pub notes: Vec<Note>,
    watched: Vec<(PathBuf, Option<Stamp>)>,
    /// The index that was asked for last, with its budget.
    index: Mutex<Option<(Option<usize>, Arc<Index>)>>,
}

impl Shelf {
    /// Of a name that several places have, a project's skill counts before a user's, then the first.
    pub fn new(places: Vec<Place>) -> Self {
        Self { places, guard: Guard::standard(), last: Mutex::default() }
    }

    /// Looks, or hands out what was found before when no file and no folder has changed since.
    pub fn look(&self) -> Arc<Found> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = last.as_ref().filter(|found| found.changed().next().is_none()) {
            return Arc::clone(found);
        }
        let found = Arc::new(self.find());
        *last = Some(Arc::clone(&found));
        found
    }

    fn find(&self) -> Found {
        let (mut seen, mut folders) = (Seen::default(), BTreeSet::new());
        for place in &self.places {
            // Folders that are links to one another are one.
            if identity(&place.path()).is_none_or(|folder| folders.insert(folder)) {
                scan(place, &self.guard, &mut seen);
            }
        }
        Found::of(seen)
    }
}

impl Found {
    fn of(seen: Seen) -> Self {
        let Seen { skills, mut notes, watched } = seen;
        let (mut named, mut untrusted) = (BTreeMap::<String, Skill>::new(), Vec::new());
        let mut files = BTreeSet::new();
        for (skill, trust) in skills {
            if identity(&skill.path).is_some_and(|file| !files.insert(file)) {
                let message = format!("`{}` is a file that was read already", skill.name);
                let help = "remove the link; it counts once";
                notes.push(Note::remark(Code::SkillCollision, skill.path, message, help));
                continue;
            }
            if trust == Trust::Untrusted {
                untrusted.push(skill);
                continue;
            }
            match named.get(&skill.name) {
                Some(first) if first.scope >= skill.scope => notes.push(collision(&skill, first)),
                Some(first) => {
                    notes.push(collision(first, &skill));
                    named.insert(skill.name.clone(), skill);
                }
                None => {
                    named.insert(skill.name.clone(), skill);
                }
            }
        }
        untrusted.sort_by(|one: &Skill, other| one.name.cmp(&other.name));
        notes.extend(untrusted.iter().map(distrust));
        let skills = named.into_values().map(Arc::new).collect();
        Self { skills, untrusted, notes, watched, index: Mutex::default() }
    }

    /// The skill of that name; one that a model is not offered too.
    pub fn skill(&self, name: &str) -> Option<&Skill> {
        let at = self.skills.binary_search_by(|skill| skill.name.as_str().cmp(name)).ok()?;
        self.skills.get(at).map(|skill| &**skill)
    }

    /// The index within so many tokens, see [`Index::within`]; the last one is kept.
    pub fn index(&self, budget: Option<usize>) -> Arc<Index> {
        let mut last = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, index)) = last.as_ref().filter(|(before, _)| *before == budget) {
            return Arc::clone(index);
        }
        let index = Arc::new(Index::within(&self.skills, budget));
        *last = Some((budget, Arc::clone(&index)));
        index
    }

    /// The files and folders that are not in the state any more in which they were found.
    pub fn changed(&self) -> impl Iterator<Item = &Path> {
        let changed = self.watched.iter().filter(|(path, stamp)| Stamp::of(path) != *stamp);
        changed.map(|(path, _)| path.as_path())
    }
}

fn collision(loser: &Skill, winner: &Skill) -> Note {
    let message = format!("`{}` of `{}` comes before it", loser.name, winner.path.display());
    let help = "rename one of them; a project's comes before a user's, then the first folder";
    Note::warning(Code::SkillCollision, loser.path.clone(), message, help)
}

fn distrust(skill: &Skill) -> Note {
    let message = format!("`{}` is left out: its project is not trusted", skill.name);
    let help = "read it, then trust its project: `trusted` of the plugin, `promptweave trust`, or `--trust` for one command";
    Note::warning(Code::SkillUntrusted, skill.path.clone(), message, help)
}
