//! What takes minutes, and what is measured.
//!
//! In: a plugin. Out: the first seed that finds something; the costs. Never: plugin code in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::turn::Turn;
use super::{Checked, Options, Status, check, child};
use crate::checks::{Stage, checks};
use crate::measure::{self, Measured};
use crate::scene::{Outcome, Request, Scene, fail};
use crate::target::{Target, TargetError};

/// What came of a long run by chance.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Fuzzed {
    /// How many seeds were tried, each with [`Effort::fuzzed`](crate::Effort::fuzzed) calls.
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
    let run = Turn::new(read, target, (folder.path(), options))?;
    let asked = run.request(measure::NAME, Stage::Endurance);
    let (_scratch, request) = asked.map_err(|error| TargetError(error.to_string()))?;
    let answer: Result<Measured, Outcome> = child::answer(&request).unwrap_or_else(Err);
    answer.map_err(|outcome| {
        let Checked { why, .. } = Checked::of(measure::NAME, outcome, Duration::ZERO);
        TargetError(format!("`{}` cannot be measured: {why}", target.display()))
    })
}

/// Measures in this process, which exists for it.
pub(super) fn measured_here(request: Request) -> Result<Measured, Outcome> {
    let known: Vec<&str> = checks().iter().map(|check| check.name).collect();
    match Target::read(&request.target, &known) {
        Ok(target) => measure::perform(&Scene::new(request, target)),
        Err(error) => fail(error.to_string()),
    }
}
