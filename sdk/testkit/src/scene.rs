//! What a check that loads works with: one library in one process.
//!
//! In: a request. Out: the library's entry, its table, states, ordinary calls. Never: shared by two checks.

use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use promptweave_abi::EntryFn;
use promptweave_loader::harness::{self, Given};
use promptweave_loader::{HostProgram, Item};
use serde::{Deserialize, Serialize};

use crate::loaded::{Loaded, State};
use crate::run::Effort;
use crate::target::Target;

/// What a process is asked to check.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) check: String,
    pub(crate) target: PathBuf,
    /// The private copy of the library.
    pub(crate) library: PathBuf,
    /// An empty folder, which is also the current one.
    pub(crate) scratch: PathBuf,
    /// Where the answer goes; what is being done goes beside it.
    pub(crate) answer: PathBuf,
    pub(crate) seed: u64,
    pub(crate) effort: Effort,
    /// How long one call may take before the check counts as hung.
    pub(crate) timeout: Duration,
    /// The program and its arguments by which such a process is started.
    pub(crate) program: (PathBuf, Vec<String>),
}

/// How a check came out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "status", content = "why", rename_all = "lowercase")]
pub(crate) enum Outcome {
    Pass,
    Warn(String),
    Fail(String),
    Skip(String),
    /// A failure that other checks meet as well, and that is told once: by what it is known, and the sentence.
    Once {
        known_by: String,
        why: String,
    },
    /// The loader would not take the plugin, so there was nothing to check.
    Refused(String),
}

impl Outcome {
    pub(crate) fn is_failure(&self) -> bool {
        match self {
            Self::Fail(_) | Self::Once { .. } => true,
            Self::Pass | Self::Warn(_) | Self::Skip(_) | Self::Refused(_) => false,
        }
    }
}

/// `Err` ends a check early, whatever it says.
pub(crate) type Verdict = Result<(), Outcome>;

/// Ends a check with a failure.
pub(crate) fn fail<T>(why: impl Into<String>) -> Result<T, Outcome> {
    Err(Outcome::Fail(why.into()))
}

/// Ends a check because there is nothing to look at.
pub(crate) fn skip<T>(why: impl Into<String>) -> Result<T, Outcome> {
    Err(Outcome::Skip(why.into()))
}

/// One library in one process.
pub(crate) struct Scene {
    pub(crate) ask: Request,
    pub(crate) target: Target,
    /// Open from the start, so that no check takes it for the plugin's.
    notes: Option<File>,
}

impl Scene {
    pub(crate) fn new(ask: Request, target: Target) -> Self {
        let notes = File::create(notes(&ask.answer)).ok();
        Self { ask, target, notes }
    }

    /// Loads the library.
    pub(crate) fn entry(&self) -> Result<EntryFn, Outcome> {
        // SAFETY: this process exists to run the library; the path is that of a private copy.
        unsafe { harness::entry(&self.ask.library) }.map_err(Outcome::Refused)
    }

    /// Loads it and reads its table.
    pub(crate) fn loaded(&self) -> Result<Loaded, Outcome> {
        Loaded::new(self.entry()?).map_err(Outcome::Refused)
    }

    /// Makes a state with the author's configuration.
    pub(crate) fn state<'l>(&self, loaded: &'l Loaded) -> Result<State<'l>, Outcome> {
        loaded.init(&self.target.config()).map_err(|(_, why)| {
            let why = why.unwrap_or_else(|| "it gives no reason".into());
            Outcome::Skip(format!("its `init` fails: {why}; give a `[config]` in `validate.toml`"))
        })
    }

    /// An ordinary call of an item.
    pub(crate) fn given(&self, item: &Item, number: u32) -> Given {
        crate::sample::given(item, &self.target.settings, number)
    }

    /// Writes down what is done next, in case it ends this process.
    pub(crate) fn note(&self, what: &str) {
        if let Some(file) = &self.notes {
            // A note that is lost makes a message poorer, and nothing wrong. Each overwrites the one before, up to a
            // NUL: cutting the file each time would wait for the disk.
            let _ = file.write_all_at(format!("{what}\0").as_bytes(), 0);
        }
    }

    /// The program that runs a plugin for the loader.
    pub(crate) fn child(&self) -> HostProgram {
        let (path, args) = self.ask.program.clone();
        let args = args.into_iter().chain([crate::run::SERVE.to_owned()]).collect();
        HostProgram { path, args }
    }
}

/// What was being done when the process of a request ended; empty when it does not say.
pub(crate) fn last_note(answer: &Path) -> String {
    let bytes = fs::read(notes(answer)).unwrap_or_default();
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn notes(answer: &Path) -> PathBuf {
    answer.with_extension("now")
}
