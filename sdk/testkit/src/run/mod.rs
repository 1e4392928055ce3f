//! Runs checks on a plugin, each that loads code in a process of its own.
//!
//! In: a library or a plugin's folder. Out: a [`Report`]. Never: stopped by what a plugin does; a crash and a
//! time-out are results.

pub(crate) mod child;
mod long;
mod options;
mod report;
mod serve;
mod turn;

use std::path::Path;

pub(crate) use long::measured;
pub use long::{Fuzzed, fuzz};
pub use options::{Effort, Options, Process};
pub use report::{Checked, Report, Status};
pub use serve::serve;

use turn::Turn;

use crate::checks::{Body, Check, checks};
use crate::scene::{Outcome, Request, Scene};
use crate::target::{Target, TargetError};

/// The argument by which the program runs a plugin for the loader instead of a check.
pub(crate) const SERVE: &str = "serve";

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
    let mut turn = Turn::new(read, target, (folder.path(), options))?;
    let wanted =
        |check: &&Check| options.only.is_empty() || options.only.iter().any(|it| it == check.name);
    checks().iter().filter(wanted).for_each(|check| turn.one(check));
    Ok(turn.finish())
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
        Body::Code(body) | Body::Timed(body) => ended(body(&Scene::new(request, target))),
    }
}
