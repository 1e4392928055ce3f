//! Looks for skills below a folder.
//!
//! In: a place. Out: skills, notes, and the state of everything that was looked at. Never: goes deeper or into more folders
//! than the limits; believes that a project's link stays in the project.

use std::collections::{BTreeSet, VecDeque};
use std::path::{Component, Path, PathBuf};

use promptweave_front_matter::{self as front_matter, Repair};
use promptweave_guard::Guard;
use serde_json::{Map, Value as Json};

use crate::check::faults;
use crate::files::{Entry, Identity, Opened, Root, Stamp, foreign, identity};
use crate::index::one_line;
use crate::note::{Code, Note};
use crate::skill::{Listing, Scope, Skill};

/// The file that makes a folder a skill.
pub(crate) const FILE: &str = "SKILL.md";
/// A larger `SKILL.md`, or a larger file of a skill, is not read.
pub(crate) const MAX_BYTES: usize = 1 << 20;
/// How many folders deep skills may lie, and how many folders are looked into.
const MAX_DEPTH: usize = 4;
const MAX_FOLDERS: usize = 2000;
const MAX_ENTRIES: usize = 10_000;
/// Folders that hold no skills, however many files they hold.
const PASSED_OVER: &[&str] = &["node_modules", "target"];
/// Where a text of a skill comes from, for the guard.
pub(crate) const SOURCE: &str = "skill";

/// Whether the skills of a place count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trust {
    /// They do.
    Trusted,
    /// They are found and reported, and a model is not offered them.
    Untrusted,
}

/// A folder that skills may lie in.
#[derive(Clone, Debug)]
pub struct Place {
    root: Root,
    below: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) trust: Trust,
}

impl Place {
    /// A folder whose links may lead anywhere, as those that a user made.
    pub fn free(folder: impl Into<PathBuf>, scope: Scope) -> Self {
        let (root, below) = (Root::Free(folder.into()), PathBuf::new());
        Self { root, below, scope, trust: Trust::Trusted }
    }

    /// A folder of a project: nothing that it links to outside of the project is read.
    pub fn project(project: impl Into<PathBuf>, below: impl Into<PathBuf>, trust: Trust) -> Self {
        let (root, below) = (Root::Confined(project.into()), below.into());
        Self { root, below, scope: Scope::Project, trust }
    }

    /// The same folders below the user's home and below the project; those with `..` or from a root are left out.
    pub fn all<S: AsRef<str>>(
        folders: &[S],
        home: Option<&Path>,
        project: Option<(&Path, Trust)>,
    ) -> Vec<Self> {
        let below: Vec<&Path> = folders.iter().map(|it| Path::new(it.as_ref())).collect();
        let below: Vec<&Path> = below.into_iter().filter(|it| is_below(it)).collect();
        let of_user = home.into_iter().flat_map(|home| {
            below.iter().map(move |below| Self::free(home.join(below), Scope::User))
        });
        // A project that is the home itself has no skills but those of the user.
        let project = project.filter(|(folder, _)| Some(*folder) != home);
        let of_project = project.into_iter().flat_map(|(folder, trust)| {
            below.iter().map(move |below| Self::project(folder, *below, trust))
        });
        of_user.chain(of_project).collect()
    }

    /// Where it is.
    pub fn path(&self) -> PathBuf {
        self.root.path().join(&self.below)
    }
}

/// Whether a path cannot lead out of the folder that it begins at.
pub(crate) fn is_below(path: &Path) -> bool {
    let mut steps = path.components();
    steps.all(|step| matches!(step, Component::Normal(_) | Component::CurDir))
}

/// What was found.
#[derive(Default)]
pub(crate) struct Seen {
    /// Each with what its place says of trust, in the order in which they count.
    pub(crate) skills: Vec<(Skill, Trust)>,
    pub(crate) notes: Vec<Note>,
    /// Every folder and file whose change could change this.
    pub(crate) watched: Vec<(PathBuf, Option<Stamp>)>,
}

/// Looks below one place.
pub(crate) fn scan(place: &Place, guard: &Guard, seen: &mut Seen) {
    let top = place.path();
    let opened = place.root.open().ok().filter(|it| it.entry(&place.below) == Some(Entry::Folder));
    let Some(opened) = opened else {
        let stamp = Stamp::of(&top);
        return seen.watched.push((top, stamp));
    };
    if let Some((folder, owner)) = foreign(&top) {
        let message = format!("it belongs to the user {owner}, who can change these skills");
        let help = "make sure that you want that user's instructions";
        seen.notes.push(Note::warning(Code::SkillForeign, folder, message, help));
    }
    let (waiting, entered) = (VecDeque::new(), BTreeSet::new());
    let mut walk = Walk { place, opened, guard, seen, waiting, entered, folders: 0 };
    walk.waiting.push_back((place.below.clone(), 0));
    while let Some((below, depth)) = walk.waiting.pop_front() {
        walk.folder(&below, depth);
    }
}

struct Walk<'w> {
    place: &'w Place,
    opened: Opened,
    guard: &'w Guard,
    seen: &'w mut Seen,
    waiting: VecDeque<(PathBuf, usize)>,
    /// Links can lead in circles.
    entered: BTreeSet<Identity>,
    folders: usize,
}

impl Walk<'_> {
    fn full(&self, below: &Path) -> PathBuf {
        self.place.root.path().join(below)
    }

    fn folder(&mut self, below: &Path, depth: usize) {
        let file = below.join(FILE);
        match self.opened.entry(&file) {
            Some(Entry::File) => return self.skill(below, &file),
            Some(Entry::Folder | Entry::Other) => {
                return self.invalid(&file, "it is no regular file, or a link out".into());
            }
            None => {}
        }
        let path = self.full(below);
        if identity(&path).is_some_and(|folder| !self.entered.insert(folder)) {
            return self.bound(path, "it is a link to a folder that was looked into already");
        }
        let stamp = Stamp::of(&path);
        self.seen.watched.push((path.clone(), stamp));
        let names = match self.opened.names(below, MAX_ENTRIES) {
            Ok(names) => names,
            Err(_) => return self.bound(path, "the folder cannot be read"),
        };
        for name in names {
            if name.starts_with('.') || PASSED_OVER.contains(&&*name) {
                continue;
            }
            let next = below.join(&name);
            match self.opened.entry(&next) {
                Some(Entry::Folder) if depth == MAX_DEPTH => {
                    self.bound(self.full(&next), "it lies too deep to be looked into");
                }
                Some(Entry::Folder) if self.folders == MAX_FOLDERS => {
                    self.bound(path, "it has too many folders; the rest is not looked into");
                    return self.waiting.clear();
                }
                Some(Entry::Folder) => {
                    self.folders += 1;
                    self.waiting.push_back((next, depth + 1));
                }
                Some(Entry::Other) => {
                    self.bound(self.full(&next), "it is a pipe or device, or a link out");
                }
                Some(Entry::File) | None => {}
            }
        }
    }

    fn bound(&mut self, path: PathBuf, message: &str) {
        let help = "skills lie at most four folders deep, and a project's within the project";
        self.seen.notes.push(Note::warning(Code::SkillBounds, path, message.into(), help));
    }

    fn invalid(&mut self, file: &Path, message: String) {
        let help = "it is left out; `promptweave skills check` says what the format wants";
        let note = Note::warning(Code::SkillInvalid, self.full(file), message, help);
        self.seen.notes.push(note);
    }

    fn skill(&mut self, below: &Path, file: &Path) {
        let path = self.full(file);
        let stamp = Stamp::of(&path);
        self.seen.watched.push((path, stamp));
        let read = self.opened.text(file, MAX_BYTES);
        let read = read.and_then(|text| front_matter::read(&text).map_err(|why| why.to_string()));
        let front = match read {
            Ok(front) => front,
            Err(why) => return self.invalid(file, why),
        };
        let path = self.full(below);
        let folder = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let Some(skill) = self.made(&front.fields, &folder, below) else {
            return self.invalid(file, "it has no `description`".into());
        };
        let repaired = (front.repair == Repair::Quoted)
            .then(|| "a value with a colon is not in quotation marks".to_owned());
        let faults = faults(&folder, &front.fields).into_iter().map(|fault| fault.message);
        let told: Vec<String> = repaired.into_iter().chain(faults).collect();
        if !told.is_empty() {
            let help = "it is used all the same; mend it for other hosts";
            let note = Note::remark(Code::SkillLenient, skill.path.clone(), told.join("; "), help);
            self.seen.notes.push(note);
        }
        self.seen.skills.push((skill, self.place.trust));
    }

    /// None without a description: nobody could say when to use it.
    fn made(&mut self, fields: &Map<String, Json>, folder: &str, below: &Path) -> Option<Skill> {
        let path = self.full(&below.join(FILE));
        let text = |key: &str| fields.get(key).and_then(Json::as_str).map(one_line);
        let metadata = |key: &str| fields.get("metadata").and_then(|it| it.get(key));
        let name = text("name").filter(|name| !name.is_empty()).unwrap_or_else(|| one_line(folder));
        let description = text("description").filter(|text| !text.is_empty())?;
        let when = text("when_to_use").filter(|text| !text.is_empty());
        let description =
            when.map_or_else(|| description.clone(), |it| format!("{description} {it}"));
        let category = metadata("category").and_then(Json::as_str).map(one_line);
        let tags = metadata("tags").map(words).unwrap_or_default();
        let hidden = fields.get("disable-model-invocation") == Some(&Json::Bool(true));
        Some(Skill {
            name: self.guarded(name, &path),
            description: self.guarded(description, &path),
            category: category.map(|it| self.guarded(it, &path)),
            tags: tags.into_iter().map(|tag| self.guarded(tag, &path)).collect(),
            license: text("license"),
            compatibility: text("compatibility"),
            allowed_tools: fields.get("allowed-tools").map(words).unwrap_or_default(),
            listing: if hidden { Listing::Hidden } else { Listing::Offered },
            scope: self.place.scope,
            root: self.place.root.clone(),
            below: below.to_owned(),
            path,
        })
    }

    /// A text that goes into the index, as the guard lets it.
    fn guarded(&mut self, text: String, path: &Path) -> String {
        let looked = self.guard.look(SOURCE, &text);
        if looked.findings.is_empty() {
            return text;
        }
        let rules: Vec<&str> = looked.findings.iter().map(|finding| &*finding.rule).collect();
        let message =
            format!("its front matter holds what should not be there: {}", rules.join(", "));
        let help = "read the file before you use the skill";
        let note = Note::warning(Code::SkillSuspicious, path.to_owned(), message, help);
        self.seen.notes.push(note);
        looked.text.into_owned()
    }
}

/// A list of texts, or one text with commas or blanks between words.
fn words(value: &Json) -> Vec<String> {
    let all: Vec<String> = match value {
        Json::String(text) if text.contains(',') => text.split(',').map(one_line).collect(),
        Json::String(text) => text.split_whitespace().map(str::to_owned).collect(),
        Json::Array(items) => items.iter().filter_map(Json::as_str).map(one_line).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => Vec::new(),
    };
    all.into_iter().filter(|word| !word.is_empty()).collect()
}
