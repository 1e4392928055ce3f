//! What a plugin says about itself, in `plugin.toml` or embedded in its library.
//!
//! In: a text. Out: a [`Manifest`], and a diagnostic for every mistake. Never: reads a file, runs code,
//! believes a number above its limit.

mod capabilities;
mod items;
mod parse;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use promptweave::{CacheClass, KeyType, Origin, PackName, SourceFile};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub(crate) use capabilities::read as read_capabilities;
pub use capabilities::{Capabilities, Folder, Permission};
pub(crate) use parse::fits;

use crate::digest::Digest;
use crate::limits::Limits;

/// The name of the file in a plugin's folder.
pub const MANIFEST_FILE: &str = "plugin.toml";
/// The most bytes of a manifest: 256 KiB.
pub const MAX_MANIFEST_BYTES: u64 = 256 * 1024;

/// What a plugin says about itself.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The plugin's name.
    pub name: PackName,
    /// Its own version, as it likes.
    pub version: Arc<str>,
    /// The lowest ABI of the host that it accepts.
    pub abi: AbiVersion,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Its licence.
    pub license: Option<Arc<str>>,
    /// Where to read about it.
    pub homepage: Option<Arc<str>>,
    /// Its libraries by target, e.g. `x86_64-linux-gnu`. None: the plugin is a pack without code.
    pub libraries: BTreeMap<Arc<str>, LibraryEntry>,
    /// How it wants to run.
    pub run: Run,
    /// What it needs from the system.
    pub capabilities: Capabilities,
    /// The keys of its configuration; any key when it names none.
    pub config: BTreeMap<Arc<str>, ConfigKey>,
    /// What it supplies, in the order of the file. Empty: not said.
    pub items: Vec<ItemEntry>,
    /// The text that was read.
    pub source: Arc<SourceFile>,
}

impl Manifest {
    /// A manifest for a library that brings none: its name, ABI 1.0, default limits.
    pub fn of_unknown(name: PackName) -> Self {
        Self {
            name,
            version: "".into(),
            abi: AbiVersion::HOST,
            description: None,
            license: None,
            homepage: None,
            libraries: BTreeMap::new(),
            run: Run::default(),
            capabilities: Capabilities::default(),
            config: BTreeMap::new(),
            items: Vec::new(),
            source: SourceFile::new("", ""),
        }
    }
}

/// A version of the ABI; only the major one must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AbiVersion {
    /// Equal on both sides.
    pub major: u16,
    /// The host's is at least this.
    pub minor: u16,
}

impl AbiVersion {
    /// The ABI of this host.
    pub const HOST: Self =
        Self { major: promptweave_abi::ABI_MAJOR, minor: promptweave_abi::ABI_MINOR };

    /// Whether a plugin that asks for this version runs on this host.
    pub fn fits(self) -> bool {
        self.major == Self::HOST.major && self <= Self::HOST
    }
}

impl fmt::Display for AbiVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// One library of a plugin.
#[derive(Clone, Debug)]
pub struct LibraryEntry {
    /// Its path below the manifest's folder; no `..` in it.
    pub file: Arc<str>,
    /// The digest of its bytes.
    pub sha256: Digest,
    /// Where the manifest says so.
    pub origin: Origin,
}

/// How a plugin wants to run; the host's policy may only tighten it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it wants to run; absent: wherever the host likes.
    pub isolation: Option<Isolation>,
    /// The time of one call.
    pub timeout: Duration,
    /// The time from the start of the process to the first call.
    pub load_timeout: Duration,
    /// The most bytes that one item may yield.
    pub max_output_bytes: u64,
}

impl Default for Run {
    /// Anywhere, within [`Limits::default`].
    fn default() -> Self {
        let Limits { call, load, output, .. } = Limits::default();
        Self { isolation: None, timeout: call, load_timeout: load, max_output_bytes: output as u64 }
    }
}

/// Where the code of a plugin runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// In a child process, which can be stopped.
    #[default]
    Process,
    /// In the host's own process: full trust.
    InProc,
}

impl Isolation {
    /// The words of files and flags.
    pub(crate) const WORDS: &[(&str, Self)] =
        &[("process", Self::Process), ("inproc", Self::InProc)];

    /// `process` or `inproc`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::InProc => "inproc",
        }
    }
}

/// One key of a plugin's configuration.
#[derive(Clone, Debug)]
pub struct ConfigKey {
    /// The type of its values; any when absent.
    pub kind: Option<KeyType>,
    /// Its value when nobody gives one.
    pub default: Option<Json>,
    /// Who may give it.
    pub giver: Giver,
    /// What it is for.
    pub description: Option<Arc<str>>,
}

/// Who may give a value of the configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Giver {
    /// The user alone.
    #[default]
    User,
    /// A pack too: `pack = true`.
    PackToo,
}

/// What kind of thing an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ItemKind {
    /// Yields the text of a section.
    Component,
    /// Says whether a variant is meant.
    Matcher,
    /// Is called by templates.
    Helper,
    /// Reads the world once per session.
    Probe,
    /// A prompt design.
    Variant,
    /// A tool.
    Tool,
}

impl ItemKind {
    /// All kinds.
    pub const ALL: &[Self] =
        &[Self::Component, Self::Matcher, Self::Helper, Self::Probe, Self::Variant, Self::Tool];

    /// The name of its table: `component`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Component => "component",
            Self::Matcher => "matcher",
            Self::Helper => "helper",
            Self::Probe => "probe",
            Self::Variant => "variant",
            Self::Tool => "tool",
        }
    }
}

impl std::fmt::Display for ItemKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One item that a plugin says it supplies.
#[derive(Clone, Debug)]
pub struct ItemEntry {
    /// Its kind.
    pub kind: ItemKind,
    /// Its id; of the shape that the kind asks for, once per kind.
    pub id: Arc<str>,
    /// How often its text changes; absent: not said.
    pub cache: Option<CacheClass>,
    /// Why it is volatile; there exactly when it is.
    pub reason: Option<Arc<str>>,
    /// Key paths of the context that it reads; each covers what lies below it.
    pub deps: Vec<Arc<str>>,
    /// The earlier sections that it reads.
    pub sections: Vec<Arc<str>>,
    /// The context key of a probe.
    pub key: Option<Arc<str>>,
    /// What it is for.
    pub description: Option<Arc<str>>,
    /// Where the manifest says so.
    pub origin: Origin,
}
