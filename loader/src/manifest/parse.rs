//! Reads the tables of a manifest but for its items.
//!
//! In: a text. Out: a [`Manifest`] and diagnostics. Never: stops at the first mistake.

use std::collections::BTreeMap;
use std::path::{Component, Path};
use std::sync::Arc;
use std::time::Duration;

use promptweave::{Code, Diagnostic, KeyType, PackName, SourceFile, ToolId};
use serde_json::Value as Json;

use super::{
    AbiVersion, ConfigKey, Giver, Isolation, LibraryEntry, Manifest, Run, capabilities, items,
};
use crate::reader::{Reader, Table, Value};

const HEAD: &[&str] = &["name", "version", "abi", "description", "license", "homepage"];
const TABLES: &[&str] = &[
    "plugin",
    "library",
    "run",
    "capabilities",
    "config",
    "component",
    "matcher",
    "helper",
    "probe",
    "variant",
    "tool",
];
const LIBRARY: &[&str] = &["file", "sha256"];
const RUN: &[&str] = &["isolation", "timeout_ms", "load_timeout_ms", "max_output_kib"];
const CONFIG: &[&str] = &["type", "default", "pack", "description"];
const MAX_TIMEOUT_MS: u64 = 600_000;
const MAX_OUTPUT_KIB: u64 = 16 * 1024;
const TYPES: &[(&str, KeyType)] = &[
    ("string", KeyType::String),
    ("integer", KeyType::Integer),
    ("number", KeyType::Number),
    ("boolean", KeyType::Boolean),
    ("list", KeyType::List),
    ("object", KeyType::Object),
];

impl Manifest {
    /// Reads a manifest: `plugin.toml`, or the short form in a library, whose head may stand without
    /// `[plugin]`.
    ///
    /// There is no manifest without a name, a version and an ABI. Where a diagnostic is an error, what
    /// the manifest says is not to be relied on; an unknown key is a warning.
    pub fn parse(file: &Arc<SourceFile>) -> (Option<Self>, Vec<Diagnostic>) {
        let reader = Reader::new(file, Code::PluginManifest);
        let tree = reader.parse(file.text());
        let manifest = tree.as_ref().and_then(|tree| whole(Table::root(&reader, tree), file));
        drop(tree);
        (manifest, reader.finish())
    }
}

fn whole(root: Table<'_>, file: &Arc<SourceFile>) -> Option<Manifest> {
    let head = match root.get("plugin") {
        Some(head) => {
            root.knows("a manifest", TABLES);
            head.table().map(|head| head.knows("`[plugin]`", HEAD))
        }
        None => Some(root.knows("a manifest", &[HEAD, TABLES].concat())),
    };
    let capabilities = root.table("capabilities");
    let capabilities =
        capabilities.map(|table| capabilities::read(table, "`[capabilities]`")).unwrap_or_default();
    let (libraries, run, config) = (libraries(root), run(root), config(root));
    let items = items::read(root, &capabilities);
    let head = head?;
    let name = head.need("name", "the plugin").and_then(|name| name.id(PackName::new));
    let version = head.need("version", "the plugin").and_then(|version| version.str());
    let abi = head.need("abi", "the plugin").and_then(|abi| abi_version(&abi));
    let text = |name| head.string(name);
    let (description, license, homepage) = (text("description"), text("license"), text("homepage"));
    Some(Manifest {
        name: name?,
        version: version?.into(),
        abi: abi?,
        description,
        license,
        homepage,
        libraries,
        run,
        capabilities,
        config,
        items,
        source: Arc::clone(file),
    })
}

fn abi_version(value: &Value<'_>) -> Option<AbiVersion> {
    let text = value.str()?;
    let parts = text.split_once('.').and_then(|(major, minor)| {
        Some(AbiVersion { major: major.parse().ok()?, minor: minor.parse().ok()? })
    });
    if parts.is_none() {
        value.refuse(format!("`{text}` is no version of the ABI"), "write it as `1.0`");
    }
    parts
}

fn libraries(root: Table<'_>) -> BTreeMap<Arc<str>, LibraryEntry> {
    let Some(tables) = root.table("library") else { return BTreeMap::new() };
    let entry = |value: Value<'_>| {
        let table = value.table()?;
        let what = format!("`[library.{}]`", value.name);
        if !is_target(value.name) {
            let message = format!("`{}` is no target", value.name);
            value.refuse(message, "write it as `x86_64-linux-gnu`");
            return None;
        }
        let table = table.knows(&what, LIBRARY);
        let file = table.need("file", &what).and_then(|file| inner_path(&file));
        let sha256 = table.need("sha256", &what).and_then(|value| {
            let digest = value.str()?.parse().map_err(|error| {
                value.refuse(format!("`sha256`: {error}"), "write what `sha256sum` prints");
            });
            digest.ok()
        });
        let entry = LibraryEntry { file: file?, sha256: sha256?, origin: value.origin() };
        Some((value.name.into(), entry))
    };
    tables.all().filter_map(entry).collect()
}

fn is_target(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    name.len() <= 64 && name.contains('-') && name.split('-').all(part)
}

/// A path that stays below the manifest's folder.
fn inner_path(value: &Value<'_>) -> Option<Arc<str>> {
    let text = value.str()?;
    let stays = Path::new(text).components().all(|step| matches!(step, Component::Normal(_)));
    if !stays || text.is_empty() || text.contains(['\\', '\0', ':']) {
        value.refuse(
            format!("`{text}` is not a file below the manifest's folder"),
            "write a path without `..` and without a root",
        );
        return None;
    }
    Some(text.into())
}

fn run(root: Table<'_>) -> Run {
    let default = Run::default();
    let Some(table) = root.table("run").map(|table| table.knows("`[run]`", RUN)) else {
        return default;
    };
    let millis = |name| table.number(name, 1..=MAX_TIMEOUT_MS).map(Duration::from_millis);
    let output = table.number("max_output_kib", 1..=MAX_OUTPUT_KIB).map(|kib| kib * 1024);
    Run {
        isolation: table.choice("isolation", Isolation::WORDS),
        timeout: millis("timeout_ms").unwrap_or(default.timeout),
        load_timeout: millis("load_timeout_ms").unwrap_or(default.load_timeout),
        max_output_bytes: output.unwrap_or(default.max_output_bytes),
    }
}

fn config(root: Table<'_>) -> BTreeMap<Arc<str>, ConfigKey> {
    let Some(keys) = root.table("config") else { return BTreeMap::new() };
    let key = |value: Value<'_>| {
        let name = value.key_id(ToolId::new)?;
        let table = value.table()?.knows(&format!("`[config.{name}]`"), CONFIG);
        let kind = table.choice("type", TYPES);
        let giver = match table.get("pack").and_then(|pack| pack.boolean()) {
            Some(true) => Giver::PackToo,
            Some(false) | None => Giver::User,
        };
        let default = table.get("default").and_then(|default| {
            let json = default.json()?;
            if kind.is_none_or(|kind| fits(kind, &json)) {
                return Some(json);
            }
            let kind = kind.map_or("", KeyType::as_str);
            default
                .refuse(format!("the default is not of the type `{kind}`"), "change one of them");
            None
        });
        let description = table.string("description");
        Some((Arc::clone(name.shared()), ConfigKey { kind, default, giver, description }))
    };
    keys.all().filter_map(key).collect()
}

/// Whether a value has a type.
pub(crate) fn fits(kind: KeyType, value: &Json) -> bool {
    match kind {
        KeyType::String => value.is_string(),
        KeyType::Integer => value.is_i64() || value.is_u64(),
        KeyType::Number => value.is_number(),
        KeyType::Boolean => value.is_boolean(),
        KeyType::List => value.is_array(),
        KeyType::Object => value.is_object(),
    }
}
