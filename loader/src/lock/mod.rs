//! What the user trusts: `plugins.lock` in the data folder, by the digests of what was looked at.
//!
//! In: the file, candidates. Out: whether one is the plugin that was trusted. Never: grants by itself;
//! believes a broken file; keeps a file in a project.

mod file;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use promptweave::{Diagnostic, PackName};
use serde::Serialize;

use crate::digest::Digest;
use crate::discover::{Candidate, Content};
use crate::files::Turn;
use crate::manifest::{Capabilities, Isolation};
use crate::object::host_target;
use crate::signature::KeyId;

/// The name of the file in the user's data folder.
pub const LOCK_FILE: &str = "plugins.lock";

/// One plugin that the user trusts, exactly as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grant {
    /// The plugin's name.
    #[serde(serialize_with = "as_text")]
    pub name: PackName,
    /// Its version when it was trusted; for people.
    pub version: Arc<str>,
    /// The target of the library; `any` for a plugin without code.
    pub target: Arc<str>,
    /// The digest of the library, or of all files of a plugin without code.
    pub sha256: Digest,
    /// The digest of `plugin.toml`, where there is one.
    pub manifest_sha256: Option<Digest>,
    /// Where it may run at most.
    pub isolation: Isolation,
    /// What it may do at most.
    pub capabilities: Capabilities,
    /// Whose signature was good.
    pub signer: Option<KeyId>,
    /// When, as the caller writes dates.
    pub date: Arc<str>,
}

fn as_text<S: serde::Serializer>(name: &PackName, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(name)
}

impl Grant {
    /// The target of a plugin without code.
    pub const ANY_TARGET: &str = "any";

    /// What trusting a candidate as it is would write: its manifest's capabilities, a child process, no
    /// signer. None when nothing of it would be loaded.
    pub fn of(candidate: &Candidate, date: impl Into<Arc<str>>) -> Option<Self> {
        let manifest = candidate.manifest.as_ref();
        Some(Self {
            name: candidate.name.clone(),
            version: candidate.version().into(),
            target: target_of(candidate)?,
            sha256: candidate.sha256()?,
            manifest_sha256: candidate.manifest_sha256,
            isolation: Isolation::Process,
            capabilities: manifest.map(|one| one.capabilities.clone()).unwrap_or_default(),
            signer: None,
            date: date.into(),
        })
    }
}

fn target_of(candidate: &Candidate) -> Option<Arc<str>> {
    match candidate.content {
        Content::Library(_) => Some(host_target().into()),
        Content::Pack(_) => Some(Grant::ANY_TARGET.into()),
        Content::Missing => None,
    }
}

/// What of a plugin is not as it was trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Its library.
    Library,
    /// Its `plugin.toml`.
    Manifest,
    /// The files of a plugin without code.
    Files,
}

/// `library`, `manifest` or `files`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Library => "library",
            Self::Manifest => "manifest",
            Self::Files => "files",
        })
    }
}

/// Whether a candidate is a plugin that the user trusts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It is the very one.
    Trusted(Grant),
    /// One of its name is trusted, and it is another by now.
    Changed {
        /// What differs; never empty.
        what: Vec<Part>,
        /// What was trusted.
        before: Grant,
    },
    /// The user has not trusted one of its name, or nothing of it would be loaded.
    Untrusted,
}

/// The user's list of trusted plugins; the default one has no file and trusts nothing.
#[derive(Clone, Debug, Default)]
pub struct Lock {
    file: PathBuf,
    grants: Grants,
    diagnostics: Vec<Diagnostic>,
}

/// By name and target.
type Grants = BTreeMap<(PackName, Arc<str>), Grant>;

impl Lock {
    /// Reads the file. None yet, or a broken one, trusts nothing; [`Lock::diagnostics`] tells of the latter.
    pub fn open(file: impl Into<PathBuf>) -> Self {
        let file = file.into();
        let (grants, diagnostics) = match file::read(&file) {
            Ok(grants) => (grants, Vec::new()),
            Err(diagnostics) => (Grants::new(), diagnostics),
        };
        Self { file, grants, diagnostics }
    }

    /// What is wrong with the file.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Everything that is trusted, by name and target.
    pub fn grants(&self) -> impl Iterator<Item = &Grant> {
        self.grants.values()
    }

    /// Whether this very plugin is trusted.
    pub fn state(&self, candidate: &Candidate) -> State {
        let (Some(target), Some(sha256)) = (target_of(candidate), candidate.sha256()) else {
            return State::Untrusted;
        };
        let Some(grant) = self.grants.get(&(candidate.name.clone(), target)) else {
            return State::Untrusted;
        };
        let mut what = Vec::new();
        if grant.sha256 != sha256 {
            what.push(if candidate.library().is_some() { Part::Library } else { Part::Files });
        }
        if grant.manifest_sha256 != candidate.manifest_sha256 {
            what.push(Part::Manifest);
        }
        if what.is_empty() {
            State::Trusted(grant.clone())
        } else {
            State::Changed { what, before: grant.clone() }
        }
    }

    /// Trusts a plugin from now on, in the place of one of its name and target. The file (mode 0600) is
    /// replaced at once.
    ///
    /// # Errors
    /// When the file is broken, or cannot be written.
    pub fn grant(&mut self, grant: Grant) -> io::Result<()> {
        self.change(|grants| {
            grants.insert((grant.name.clone(), Arc::clone(&grant.target)), grant);
        })
    }

    /// Trusts no plugin of a name any more, and gives back what was trusted.
    ///
    /// # Errors
    /// When the file is broken, or cannot be written.
    pub fn revoke(&mut self, name: &PackName) -> io::Result<Vec<Grant>> {
        let mut revoked = Vec::new();
        self.change(|grants| {
            grants.retain(|(one, _), grant| {
                let stays = one != name;
                if !stays {
                    revoked.push(grant.clone());
                }
                stays
            });
        })?;
        Ok(revoked)
    }

    /// Changes the list as it is by now: another program may have written it since.
    fn change(&mut self, change: impl FnOnce(&mut Grants)) -> io::Result<()> {
        let _turn = Turn::wait(self.file.parent().unwrap_or(Path::new(".")))?;
        let mut grants = file::read(&self.file).map_err(|broken| {
            let why = broken.into_iter().next().map(|one| one.message).unwrap_or_default();
            io::Error::new(io::ErrorKind::InvalidData, why)
        })?;
        change(&mut grants);
        file::write(&self.file, grants.values())?;
        (self.grants, self.diagnostics) = (grants, Vec::new());
        Ok(())
    }
}
