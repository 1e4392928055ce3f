//! Which checks run, and how.

use std::time::Duration;

use promptweave_loader::{HostProgram, Keys};
use serde::{Deserialize, Serialize};

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
    /// In this process, for debuggers: a crash ends it, a time-out does not count, and of the checks of loading only the
    /// first sees anything.
    This,
}

/// Which checks run, and how.
#[derive(Clone)]
pub struct Options {
    /// The names of those that run; empty: all.
    pub only: Vec<String>,
    /// The program that children run; it has to call [`serve`](crate::serve).
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
