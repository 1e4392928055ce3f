//! Front matter: when a rule is in force.
//!
//! In: the text of a file, the keys that a host reads. Out: [`Applies`], a name, where the body begins, notes.
//! Never: fails; a front matter that cannot be read leaves the rule in force, and says so.

use std::path::Path;

use regex::RegexBuilder;
use serde_json::{Map, Value as Json};

use crate::globs::{Globs, split};
use crate::profile::{Front, Mode, readers_of};
use crate::report::Note;
use crate::rule::Applies;

/// A longer front matter is not read.
const MAX_BYTES: usize = 64 * 1024;
/// Values of a front matter, with those that aliases repeat, and how deep they may lie.
const MAX_NODES: usize = 10_000;
const MAX_DEPTH: usize = 16;
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
    let Some((yaml, body)) = cut(text) else {
        return Head { applies: without(front), name: None, body: 0, notes: Vec::new() };
    };
    let (fields, mut notes) = match parse(yaml) {
        Ok(fields) => (fields, Vec::new()),
        Err(()) => match parse(&quoted(yaml)) {
            Ok(fields) => (fields, vec![Note::FrontQuoted]),
            Err(()) => {
                let notes = vec![Note::FrontBroken];
                return Head { applies: Applies::Always, name: None, body, notes };
            }
        },
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

fn without(front: &Front) -> Applies {
    match front.without {
        Mode::Manual => Applies::Manual,
        Mode::Always | Mode::Paths | Mode::Described => Applies::Always,
    }
}

/// The text between two lines `---`, the first of which begins the file, and where the rest begins.
fn cut(text: &str) -> Option<(&str, usize)> {
    let is_border = |line: &str| line.trim_end() == "---";
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().filter(|line| is_border(line))?.len();
    let mut at = first;
    for line in lines {
        if is_border(line) {
            return Some((&text[first..at], at + line.len()));
        }
        at += line.len();
    }
    None
}

fn parse(yaml: &str) -> Result<Map<String, Json>, ()> {
    if yaml.len() > MAX_BYTES {
        return Err(());
    }
    if yaml.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('#')) {
        return Ok(Map::new());
    }
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! { max_nodes: MAX_NODES, max_depth: MAX_DEPTH },
    };
    serde_saphyr::from_str_with_options(yaml, options).map_err(|_| ())
}

/// The same with quotes around plain values, for `globs: *.ts` and `description: a: b` are written everywhere.
fn quoted(yaml: &str) -> String {
    let quote = |line: &str| {
        let value_at = match line.find(": ") {
            Some(at)
                if line[..at]
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte)) =>
            {
                at + 2
            }
            _ => line.len() - line.trim_start().strip_prefix("- ")?.len(),
        };
        let value = line[value_at..].trim();
        let is_word = matches!(value, "" | "true" | "false" | "null" | "~");
        let is_plain = !is_word && !value.starts_with(['"', '\'', '[', '|', '>', '#']);
        is_plain.then(|| format!("{}'{}'", &line[..value_at], value.replace('\'', "''")))
    };
    yaml.lines().map(|line| quote(line).unwrap_or_else(|| line.into()) + "\n").collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_cut_off() {
        assert_eq!(cut("---\na: 1\n---\nb"), Some(("a: 1\n", 13)));
        assert_eq!(cut("---\n---"), Some(("", 7)));
        assert_eq!(cut("--- \na: 1\n---  \nb").map(|(_, body)| body), Some(16));
        assert_eq!(cut("a\n---\nb\n---"), None);
        assert_eq!(cut("---\na: 1"), None);
    }

    #[test]
    fn plain_values_get_quotes() {
        assert_eq!(
            quoted("globs: *.ts,*.js\npaths:\n  - **/*.md\n  - 'x'"),
            "globs: '*.ts,*.js'\npaths:\n  - '**/*.md'\n  - 'x'\n"
        );
        assert_eq!(quoted("a: it's b: c"), "a: 'it''s b: c'\n");
    }

    #[test]
    fn an_alias_bomb_is_refused() {
        let mut yaml = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (one, before) in ('b'..='i').zip('a'..) {
            let list = vec![format!("*{before}"); 9].join(", ");
            yaml.push_str(&format!("{one}: &{one} [{list}]\n"));
        }
        assert!(parse(&yaml).is_err());
    }
}
