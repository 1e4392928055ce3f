//! What plugins may do here.
//!
//! In: what the host decides and what a manifest asks for. Out: limits and a confinement.
//! Never: anything that a plugin could widen by itself.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How much of a plugin's process and time there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// For one item, from its start; 200 ms.
    pub call: Duration,
    /// From the start of a child to its table; 2 s.
    pub load: Duration,
    /// Bytes of text of one item; 64 KiB.
    pub output: usize,
    /// Bytes of address space of a child; 2 GiB.
    pub memory: u64,
    /// Open files of a child; 64.
    pub files: u64,
    /// How long a child is kept that nobody asks; 60 s.
    pub idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            call: Duration::from_millis(200),
            load: Duration::from_secs(2),
            output: 64 * 1024,
            memory: 2 << 30,
            files: 64,
            idle: Duration::from_secs(60),
        }
    }
}

impl Limits {
    /// What a manifest may ask for at most: 5 s, 10 s, 1 MiB, and the defaults.
    pub fn most() -> Self {
        Self {
            call: Duration::from_secs(5),
            load: Duration::from_secs(10),
            output: 1 << 20,
            ..Self::default()
        }
    }
}

/// What happens where the sandbox is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum SandboxPolicy {
    /// The plugin runs with what there is.
    #[default]
    BestEffort,
    /// The plugin does not run.
    Require,
    /// There is no sandbox.
    Off,
}

/// How a child confines itself before it loads the library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Confine {
    pub(crate) mode: SandboxPolicy,
    /// Files and folders that it may read.
    pub(crate) read: Vec<PathBuf>,
    /// Files and folders that it may read and write.
    pub(crate) write: Vec<PathBuf>,
    pub(crate) network: bool,
    /// Whether it may start processes.
    pub(crate) processes: bool,
    pub(crate) memory: u64,
    pub(crate) files: u64,
}

/// How far a child is confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sandbox {
    /// Not at all.
    #[default]
    None,
    /// In part: the system lacks something.
    Partial,
    /// Files, network, processes, signals.
    Full,
}

impl Sandbox {
    /// The word that people read.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Partial => "partial",
            Self::Full => "full",
        }
    }
}

/// Whether an item that keeps killing its process is asked again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quarantine {
    /// After the second death it rests, after the third within ten minutes it is asked no more.
    #[default]
    On,
    /// It is asked each time.
    Off,
}
