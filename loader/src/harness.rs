//! The low door for test kits: the code of one plugin, item by item, without an engine.
//!
//! In: a library or an entry, and what a call shall see. Out: what the call gave, as it came. Never: asks
//! who trusts the plugin (whoever names it here consents), or remembers an answer.

use std::collections::BTreeMap;
use std::path::Path;

use promptweave_abi::{Entry, EntryFn};
use serde_json::Value as Json;

use crate::answer::{Answer, Outcome, Report};
use crate::config::SandboxPolicy;
use crate::frame::{Load, PROTOCOL};
use crate::guest::{self, Instance};
use crate::key;
use crate::limits::{Confine, Limits, Quarantine};
use crate::manifest::Manifest;
use crate::plugin::{Plugin, Source};
use crate::process::{HostProgram, Order, Process};
use crate::start;
use crate::table::{Item, Table};

pub use crate::key::{at, covers, steps};

/// Loads a library into this process, for good, and finds its entry.
///
/// # Errors
/// A sentence: it cannot be loaded, or has no entry.
///
/// # Safety
/// The library's constructors run here; it is a private copy at an absolute path, which nobody changes while
/// the process lives.
pub unsafe fn entry(library: &Path) -> Result<EntryFn, String> {
    // SAFETY: the caller's promise is the same.
    unsafe { guest::open(library) }.map_err(|refusal| refusal.0)
}

/// Reads a table as the loader does.
///
/// # Errors
/// A sentence that says why the loader would not take it.
///
/// # Safety
/// What the table points at, as far as its counts say, can be read and does not change.
pub unsafe fn table(raw: *const promptweave_abi::Plugin) -> Result<Table, String> {
    // SAFETY: the caller's promise is the same.
    unsafe { guest::table(raw) }.map_err(|refusal| refusal.0)
}

/// Whether a table says what the manifest says, as far as that says anything.
///
/// # Errors
/// A sentence that names the first difference.
pub fn agree(manifest: &Manifest, table: &Table) -> Result<(), String> {
    start::agree(manifest, table)
}

/// Where the code of a plugin is to run.
#[derive(Clone, Debug)]
pub enum Where {
    /// In this process.
    Here,
    /// In a child, under the default sandbox and without any capability.
    Child(HostProgram),
}

/// A plugin that is linked into this program, with its configuration as a JSON object.
///
/// # Errors
/// A sentence: its table is refused, or its `init` fails.
pub fn linked(entry: Entry, config: &str, limits: Limits) -> Result<Plugin, String> {
    // SAFETY: whoever made the `Entry` vouches for it; linked code is never unloaded.
    let instance = unsafe { Instance::new(entry.as_fn(), config) };
    near(instance.map_err(|refusal| refusal.0)?, limits)
}

/// Opens a library at an absolute path, which nobody may change meanwhile. The caller consents to its code.
///
/// # Errors
/// A sentence: it cannot be loaded, its table is refused, or its `init` fails.
pub fn open(library: &Path, config: &str, at: (Where, Limits)) -> Result<Plugin, String> {
    match at {
        (Where::Here, limits) => {
            // SAFETY: naming the library here is the consent that its code runs in this process.
            let instance = unsafe { guest::open(library).and_then(|it| Instance::new(it, config)) };
            near(instance.map_err(|refusal| refusal.0)?, limits)
        }
        (Where::Child(program), limits) => far(program, library, (config, limits)),
    }
}

fn near(instance: Instance, limits: Limits) -> Result<Plugin, String> {
    instance.ready()?;
    Ok(Plugin::in_process(instance, limits).0)
}

fn far(
    program: HostProgram,
    library: &Path,
    (config, limits): (&str, Limits),
) -> Result<Plugin, String> {
    let confine = Confine {
        mode: SandboxPolicy::BestEffort,
        memory: limits.memory,
        files: limits.files,
        ..Confine::default()
    };
    let load = Load {
        protocol: PROTOCOL,
        host: std::process::id(),
        library: library.to_owned(),
        config: config.into(),
        confine,
        output: limits.output,
        idle_ms: limits.idle.as_millis() as u64,
    };
    let order = Order { program, load, load_time: limits.load };
    let process = Process::start(order, limits, Quarantine::Off).map_err(|why| why.to_string())?;
    Ok(Plugin::in_child(process).0)
}

/// What one call may see.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The context: an object.
    pub context: Json,
    /// What `variant()` shows: an object.
    pub variant: Json,
    /// The texts of earlier sections, by id.
    pub sections: BTreeMap<String, String>,
    /// Of a helper: its arguments as a JSON array; else empty.
    pub args: String,
}

/// What a call gave.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Called {
    /// The text; none when the item has nothing to say, which of a matcher is a no.
    pub text: Option<String>,
    /// Why there is no text, where the call failed.
    pub failure: Option<String>,
    /// What it reported.
    pub reports: Vec<Told>,
    /// Keys, and sections as `sections.<id>`, that it read without declaring them.
    pub undeclared: Vec<String>,
    /// Why the text is volatile after all.
    pub volatile: Option<String>,
}

impl Called {
    /// A call that never came back: why.
    pub fn failed(why: String) -> Self {
        Self {
            text: None,
            failure: Some(why),
            reports: Vec::new(),
            undeclared: Vec::new(),
            volatile: None,
        }
    }

    /// Of a matcher: yes.
    pub fn is_match(&self) -> bool {
        self.text.is_some()
    }

    /// Of a probe or a tool: what it wrote, where that is JSON.
    pub fn json(&self) -> Option<Json> {
        serde_json::from_str(self.text.as_deref()?).ok()
    }
}

/// A diagnostic of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Told {
    /// 1 error, 2 warning, else a note.
    pub severity: u32,
    /// Its code.
    pub code: String,
    /// What it says.
    pub message: String,
    /// What to do; empty when it does not say.
    pub help: String,
}

/// Calls an item of the plugin's own table.
///
/// # Errors
/// A sentence: the plugin's process ended, or took too long.
pub fn call(plugin: &Plugin, item: &Item, given: &Given) -> Result<Called, String> {
    plugin.ask_afresh(item, &given.args, given).map(Called::from)
}

impl Default for Given {
    /// An empty context, the variant `generic`, no sections, no arguments.
    fn default() -> Self {
        let variant = serde_json::json!({
            "id": "generic", "version": 1, "family": "generic",
            "labels": [], "tags": [], "placeholders": {},
        });
        let context = Json::Object(serde_json::Map::new());
        Self { context, variant, sections: BTreeMap::new(), args: String::new() }
    }
}

impl Source for Given {
    fn value(&self, key: &str) -> Option<&Json> {
        key::at(&self.context, &key::steps(key)?)
    }

    fn section(&self, id: &str) -> Option<&str> {
        self.sections.get(id).map(String::as_str)
    }

    fn variant_id(&self) -> &str {
        self.variant.get("id").and_then(Json::as_str).unwrap_or_default()
    }

    fn variant(&self) -> Json {
        self.variant.clone()
    }

    fn context(&self) -> Option<&Json> {
        Some(&self.context)
    }
}

impl From<Answer> for Called {
    fn from(answer: Answer) -> Self {
        let (text, failure) = match answer.outcome {
            Outcome::Nothing => (None, None),
            Outcome::Text(text) => (Some(text), None),
            Outcome::Failed(why) => (None, Some(why)),
        };
        let reports = answer.reports.into_iter().map(Told::from).collect();
        Self { text, failure, reports, undeclared: answer.undeclared, volatile: answer.volatile }
    }
}

impl From<Report> for Told {
    fn from(Report { severity, code, message, help }: Report) -> Self {
        Self { severity, code, message, help }
    }
}
