//! Front matter: when a rule is in force.
//!
//! In: the text of a file, the keys that a host reads. Out: [`Applies`], a name, where the body begins, notes.
//! Never: fails; a front matter that cannot be read leaves the rule in force, and says so.

use std::path::Path;

use promptweave_front_matter::{self as front_matter, Repair};
use regex::RegexBuilder;
use serde_json::{Map, Value as Json};

use crate::globs::{Globs, split};
use crate::profile::{Front, Mode, readers_of};
use crate::report::Note;
use crate::rule::Applies;

/// Keys that are told of.
const MAX_UNKNOWN: usize = 20;
/// An expression that compiles to more is not read.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

/// What a file says of itself before its text.
pub(crate) struct Head {
    pub(crate) applies: Applies,
    pub(crate) name: Option<String>,
    /// Where its text begins.
    pub(crate) body: usize,
    pub(crate) notes: Vec<Note>,
}

/// Reads the front matter of a file; globs are relative to `base`.
pub(crate) fn read(text: &str, front: &Front, base: &Path) -> Head {
    let Some((_, body)) = front_matter::cut(text) else {
        return Head { applies: without(front), name: None, body: 0, notes: Vec::new() };
    };
    let (fields, mut notes) = match front_matter::read(text) {
        Ok(read) => (read.fields, repaired(read.repair)),
        Err(_) => {
            let notes = vec![Note::FrontBroken];
            return Head { applies: Applies::Always, name: None, body, notes };
        }
    };
    let unknown = fields.keys().filter(|key| !front.keys().any(|own| own == *key));
    for key in unknown.take(MAX_UNKNOWN) {
        notes.push(Note::UnknownKey(key.chars().take(80).collect(), readers_of(key)));
    }
    let mut fields = Fields { fields, front, base, notes };
    let name = fields.text(front.name.as_ref());
    let applies = fields.applies();
    Head { applies, name, body, notes: fields.notes }
}

fn repaired(repair: Repair) -> Vec<Note> {
    match repair {
        Repair::Nothing => Vec::new(),
        Repair::Quoted => vec![Note::FrontQuoted],
    }
}

fn without(front: &Front) -> Applies {
    match front.without {
        Mode::Manual => Applies::Manual,
        Mode::Always | Mode::Paths | Mode::Described => Applies::Always,
    }
}

struct Fields<'f> {
    fields: Map<String, Json>,
    front: &'f Front,
    base: &'f Path,
    notes: Vec<Note>,
}

impl Fields<'_> {
    fn applies(&mut self) -> Applies {
        let front = self.front;
        if let Some(mode) = self.trigger() {
            return self.by_mode(mode);
        }
        let always = self.flag(front.always.as_ref());
        if always == Some(true) {
            return Applies::Always;
        }
        let paths = self.globs();
        if let Some(written) = self.text(front.content.as_ref()) {
            return match RegexBuilder::new(&written)
                .size_limit(MAX_REGEX_BYTES)
                .multi_line(true)
                .build()
            {
                Ok(regex) => Applies::Content { regex, paths },
                Err(_) => {
                    self.notes.push(Note::BadRegex);
                    Applies::Manual
                }
            };
        }
        if let Some(globs) = paths {
            return Applies::Paths(globs);
        }
        if always.is_none() && front.without == Mode::Always {
            return Applies::Always;
        }
        self.described()
    }

    fn trigger(&mut self) -> Option<Mode> {
        let written = self.text(self.front.trigger.as_ref())?;
        let mode = self.front.triggers.get(&written).copied();
        if mode.is_none() {
            self.notes.extend(self.front.trigger.clone().map(Note::WrongKind));
        }
        mode
    }

    fn by_mode(&mut self, mode: Mode) -> Applies {
        match mode {
            Mode::Always => Applies::Always,
            Mode::Paths => self.globs().map_or(Applies::Manual, Applies::Paths),
            Mode::Described => self.described(),
            Mode::Manual => Applies::Manual,
        }
    }

    fn described(&mut self) -> Applies {
        let description = self.text(self.front.description.as_ref());
        description.map_or(Applies::Manual, Applies::Described)
    }

    fn globs(&mut self) -> Option<Globs> {
        let key = self.front.paths.as_ref()?;
        let patterns: Vec<String> = match self.fields.get(key) {
            None | Some(Json::Null) => return None,
            Some(Json::String(list)) => split(list),
            Some(Json::Array(list)) => {
                if list.iter().any(|one| !one.is_string()) {
                    self.notes.push(Note::WrongKind(key.clone()));
                }
                list.iter().filter_map(Json::as_str).flat_map(split).collect()
            }
            Some(Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {
                self.notes.push(Note::WrongKind(key.clone()));
                return None;
            }
        };
        if patterns.is_empty() {
            return None;
        }
        let (globs, notes) = Globs::new(self.base, &patterns);
        self.notes.extend(notes);
        Some(globs)
    }

    fn text(&mut self, key: Option<&String>) -> Option<String> {
        let key = key?;
        match self.fields.get(key)? {
            Json::Null => None,
            Json::String(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
            Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                self.notes.push(Note::WrongKind(key.clone()));
                None
            }
        }
    }

    fn flag(&mut self, key: Option<&String>) -> Option<bool> {
        let key = key?;
        match self.fields.get(key)? {
            Json::Bool(flag) => Some(*flag),
            Json::Null => None,
            Json::String(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {
                self.notes.push(Note::WrongKind(key.clone()));
                None
            }
        }
    }
}
