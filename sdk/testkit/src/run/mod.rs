//! Runs checks on a plugin, each that loads code in a process of its own.
//!
//! In: a library or a plugin's folder. Out: a [`Report`]. Never: stopped by what a plugin does; a crash and a
//! time-out are results.

pub(crate) mod child;
mod report;
mod serve;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use promptweave_loader::{HostProgram, Keys, LibraryFile, Store};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

pub use report::{Checked, Report, Status};
pub use serve::serve;

use crate::measure::{self, Measured};
use crate::checks::{Body, Check, Stage, checks};
use crate::scene::{Outcome, Request, Scene, fail};
use crate::target::{Target, TargetError};

/// The argument by which the program runs a plugin for the loader instead of a check.
pub(crate) const SERVE: &str = "serve";
/// How often a check that depends on the machine's load is tried.
const TRIES: usize = 3;
/// By how much longer the checks of the last stage may take.
const ENDURANCE: u32 = 12;
/// Without these nothing else can be checked.
const GATES: &[&str] = &["object-target", "object-entry", "load-now-local"];

/// How many calls the long checks make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effort {
    /// Calls of each item for `leak-10k`; 10,000.
    pub calls: u32,
    /// Calls of each item for `time-p99`; 1,000.
    pub timed: u32,
    /// Calls for `fuzz-short`; 20,000.
    pub fuzzed: u32,
}

impl Default for Effort {
    fn default() -> Self {
        Self { calls: 10_000, timed: 1_000, fuzzed: 20_000 }
    }
}

/// Where the code of a checked plugin runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Process {
    /// In a fresh child for each check.
    #[default]
    Child,
    /// In this process, for debuggers: a crash ends it, a time-out does not count.
    This,
}

/// Which checks run, and how.
#[derive(Clone)]
pub struct Options {
    /// The names of those that run; empty: all.
    pub only: Vec<String>,
    /// The program that children run; it has to call [`serve`].
    pub program: HostProgram,
    /// Where plugin code runs; in a child.
    pub process: Process,
    /// How long a check may take; 5 s, the long ones twelve times that.
    pub timeout: Duration,
    /// Where chance begins; 1.
    pub seed: u64,
    /// How many calls the long checks make.
    pub effort: Effort,
    /// The keys that the user has pinned, for `signature`.
    pub keys: Keys,
}

impl Options {
    /// All checks, with everything else as its field says.
    pub fn new(program: HostProgram) -> Self {
        Self {
            only: Vec::new(),
            program,
            process: Process::Child,
            timeout: Duration::from_secs(5),
            seed: 1,
            effort: Effort::default(),
            keys: Keys::default(),
        }
    }
}

/// Checks a library, or the library of a plugin's folder.
///
/// ```no_run
/// use promptweave_testkit::{HostProgram, Options, check};
///
/// // `promptweave plugin-check-one` calls `serve`.
/// let program = HostProgram { path: "/usr/bin/promptweave".into(), args: vec!["plugin-check-one".into()] };
/// let report = check("target/debug/libacme.so".as_ref(), &Options::new(program))?;
/// assert!(report.is_fine(), "{report}");
/// # Ok::<(), promptweave_testkit::TargetError>(())
/// ```
///
/// # Errors
/// There is nothing to check: no library, no such check, a `validate.toml` that cannot be read.
pub fn check(target: &Path, options: &Options) -> Result<Report, TargetError> {
    let known: Vec<&str> = checks().iter().map(|check| check.name).collect();
    if let Some(name) = options.only.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(TargetError(format!("there is no check `{name}`")));
    }
    let read = Target::read(target, &known)?;
    let folder = tempfile::tempdir().map_err(|error| TargetError(error.to_string()))?;
    let mut run = Run::new(read, target, (folder.path(), options))?;
    let wanted =
        |check: &&Check| options.only.is_empty() || options.only.iter().any(|it| it == check.name);
    checks().iter().filter(wanted).for_each(|check| run.one(check));
    Ok(run.finish())
}

/// What came of a long run by chance.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Fuzzed {
    /// How many seeds were tried, each with [`Effort::fuzzed`] calls.
    pub seeds: u64,
    /// The seed that found something, and what; `check` with that seed and only `fuzz-short` finds it again.
    pub found: Option<(u64, String)>,
}

/// Runs `fuzz-short` with one seed after the other, from [`Options::seed`] on, until something is found or the time
/// is over.
///
/// # Errors
/// As for [`check`].
pub fn fuzz(target: &Path, options: &Options, time: Duration) -> Result<Fuzzed, TargetError> {
    let end = Instant::now() + time;
    let mut options = Options { only: vec!["fuzz-short".into()], ..options.clone() };
    let mut seeds = 0;
    loop {
        let report = check(target, &options)?;
        seeds += 1;
        if let Some(one) = report.of(Status::Fail).next() {
            return Ok(Fuzzed { seeds, found: Some((options.seed, one.why.clone())) });
        }
        if Instant::now() >= end || report.of(Status::Skip).next().is_some() {
            return Ok(Fuzzed { seeds, found: None });
        }
        options.seed = options.seed.wrapping_add(1);
    }
}

/// Measures a plugin in a process of its own.
pub(crate) fn measured(target: &Path, options: &Options) -> Result<Measured, TargetError> {
    let known: Vec<&str> = checks().iter().map(|check| check.name).collect();
    let read = Target::read(target, &known)?;
    let folder = tempfile::tempdir().map_err(|error| TargetError(error.to_string()))?;
    let run = Run::new(read, target, (folder.path(), options))?;
    let asked = run.request(measure::NAME, Stage::Endurance);
    let (_scratch, request) = asked.map_err(|error| TargetError(error.to_string()))?;
    let answer: Result<Measured, Outcome> = child::answer(&request).unwrap_or_else(Err);
    answer.map_err(|outcome| {
        let Checked { why, .. } = Checked::of(measure::NAME, outcome, Duration::ZERO);
        TargetError(format!("`{}` cannot be measured: {why}", target.display()))
    })
}

/// Measures in this process, which exists for it.
fn measured_here(request: Request) -> Result<Measured, Outcome> {
    let known: Vec<&str> = checks().iter().map(|check| check.name).collect();
    match Target::read(&request.target, &known) {
        Ok(target) => measure::perform(&Scene { ask: request, target }),
        Err(error) => fail(error.to_string()),
    }
}

/// One run over a plugin.
struct Run<'o> {
    target: Target,
    options: &'o Options,
    folder: PathBuf,
    path: PathBuf,
    /// The private copy of the library.
    copy: PathBuf,
    done: Vec<(Check, Outcome, Duration)>,
    /// Why the rest cannot be checked.
    blocked: Option<String>,
}

impl<'o> Run<'o> {
    fn new(
        target: Target,
        path: &Path,
        (folder, options): (&Path, &'o Options),
    ) -> Result<Self, TargetError> {
        let file = LibraryFile { path: target.library.clone(), sha256: target.sha256 };
        let store = Store::new(&folder.join("store"));
        let copy = store.keep(&file).map_err(|error| TargetError(error.to_string()))?;
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let (folder, done) = (folder.to_owned(), Vec::new());
        Ok(Self { target, options, folder, path, copy, done, blocked: None })
    }

    fn one(&mut self, check: &Check) {
        let start = Instant::now();
        let outcome = self.outcome(check);
        if outcome.is_failure()
            && GATES.contains(&check.name)
        {
            self.blocked = Some(format!("it cannot be loaded, see `{}`", check.name));
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
                for _ in 1..TRIES {
                    if tried.is_failure() {
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
        let failed = |stage: Stage| {
            let failed = |(one, outcome, _): &&(Check, Outcome, Duration)| {
                one.stage == stage && outcome.is_failure()
            };
            self.done.iter().find(failed)
        };
        let (first, _, _) = match check.name {
            "fuzz-short" => failed(Stage::Calls)?,
            _ => return None,
        };
        Some(Outcome::Skip(format!("`{}` fails; chance would find the same", first.name)))
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
    fn request(&self, name: &str, stage: Stage) -> io::Result<(TempDir, Request)> {
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
    fn finish(self) -> Report {
        let mut told = self.done.iter().any(|(check, outcome, _)| {
            check.stage == Stage::Table && outcome.is_failure()
        });
        let mut deaths: Vec<(String, &'static str)> = Vec::new();
        let checked = self.done.into_iter().map(|(check, outcome, took)| {
            let outcome = match outcome {
                Outcome::Refused(why) if told => {
                    Outcome::Skip(format!("the loader does not take it: {why}"))
                }
                Outcome::Refused(why) => {
                    told = true;
                    Outcome::Fail(format!("the loader does not take it: {why}"))
                }
                Outcome::Died { how, doing } => died(&mut deaths, check.name, (how, doing)),
                other => other,
            };
            Checked::of(check.name, outcome, took)
        });
        Report { target: self.path, checked: checked.collect() }
    }
}

/// A death over the same call is told once.
fn died(
    deaths: &mut Vec<(String, &'static str)>,
    name: &'static str,
    (how, doing): (String, String),
) -> Outcome {
    if doing.is_empty() {
        return Outcome::Fail(format!("it {how}"));
    }
    if let Some((_, first)) = deaths.iter().find(|(known, _)| *known == doing) {
        return Outcome::Skip(format!("it ends its process where `{first}` tells it"));
    }
    let why = format!("{doing}: it {how}");
    deaths.push((doing, name));
    Outcome::Fail(why)
}

/// How a body came out.
pub(crate) fn ended(verdict: Result<(), Outcome>) -> Outcome {
    verdict.err().unwrap_or(Outcome::Pass)
}

/// Runs a check that loads code in this process.
pub(crate) fn perform(request: Request) -> Outcome {
    let known: Vec<&str> = checks().iter().map(|check| check.name).collect();
    let Some(check) = checks().iter().find(|check| check.name == request.check) else {
        return Outcome::Fail(format!("there is no check `{}`", request.check));
    };
    let target = match Target::read(&request.target, &known) {
        Ok(target) => target,
        Err(error) => return Outcome::Fail(error.to_string()),
    };
    match check.body {
        Body::Files(body) => ended(body(&target)),
        Body::Signature(_) => Outcome::Skip("it needs no process of its own".into()),
        Body::Code(body) | Body::Timed(body) => ended(body(&Scene { ask: request, target })),
    }
}
