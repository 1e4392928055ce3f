//! What the user's configuration says of plugins, and what each plugin is configured with.
//!
//! In: `config.toml`, files named on the command line, the tables of packs. Out: a policy, pinned keys,
//! one JSON object per plugin. Never: lets a mistake loosen a policy; takes a policy from a project.

mod effective;
mod policy;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use promptweave::{Code, Diagnostic, Origin, PackName, SourceFile};
use serde_json::Value as Json;

pub use effective::effective_config;
pub use policy::{NativePolicy, Policy, Require, SandboxPolicy};

use crate::files;
use crate::reader::{Reader, Table};
use crate::signature::Keys;

/// The most bytes of a configuration.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The keys that one place gives a plugin, each with where it says so.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// Values by key.
    pub values: BTreeMap<Arc<str>, (Json, Origin)>,
}

/// What the user's `config.toml` says of plugins.
#[derive(Clone, Debug, Default)]
pub struct UserConfig {
    /// `[plugins.<name>]`.
    pub plugins: BTreeMap<PackName, Given>,
    /// `[policy]`.
    pub policy: Policy,
    /// `[keys]`.
    pub keys: Keys,
    /// What is wrong with the file.
    pub diagnostics: Vec<Diagnostic>,
}

impl UserConfig {
    /// Reads the file; none is an empty one. Where the policy cannot be read, the strictest counts.
    pub fn open(path: &Path) -> Self {
        let text = match files::read_text(path, MAX_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Self::default(),
            Err(error) => return Self::broken(vec![unreadable(path, &error.to_string())]),
        };
        let file = SourceFile::new(path.display().to_string(), text);
        let reader = Reader::new(&file, Code::PluginConfig);
        let tree = reader.parse(file.text());
        let config = tree.as_ref().map(|tree| Self::read(Table::root(&reader, tree)));
        drop(tree);
        let diagnostics = reader.finish();
        match config {
            Some(config) => Self { diagnostics, ..config },
            None => Self::broken(diagnostics),
        }
    }

    fn broken(diagnostics: Vec<Diagnostic>) -> Self {
        Self { policy: Policy::STRICTEST, diagnostics, ..Self::default() }
    }

    fn read(root: Table<'_>) -> Self {
        let root = root.knows("the user's configuration", &["plugins", "policy", "keys"]);
        Self {
            plugins: plugins(root),
            policy: policy::read(root),
            keys: keys(root),
            diagnostics: Vec::new(),
        }
    }
}

fn plugins(root: Table<'_>) -> BTreeMap<PackName, Given> {
    let Some(plugins) = root.table("plugins") else { return BTreeMap::new() };
    let one = |plugin: crate::reader::Value<'_>| {
        Some((plugin.key_id(PackName::new)?, given(plugin.table()?)))
    };
    plugins.all().filter_map(one).collect()
}

fn given(table: Table<'_>) -> Given {
    let one = |value: crate::reader::Value<'_>| {
        Some((value.name.into(), (value.json()?, value.origin())))
    };
    Given { values: table.all().filter_map(one).collect() }
}

fn keys(root: Table<'_>) -> Keys {
    let mut keys = Keys::default();
    let Some(table) = root.table("keys") else { return keys };
    for value in table.all() {
        let Some(key) = value.str() else { continue };
        if let Err(error) = keys.pin(value.name, key) {
            value.refuse(
                format!("`{}`: {error}", value.name),
                "write the second line of `minisign.pub`",
            );
        }
    }
    keys
}

impl Given {
    /// The keys of a JSON object that stands at one place: a pack's `[plugins.<name>]`. Anything else
    /// gives nothing.
    pub fn of_table(table: &Json, origin: &Origin) -> Self {
        let values = table.as_object().into_iter().flatten();
        let values =
            values.map(|(key, value)| (key.as_str().into(), (value.clone(), origin.clone())));
        Self { values: values.collect() }
    }

    /// The place of its first key.
    pub(crate) fn origin(&self) -> Option<Origin> {
        self.values.values().next().map(|(_, origin)| origin.clone())
    }

    /// Reads a file that is named by `--plugin-config NAME=FILE`: TOML by its ending, else JSON.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn open(path: &Path) -> Result<Self, Vec<Diagnostic>> {
        let text = files::read_text(path, MAX_BYTES)
            .map_err(|error| vec![unreadable(path, &error.to_string())])?;
        let file = SourceFile::new(path.display().to_string(), text);
        if path.extension().is_some_and(|ending| ending == "toml") {
            return Self::toml(&file);
        }
        match serde_json::from_str(file.text()) {
            Ok(table @ Json::Object(_)) => Ok(Self::of_table(&table, &Origin::file(&file, 0..0))),
            Ok(_) => Err(vec![unreadable(path, "it is not one JSON object")]),
            Err(error) => {
                let start = file.text().split_inclusive('\n').take(error.line().saturating_sub(1));
                let at = start.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
                let at = at.min(file.text().len());
                let why = error.to_string();
                let why = why.rsplit_once(" at line ").map_or(&*why, |(why, _)| why);
                let origin = Origin::file(&file, at..at);
                Err(vec![unread(origin, &format!("it is not JSON: {why}"))])
            }
        }
    }

    fn toml(file: &Arc<SourceFile>) -> Result<Self, Vec<Diagnostic>> {
        let reader = Reader::new(file, Code::PluginConfig);
        let tree = reader.parse(file.text());
        let found = tree.as_ref().map(|tree| given(Table::root(&reader, tree)));
        drop(tree);
        let diagnostics = reader.finish();
        found.filter(|_| diagnostics.is_empty()).ok_or(diagnostics)
    }
}

fn unreadable(path: &Path, why: &str) -> Diagnostic {
    unread(Origin::file(&SourceFile::new(path.display().to_string(), ""), 0..0), why)
}

fn unread(origin: Origin, why: &str) -> Diagnostic {
    let message = format!("the configuration of plugins cannot be read: {why}");
    Diagnostic::new(Code::PluginConfig, message, origin)
        .help("give a readable file with one table: TOML by its ending, else JSON")
}
