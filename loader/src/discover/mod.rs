//! Finds plugins where they may lie, and says what is known of each without running it.
//!
//! In: the places, named by the caller. Out: [`Candidate`]s, the earlier place first. Never: reads the
//! environment or looks into the current folder; decides what is trusted.

mod examine;
mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use promptweave::{Code, Diagnostic, Origin, PackName, Severity, SourceFile};
use serde::Serialize;

use crate::digest::Digest;
use crate::manifest::Manifest;
use crate::object::ObjectFacts;
use crate::store::LibraryFile;

/// Where plugins may lie.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Plugins that the user names: a library, a folder, its `plugin.toml`.
    pub named: Vec<PathBuf>,
    /// The value of `PROMPTWEAVE_PLUGIN_PATH`: absolute folders of plugins, or plugins themselves.
    pub search_path: Option<OsString>,
    /// The user's data folder, whose `plugins/*` are looked at.
    pub data: Option<PathBuf>,
    /// The project's pack folder, whose `plugins/*` are looked at.
    pub project: Option<PathBuf>,
    /// Folders of packs, whose `plugins/*` are looked at.
    pub packs: Vec<PathBuf>,
}

impl Sources {
    /// Whether nothing lies there that could be a plugin.
    pub fn is_empty(&self) -> bool {
        place::all(self, &mut Vec::new()).is_empty()
    }
}

/// Where a plugin was found; an earlier one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Place {
    /// The user named it: consent to run it in a child process.
    Named,
    /// On the search path.
    SearchPath,
    /// In the user's data folder.
    User,
    /// In the project's pack.
    Project,
    /// In another pack.
    Pack,
}

/// `named`, `search path`, `user`, `project` or `pack`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Named => "named",
            Self::SearchPath => "search path",
            Self::User => "user",
            Self::Project => "project",
            Self::Pack => "pack",
        })
    }
}

/// A plugin that was found; nothing of it has run.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name: the manifest's, else made from its file's.
    pub name: PackName,
    /// Where it was found.
    pub place: Place,
    /// The plugin's folder, or the library that stands for itself; absolute.
    pub path: PathBuf,
    /// What it says about itself, in `plugin.toml` or in the library.
    pub manifest: Option<Manifest>,
    /// The digest of `plugin.toml`; none when there is no such file.
    pub manifest_sha256: Option<Digest>,
    /// What would be loaded.
    pub content: Content,
    /// What the library's file says.
    pub object: Option<ObjectFacts>,
    /// The text of `plugin.toml.minisig`.
    pub signature: Option<String>,
    /// What is wrong with it. With an error among them it is not loaded.
    pub diagnostics: Vec<Diagnostic>,
}

/// What of a plugin would be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A library for this machine.
    Library(LibraryFile),
    /// No code: a pack, by the digest of all its files.
    Pack(Digest),
    /// Nothing: it is not there, or not for this machine.
    Missing,
}

impl Candidate {
    /// The library for this machine.
    pub fn library(&self) -> Option<&LibraryFile> {
        match &self.content {
            Content::Library(library) => Some(library),
            Content::Pack(_) | Content::Missing => None,
        }
    }

    /// The digest of what would be loaded.
    pub fn sha256(&self) -> Option<Digest> {
        match &self.content {
            Content::Library(library) => Some(library.sha256),
            Content::Pack(sha256) => Some(*sha256),
            Content::Missing => None,
        }
    }

    /// Its version; empty when it says none.
    pub fn version(&self) -> &str {
        self.manifest.as_ref().map_or("", |manifest| &manifest.version)
    }

    /// Whether a mistake keeps it from being loaded, whoever trusts it.
    pub fn is_refused(&self) -> bool {
        self.diagnostics.iter().any(|one| one.severity == Severity::Error)
    }
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Discovery {
    /// One plugin per name, in the order in which they were found.
    pub candidates: Vec<Candidate>,
    /// What is wrong with the places, and which plugins are shadowed.
    pub diagnostics: Vec<Diagnostic>,
}

impl Discovery {
    /// Looks at all places. Folders are read in the order of the names in them.
    pub fn of(sources: &Sources) -> Self {
        let mut found = Self::default();
        let mut seen = BTreeSet::new();
        for (place, path) in place::all(sources, &mut found.diagnostics) {
            if !seen.insert(path.clone()) {
                continue;
            }
            let Some(candidate) = examine::examine(place, &path) else {
                let message = format!("`{}` has no `plugin.toml`", path.display());
                let told = tell(Code::PluginManifest, &path, message);
                let told = told.help("write one, or move the folder elsewhere");
                found.diagnostics.push(Diagnostic { severity: Severity::Warning, ..told });
                continue;
            };
            found.candidates.push(candidate);
        }
        found.shadow();
        found
    }

    /// Keeps the first of each name.
    fn shadow(&mut self) {
        let mut first: BTreeMap<PackName, PathBuf> = BTreeMap::new();
        let told = &mut self.diagnostics;
        self.candidates.retain(|candidate| match first.get(&candidate.name) {
            None => {
                first.insert(candidate.name.clone(), candidate.path.clone());
                true
            }
            Some(path) => {
                let (name, by) = (&candidate.name, path.display());
                let message = format!("the plugin `{name}` here is shadowed by the one in `{by}`");
                let one = tell(Code::ExtensionConflict, &candidate.path, message);
                told.push(one.help("rename or remove one of them"));
                false
            }
        });
    }
}

/// A diagnostic about a whole file or folder.
fn tell(code: Code, path: &Path, message: impl Into<String>) -> Diagnostic {
    let file = SourceFile::new(path.display().to_string(), "");
    Diagnostic::new(code, message, Origin::file(&file, 0..0))
}
