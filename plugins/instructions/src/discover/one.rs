//! Reads one file.
//!
//! In: a path and the source that names it. Out: rules, and an entry in the report. Never: reads a project's file from
//! outside of the project unless the user approved it.

use std::io;
use std::path::{Path, PathBuf};

use super::{MAX_ALL_BYTES, MAX_FILE_BYTES, MAX_FILES, Search};
use crate::due::due;
use crate::files::{self, Bounds, Closed, Length, Opened};
use crate::front::{self, Head};
use crate::globs::Globs;
use crate::markdown::Marks;
use crate::profile::{At, Comments, Source, Take, Within};
use crate::report::{Note, Outcome, Skip};
use crate::rule::{Applies, Due, Rule, Scope};
use crate::text::{Kept, decode};

/// Names that are looked at for one in other letters.
const MAX_NAMES: usize = 4096;

/// A file that a source names.
pub(super) struct Spot<'p, 's> {
    /// Which source of the profile it is.
    pub(super) at: usize,
    pub(super) source: &'s Source,
    /// The folder in which the source looks.
    pub(super) folder: &'p Path,
    pub(super) path: PathBuf,
}

/// Whether a file gave a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Got {
    Text,
    Nothing,
}

/// Why a file gave no text.
pub(super) enum Refused {
    Absent,
    Folder,
    /// For a reason that the report tells.
    Told(Outcome),
}

/// A file that was read.
pub(super) struct Loaded {
    pub(super) text: String,
    pub(super) notes: Vec<Note>,
    pub(super) opened: Opened,
}

impl<'s> Search<'s> {
    /// Reads a file; `taken` is another one of the same source and folder that was read before.
    pub(super) fn one(&mut self, spot: &Spot<'_, 's>, taken: Option<&str>) -> Got {
        let shown = self.ground.show(&spot.path);
        if self.is_full(spot.source, &shown) {
            return Got::Nothing;
        }
        if let Err(error) = spot.path.symlink_metadata() {
            self.not_there(spot, &error);
            return Got::Nothing;
        }
        let outcome = match self.unwanted(spot, taken) {
            Some(skip) => Outcome::Skipped(skip),
            None if self.is_far(spot) => {
                self.wait(spot, shown);
                return Got::Text;
            }
            None => {
                let above = (spot.source.at == At::Up).then_some(spot.folder);
                let bounds = self.bounds(spot.source.scope, above);
                match self.load(spot.source, &spot.path, &bounds) {
                    Ok(loaded) => return self.rule(spot, loaded),
                    Err(Refused::Told(outcome)) => outcome,
                    Err(Refused::Absent | Refused::Folder) => return Got::Nothing,
                }
            }
        };
        self.tell(spot.source, shown, outcome);
        Got::Nothing
    }

    /// Tells of a file that nobody may ask for, or that is there under almost the same name.
    fn not_there(&mut self, spot: &Spot<'_, 's>, error: &io::Error) {
        if error.kind() == io::ErrorKind::PermissionDenied {
            let mut above = spot.path.ancestors().skip(1);
            let shut = above.find(|folder| folder.symlink_metadata().is_ok());
            self.shut(spot.source, shut.unwrap_or(spot.folder), files::reason(error));
        } else if let Some((path, skip)) = self.other_case(&spot.path) {
            self.tell(spot.source, path, Outcome::Skipped(skip));
        }
    }

    /// Tells once of a folder that the system keeps shut.
    pub(super) fn shut(&mut self, source: &Source, folder: &Path, why: String) {
        let (path, outcome) = (self.ground.show(folder), Outcome::Skipped(Skip::Unreadable(why)));
        if !self.report.iter().any(|entry| entry.path == path && entry.outcome == outcome) {
            self.tell(source, path, outcome);
        }
    }

    /// Whether no more files are read; that is told of the first one that is not.
    pub(super) fn is_full(&mut self, source: &Source, shown: &str) -> bool {
        if self.report.len() == MAX_FILES {
            self.tell(source, shown.into(), Outcome::Skipped(Skip::TooMany(MAX_FILES)));
        }
        self.report.len() > MAX_FILES
    }

    /// Why a file that is there is not even opened.
    fn unwanted(&self, spot: &Spot<'_, 's>, taken: Option<&str>) -> Option<Skip> {
        let source = spot.source;
        if source.scope != Scope::Managed && self.exclude.matches(&spot.path) {
            return Some(Skip::Excluded);
        }
        if let Some(group) = source.unless.iter().find(|group| self.groups.contains(group.as_str()))
        {
            return Some(Skip::Unless(group.clone()));
        }
        match (source.take, taken) {
            (Take::First, Some(taken)) => Some(Skip::Instead(taken.into())),
            (Take::First, None) | (Take::All, _) => None,
        }
    }

    /// Whether nothing that is touched lies below the file's folder, where that is what counts.
    fn is_far(&self, spot: &Spot<'_, 's>) -> bool {
        let touched = &self.ground.touched;
        spot.source.at == At::Below && !touched.iter().any(|path| path.starts_with(spot.folder))
    }

    fn wait(&mut self, spot: &Spot<'_, 's>, shown: String) {
        let entry = self.tell(spot.source, shown.clone(), Outcome::Waiting("paths"));
        let applies = Applies::Paths(Globs::below(spot.folder));
        self.push(spot, Rule { entry, path: shown, applies, ..self.blank(spot) });
    }

    /// A rule of that file without a text.
    fn blank(&self, spot: &Spot<'_, 's>) -> Rule {
        Rule {
            name: name_of(&spot.path),
            file: spot.path.clone(),
            path: self.ground.show(&spot.path),
            scope: spot.source.scope,
            applies: Applies::Always,
            due: Due::Later,
            pieces: Vec::new(),
            source: spot.at,
            depth: spot.folder.components().count(),
            entry: 0,
        }
    }

    pub(super) fn push(&mut self, spot: &Spot<'_, 's>, rule: Rule) {
        self.groups.extend(spot.source.group.as_deref());
        self.rules.push(rule);
    }

    /// Opens a file and makes a text of it.
    pub(super) fn load(
        &self,
        source: &Source,
        path: &Path,
        bounds: &Bounds,
    ) -> Result<Loaded, Refused> {
        let skip = |skip| Err(Refused::Told(Outcome::Skipped(skip)));
        if self.bytes >= MAX_ALL_BYTES {
            return skip(Skip::OverCap(MAX_ALL_BYTES));
        }
        let opened = match files::read(path, bounds, MAX_FILE_BYTES) {
            Err(Closed::Outside(to)) if self.ground.is_approved(&to) => {
                files::read(&to, &Bounds::Free, MAX_FILE_BYTES)
            }
            read => read,
        };
        let opened = match opened {
            Ok(opened) => opened,
            Err(Closed::Absent) => return Err(Refused::Absent),
            Err(Closed::Folder) => return Err(Refused::Folder),
            Err(Closed::NotRegular) => return skip(Skip::NotRegular),
            Err(Closed::Outside(to)) => return skip(Skip::Outside(self.ground.show(&to))),
            Err(Closed::Unreadable(why)) => return skip(Skip::Unreadable(why)),
        };
        if let Some(before) = self.seen.get(&opened.id) {
            return Err(Refused::Told(Outcome::Duplicate(before.clone())));
        }
        let cuts = self.profile.cap.is_some() || source.max_chars.is_some();
        if opened.length == Length::More && !cuts {
            return skip(Skip::TooLarge(MAX_FILE_BYTES));
        }
        let Some((text, mut notes)) = decode(&opened.bytes) else { return skip(Skip::Binary) };
        if opened.real != path && path.symlink_metadata().is_ok_and(|facts| facts.is_symlink()) {
            notes.push(Note::Link(self.ground.show(&opened.real)));
        }
        let folder = path.parent().and_then(files::foreign_owner);
        notes.extend(opened.foreign.or(folder).map(Note::Foreign));
        Ok(Loaded { text, notes, opened })
    }

    /// Makes rules of a file that was read, and of those that it imports.
    fn rule(&mut self, spot: &Spot<'_, 's>, loaded: Loaded) -> Got {
        let Loaded { text, mut notes, opened } = loaded;
        let Head { applies, name, body, notes: said } = self.head(spot, &text);
        notes.extend(said);
        let mut kept = Kept::from(&text, body);
        let marks = Marks::of(&text[body..]).shifted(body);
        if spot.source.comments == Comments::Strip && !marks.comments.is_empty() {
            kept = kept.without(&marks.comments);
            notes.push(Note::Comments);
        }
        let path = self.ground.show(&spot.path);
        if kept.is_blank() {
            let entry = self.tell(spot.source, path, Outcome::Skipped(Skip::Empty));
            self.report[entry].notes = notes;
            return Got::Nothing;
        }
        let blank = self.blank(spot);
        let name = name.unwrap_or_else(|| blank.name.clone());
        let due = if self.named.contains(&name) { Due::Now } else { due(&applies, self.ground) };
        let entry = self.tell(spot.source, path.clone(), Outcome::Read(0));
        let rule = Rule { name, file: opened.real.clone(), applies, due, entry, ..blank };
        match due {
            Due::Now => {
                notes.extend(self.remember(&opened, &text, &path));
                self.expand(spot, rule, (&kept, &marks), opened.id);
            }
            // What waits takes no other file's place.
            Due::Later => {
                self.bytes += text.len();
                self.push(spot, Rule { pieces: kept.pieces(&path), ..rule });
            }
        }
        self.report[entry].notes = notes;
        Got::Text
    }

    fn head(&self, spot: &Spot<'_, 's>, text: &str) -> Head {
        let base = match spot.source.at {
            At::System | At::Home => &self.ground.top,
            At::Up | At::Top | At::Below => spot.folder,
        };
        if spot.source.at == At::Below {
            let applies = Applies::Paths(Globs::below(spot.folder));
            return Head { applies, name: None, body: 0, notes: Vec::new() };
        }
        match spot.source.front.as_ref().and_then(|name| self.profile.front.get(name)) {
            Some(front) => front::read(text, front, base),
            None => Head { applies: Applies::Always, name: None, body: 0, notes: Vec::new() },
        }
    }

    /// Remembers that a file was read; notes a copy.
    pub(super) fn remember(&mut self, opened: &Opened, text: &str, path: &str) -> Option<Note> {
        self.seen.insert(opened.id.clone(), path.into());
        self.bytes += text.len();
        let before = self.texts.insert(text.into(), path.into());
        before.map(Note::SameText)
    }

    /// Where files of a scope may lie: an organisation's and a user's anywhere, a project's in the project, or in
    /// the folder above in which they were looked for.
    pub(super) fn bounds(&self, scope: Scope, above: Option<&Path>) -> Bounds {
        let within = match self.profile.within {
            Within::Repository => &self.ground.top,
            Within::Cwd => &self.ground.cwd,
        };
        match scope {
            Scope::Managed | Scope::User => Bounds::Free,
            Scope::Project | Scope::Local => Bounds::Below(
                above.into_iter().chain([within.as_path()]).map(Path::to_path_buf).collect(),
            ),
        }
    }

    /// A file that has a name in other letters, and how it should be called.
    fn other_case(&mut self, path: &Path) -> Option<(String, Skip)> {
        let (folder, name) = (path.parent()?, path.file_name()?.to_str()?);
        if self.listed.0 != folder {
            self.listed = (folder.into(), files::names(folder, MAX_NAMES));
        }
        let is_other = |other: &&String| *other != name && other.eq_ignore_ascii_case(name);
        let other = self.listed.1.iter().find(is_other)?;
        Some((self.ground.show(&folder.join(other)), Skip::OtherCase(name.into())))
    }
}

/// The name of a file without its endings.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".instructions.md").unwrap_or(&name);
    let plain = name.rsplit_once('.').map_or(name, |(front, _)| front);
    if plain.is_empty() { name.into() } else { plain.into() }
}
