//! One turn over all checks of a plugin.
//!
//! In: a plugin and the options. Out: the outcome of each check. Never: tells one thing twice, as far as it can know.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use promptweave_loader::{HostProgram, LibraryFile, Store};
use tempfile::TempDir;

use super::{Checked, Options, Process, Report, child, ended, serve};
use crate::checks::{Body, Check, Stage};
use crate::scene::{Outcome, Request};
use crate::target::{Target, TargetError};

/// How often a check that depends on the machine's load is tried.
const TRIES: usize = 3;
/// By how much longer the checks of the last stage may take.
const ENDURANCE: u32 = 12;
/// How many failures of this kind are told; a plugin that ends its process in each call takes time to check.
const ENOUGH: usize = 3;
/// Without these nothing else can be checked.
const GATES: &[&str] = &["object-target", "object-entry", "load-now-local"];

/// One turn over a plugin.
pub(super) struct Turn<'o> {
    target: Target,
    options: &'o Options,
    folder: PathBuf,
    path: PathBuf,
    /// The private copy of the library.
    copy: PathBuf,
    done: Vec<(Check, Outcome, Duration)>,
    /// The failures that other checks would meet as well.
    known: BTreeSet<String>,
    /// Why the rest cannot be checked.
    blocked: Option<String>,
}

impl<'o> Turn<'o> {
    pub(super) fn new(
        target: Target,
        path: &Path,
        (folder, options): (&Path, &'o Options),
    ) -> Result<Self, TargetError> {
        let file = LibraryFile { path: target.library.clone(), sha256: target.sha256 };
        let store = Store::new(&folder.join("store"));
        let copy = store.keep(&file).map_err(|error| TargetError(error.to_string()))?;
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (folder, done) = (folder.to_owned(), Vec::new());
        Ok(Self {
            target,
            options,
            folder,
            path,
            copy,
            done,
            known: BTreeSet::new(),
            blocked: None,
        })
    }

    pub(super) fn one(&mut self, check: &Check) {
        let start = Instant::now();
        let outcome = self.outcome(check);
        if outcome.is_failure() && GATES.contains(&check.name) {
            self.blocked = Some(format!("it cannot be loaded, see `{}`", check.name));
        }
        if let Outcome::Once { known_by, .. } = &outcome {
            self.known.insert(known_by.clone());
            if self.known.len() >= ENOUGH {
                let why = format!(
                    "{ENOUGH} calls have ended its process or broken a rule of the host; mend those first"
                );
                self.blocked.get_or_insert(why);
            }
        }
        self.done.push((*check, outcome, start.elapsed()));
    }

    fn outcome(&self, check: &Check) -> Outcome {
        if let Some(reason) = self.target.settings.off.get(check.name) {
            return Outcome::Skip(format!("off: {reason}"));
        }
        match check.body {
            Body::Files(body) => ended(body(&self.target)),
            Body::Signature(body) => ended(body(&self.target, &self.options.keys)),
            Body::Code(_) => self.blocked(check).unwrap_or_else(|| self.code(check)),
            Body::Timed(_) => self.blocked(check).unwrap_or_else(|| {
                let mut tried = self.code(check);
                let tries = match self.options.process {
                    Process::Child => TRIES,
                    Process::This => 1,
                };
                for _ in 1..tries {
                    if matches!(tried, Outcome::Fail(_)) {
                        tried = self.code(check);
                    }
                }
                tried
            }),
        }
    }

    /// Why a check would only tell again what another one has told.
    fn blocked(&self, check: &Check) -> Option<Outcome> {
        if let Some(why) = &self.blocked {
            return Some(Outcome::Skip(why.clone()));
        }
        let loaded = self.done.iter().any(|(one, ..)| one.stage >= Stage::Loading);
        if self.options.process == Process::This && check.stage == Stage::Loading && loaded {
            return Some(Outcome::Skip(
                "in this process it is loaded already; ask for it alone".into(),
            ));
        }
        if check.stage != Stage::Endurance {
            return None;
        }
        let failed = |(one, outcome, _): &&(Check, Outcome, Duration)| {
            one.stage == Stage::Calls && outcome.is_failure()
        };
        let (first, _, _) = self.done.iter().find(failed)?;
        Some(Outcome::Skip(format!("`{}` fails; mend that first", first.name)))
    }

    fn code(&self, check: &Check) -> Outcome {
        let (_scratch, request) = match self.request(check.name, check.stage) {
            Ok(request) => request,
            Err(error) => return Outcome::Skip(format!("there is no folder for it: {error}")),
        };
        match self.options.process {
            Process::Child => child::run(&request),
            Process::This => serve::here(request),
        }
    }

    /// What a process is asked, with the folder that it works in.
    pub(super) fn request(&self, name: &str, stage: Stage) -> io::Result<(TempDir, Request)> {
        let scratch = tempfile::tempdir_in(&self.folder)?;
        let HostProgram { path, args } = self.options.program.clone();
        let longer = if stage == Stage::Endurance { ENDURANCE } else { 1 };
        let request = Request {
            check: name.into(),
            target: self.path.clone(),
            library: self.copy.clone(),
            scratch: scratch.path().join("here"),
            answer: scratch.path().join("answer.json"),
            seed: self.options.seed,
            effort: self.options.effort,
            timeout: self.options.timeout * longer,
            program: (path, args),
        };
        std::fs::create_dir(&request.scratch)?;
        Ok((scratch, request))
    }

    /// A plugin that the loader refuses fails once: by the check that says why, else by the first that saw it.
    pub(super) fn finish(self) -> Report {
        let mut told = self
            .done
            .iter()
            .any(|(check, outcome, _)| check.stage == Stage::Table && outcome.is_failure());
        let mut known: Vec<(String, &'static str)> = Vec::new();
        let checked = self.done.into_iter().map(|(check, outcome, took)| {
            let outcome = match outcome {
                Outcome::Refused(why) if told => {
                    Outcome::Skip(format!("the loader does not take it: {why}"))
                }
                Outcome::Refused(why) => {
                    told = true;
                    Outcome::Fail(format!("the loader does not take it: {why}"))
                }
                Outcome::Once { known_by, why } => once(&mut known, check.name, (known_by, why)),
                other => other,
            };
            Checked::of(check.name, outcome, took)
        });
        Report { target: self.path, checked: checked.collect() }
    }
}

/// What an earlier check has told is not told again.
fn once(
    known: &mut Vec<(String, &'static str)>,
    name: &'static str,
    (known_by, why): (String, String),
) -> Outcome {
    if let Some((_, first)) = known.iter().find(|(other, _)| *other == known_by) {
        return Outcome::Skip(format!("it fails as `{first}` tells"));
    }
    known.push((known_by, name));
    Outcome::Fail(why)
}
