//! What came of the checks.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::scene::Outcome;

/// What came of the checks of one plugin.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// What was checked.
    pub target: PathBuf,
    /// One entry for each check that was asked for, in their order.
    pub checked: Vec<Checked>,
}

/// What came of one check.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// The check's name.
    pub name: &'static str,
    /// How it came out.
    pub status: Status,
    /// Why; empty where it passed. A crash and a time-out are told here.
    pub why: String,
    /// How long it took, with its process; in JSON milliseconds, as `ms`.
    #[serde(rename = "ms", serialize_with = "millis")]
    pub took: Duration,
}

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The plugin does what is checked.
    Pass,
    /// There is nothing to check, or it cannot be checked here.
    Skip,
    /// It works, and could be better.
    Warn,
    /// It does not.
    Fail,
}

impl Status {
    /// `pass`, `skip`, `warn` or `fail`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Skip => "skip",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

impl Checked {
    pub(crate) fn of(name: &'static str, outcome: Outcome, took: Duration) -> Self {
        let (status, why) = match outcome {
            Outcome::Pass => (Status::Pass, String::new()),
            Outcome::Warn(why) => (Status::Warn, why),
            Outcome::Fail(why) => (Status::Fail, why),
            Outcome::Once { why, .. } => (Status::Fail, why),
            Outcome::Skip(why) | Outcome::Refused(why) => (Status::Skip, why),
        };
        Self { name, status, why, took }
    }
}

impl Report {
    /// Those that came out this way.
    pub fn of(&self, status: Status) -> impl Iterator<Item = &Checked> {
        self.checked.iter().filter(move |one| one.status == status)
    }

    /// Whether no check failed.
    pub fn is_fine(&self) -> bool {
        self.of(Status::Fail).next().is_none()
    }
}

/// One line for each check that did not pass.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.target.display())?;
        for one in self.checked.iter().filter(|one| one.status != Status::Pass) {
            writeln!(f, "{} {}: {}", one.status.as_str(), one.name, one.why)?;
        }
        Ok(())
    }
}

fn millis<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(took.as_millis() as u64)
}
