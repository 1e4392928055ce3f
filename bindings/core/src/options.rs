//! Options as they are written: JSON objects with these keys.
//!
//! In: JSON. Out: plain data. Never: reads a file; unknown keys are a mistake.

use std::collections::BTreeMap;
use std::path::PathBuf;

use promptweave::{Ask, CacheClass, Clock, Offsets, Trust};
use promptweave_loader::NativePolicy;
use serde::Deserialize;
use serde_json::Value as Json;

/// What an engine is made of.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineOptions {
    /// Whether the standard pack is below all others; it is.
    pub standard: bool,
    /// Packs, later ones win.
    pub packs: Vec<PackOptions>,
    /// A project: the pack in its folder `.promptweave` goes on top, as far as it is trusted.
    pub project: Option<PathBuf>,
    /// Whether the project's pack is loaded: when it is trusted, by default.
    pub trust: TrustOption,
    /// The list of trusted projects, a JSON file; without it none is.
    pub trust_file: Option<PathBuf>,
    /// Files of model data by name, as texts of TOML, laid over the shipped one in the order of their names.
    pub models: BTreeMap<String, String>,
    /// Plugins; none by default.
    pub plugins: Option<PluginOptions>,
    /// Whether the first warning is an error.
    pub strict: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            standard: true,
            packs: Vec::new(),
            project: None,
            trust: TrustOption::default(),
            trust_file: None,
            models: BTreeMap::new(),
            plugins: None,
            strict: false,
        }
    }
}

/// One pack: the path of a folder, or files in memory.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "a pack is a path, or has a `name` and `files`")]
pub enum PackOptions {
    /// A folder.
    Folder(PathBuf),
    /// Texts by their paths below the pack's folder.
    Memory {
        /// What diagnostics call it.
        name: String,
        /// `{"pack.toml": "…", "components/role.md": "…"}`.
        files: BTreeMap<String, String>,
    },
}

/// Whether a project's pack is loaded.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustOption {
    /// When the user trusts the project's folder.
    #[default]
    IfTrusted,
    /// In any case: the host vouches for the project.
    Always,
    /// In no case, and without a word.
    Never,
}

impl From<TrustOption> for Trust {
    fn from(option: TrustOption) -> Self {
        match option {
            TrustOption::IfTrusted => Self::IfTrusted,
            TrustOption::Always => Self::Always,
            TrustOption::Never => Self::Never,
        }
    }
}

/// Which plugins run, and where.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PluginOptions {
    /// Libraries or folders. To name one is consent to run it in a process of its own.
    pub paths: Vec<PathBuf>,
    /// The folder with private copies, the list of what is trusted, and `plugins/*`. Without it none runs.
    pub data: Option<PathBuf>,
    /// The program that a plugin runs in, `promptweave-plugin-host`; without it the one that
    /// `PROMPTWEAVE_PLUGIN_HOST` names, or that lies beside the running program.
    pub host: Option<PathBuf>,
    /// Where native plugins run.
    pub isolation: Isolation,
    /// The configuration of plugins by name.
    pub config: BTreeMap<String, Json>,
    /// What the word `workspace` of a manifest means.
    pub workspace: Vec<PathBuf>,
    /// The user's home, for `~/…` in manifests.
    pub home: Option<PathBuf>,
}

/// Where native plugins run.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// In a process of its own.
    #[default]
    Process,
    /// In this process where the trust entry grants that.
    InProc,
    /// Nowhere.
    Off,
}

impl From<Isolation> for NativePolicy {
    fn from(isolation: Isolation) -> Self {
        match isolation {
            Isolation::Process => Self::Process,
            Isolation::InProc => Self::InProc,
            Isolation::Off => Self::Off,
        }
    }
}

/// What a component of the host declares.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComponentOptions {
    /// The name that variants give it, e.g. `place`.
    pub id: String,
    /// The context keys that it gets, with what lies below; without it the whole context, and it is volatile.
    #[serde(default)]
    pub reads: Option<Vec<String>>,
    /// How often it says something else beside what it reads: `static` by default.
    #[serde(default)]
    pub cache: Option<Class>,
    /// Why it is volatile.
    #[serde(default)]
    pub reason: Option<String>,
    /// A sentence about it.
    #[serde(default)]
    pub description: Option<String>,
    /// How long a build waits for it, in milliseconds.
    #[serde(default = "default_deadline")]
    pub deadline_ms: u64,
}

fn default_deadline() -> u64 {
    1000
}

/// A cache class, as packs write it.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The same for everybody.
    Static,
    /// The same for a session.
    Session,
    /// Anything.
    Volatile,
}

impl From<Class> for CacheClass {
    fn from(class: Class) -> Self {
        match class {
            Class::Static => Self::Static,
            Class::Session => Self::Session,
            Class::Volatile => Self::Volatile,
        }
    }
}

/// Which variant a prompt is made of: the keys of `ask` in a result.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AskOptions {
    /// `ID`, `ID@VERSION` or `ID@LABEL`, instead of the one that matches.
    pub variant: Option<String>,
    /// The version with this label.
    pub label: Option<String>,
    /// Only variants with this tag.
    pub tag: Option<String>,
    /// The most tokens; sections go until it fits.
    pub budget: Option<usize>,
}

impl From<AskOptions> for Ask {
    fn from(options: AskOptions) -> Self {
        let AskOptions { variant, label, tag, budget } = options;
        Self { variant, label, tag, budget }
    }
}

/// What a session begins with.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionOptions {
    /// What `date` is where the context does not say, e.g. `2026-01-15`.
    pub date: Option<String>,
    /// What `time` is where the context does not say, e.g. `09:30`.
    pub time: Option<String>,
    /// Whether probes of plugins run, once; they do.
    pub probes: bool,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self { date: None, time: None, probes: true }
    }
}

impl SessionOptions {
    /// The clock.
    pub(crate) fn clock(&self) -> Clock {
        let mut clock = Clock::default();
        clock.date.clone_from(&self.date);
        clock.time.clone_from(&self.time);
        clock
    }
}

/// How a result is written.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ResultOptions {
    /// The unit of offsets: bytes by default.
    pub offsets: Unit,
}

/// The unit of offsets.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// UTF-16 code units, as in the strings of JavaScript.
    Utf16,
}

impl From<Unit> for Offsets {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Bytes => Self::Bytes,
            Unit::Utf16 => Self::Utf16,
        }
    }
}

/// What a payload should be like.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DeliveryOptions {
    /// Entries live for an hour for these values of `request.query_source`, or for those that begin with one that ends
    /// in `*`. A session remembers what it granted.
    pub one_hour: Vec<String>,
    /// Whether the undocumented scope of global blocks is in the request.
    pub wire_scope: bool,
    /// What routes requests with the same prefix to the same cache.
    pub cache_key: Option<String>,
}

/// How a reply is cut.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ParserOptions {
    /// Which machine cuts.
    pub mode: ParserMode,
    /// `auto`, the name of a dialect, or the text of a dialect's table in TOML; the variant's, else `auto`.
    pub dialect: Option<String>,
    /// The tools: `{"tools": {"name": {"params": {"p": "raw|scalar"}}}}`, or the list that a provider got. Without it
    /// those of the packs.
    pub specs: Option<Json>,
    /// Only these tools.
    pub tools: Option<Vec<String>>,
    /// Each tool has these parameters.
    pub params: Option<Vec<String>>,
    /// These parameters are read raw, all others as scalars.
    pub raw: Option<Vec<String>>,
    /// The tools and the dialect of this variant of the packs.
    pub variant: Option<String>,
    /// Whether values get the type that the tool's schema states.
    pub typed: bool,
    /// Accepts a call in a code fence that holds nothing else.
    pub fenced_calls: bool,
    /// The prompt's template has opened the reasoning.
    pub starts_in_reasoning: bool,
    /// A call ends reasoning.
    pub call_ends_reasoning: bool,
    /// Each tag that is a name ends so.
    pub tag_suffix: Option<String>,
}

/// Which machine cuts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParserMode {
    /// Tells real tags from those in code, prose, files and examples.
    #[default]
    Robust,
    /// What the parser of Cline 4.0 makes of it, mistakes included.
    Exact,
}
