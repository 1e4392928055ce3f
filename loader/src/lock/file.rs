//! The file of what is trusted, as text.
//!
//! In: a path. Out: grants, or everything that is wrong. Never: takes a part of a broken file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use promptweave::{Code, Diagnostic, Origin, PackName, Severity, SourceFile};
use toml::Table as Toml;

use super::{Grant, Grants};
use crate::files;
use crate::manifest::{Capabilities, Folder, Isolation, Permission, read_capabilities};
use crate::reader::{Reader, Table, Value};
use crate::signature::KeyId;

/// The format of the file.
const FORMAT: u64 = 1;
/// The most bytes of the file.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
const ROOT: &[&str] = &["format", "plugin"];
const KEYS: &[&str] = &[
    "name",
    "version",
    "target",
    "sha256",
    "manifest_sha256",
    "isolation",
    "capabilities",
    "signer",
    "date",
];
const HELP: &str = "no plugin is trusted until the file is mended or removed";

pub(super) fn read(path: &Path) -> Result<Grants, Vec<Diagnostic>> {
    let text = match files::read_own_text(path, MAX_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Grants::new()),
        Err(error) => {
            let origin = Origin::file(&SourceFile::new(path.display().to_string(), ""), 0..0);
            let message = format!("the list of trusted plugins cannot be read: {error}");
            return Err(vec![Diagnostic::new(Code::PluginUntrusted, message, origin).help(HELP)]);
        }
    };
    let file = SourceFile::new(path.display().to_string(), text);
    let reader = Reader::new(&file, Code::PluginUntrusted);
    let tree = reader.parse(file.text());
    let grants = tree.as_ref().map(|tree| grants(Table::root(&reader, tree))).unwrap_or_default();
    drop(tree);
    match reader.finish() {
        // A key that an older version does not know may narrow what is granted.
        told if told.is_empty() => Ok(grants),
        told => Err(told
            .into_iter()
            .map(|one| Diagnostic { severity: Severity::Error, help: Some(HELP.into()), ..one })
            .collect()),
    }
}

fn grants(root: Table<'_>) -> Grants {
    let root = root.knows("the list of trusted plugins", ROOT);
    if let Some(format) = root.need("format", "the list of trusted plugins") {
        format.number(FORMAT..=FORMAT);
    }
    let all = root.tables("plugin").into_iter().filter_map(grant);
    all.map(|grant| ((grant.name.clone(), Arc::clone(&grant.target)), grant)).collect()
}

fn grant(table: Table<'_>) -> Option<Grant> {
    const WHAT: &str = "`[[plugin]]`";
    let table = table.knows(WHAT, KEYS);
    let text = |name| table.need(name, WHAT).and_then(|value| value.str().map(Arc::from));
    let name = table.need("name", WHAT).and_then(|name| name.id(PackName::new));
    let (version, target, date) = (text("version"), text("target"), text("date"));
    let sha256 =
        table.need("sha256", WHAT).and_then(|value| shaped(value, |text| text.parse().ok()));
    let manifest = table.get("manifest_sha256");
    let isolation = table.need("isolation", WHAT).and_then(|value| value.choice(Isolation::WORDS));
    let capabilities = table.table("capabilities");
    Some(Grant {
        name: name?,
        version: version?,
        target: target?,
        sha256: sha256?,
        manifest_sha256: manifest.and_then(|value| shaped(value, |text| text.parse().ok())),
        isolation: isolation?,
        capabilities: capabilities
            .map(|table| read_capabilities(table, "`[plugin.capabilities]`"))
            .unwrap_or_default(),
        signer: table.get("signer").and_then(|value| shaped(value, KeyId::new)),
        date: date?,
    })
}

fn shaped<T>(value: Value<'_>, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
    let parsed = parse(value.str()?);
    if parsed.is_none() {
        value.refuse(format!("`{}` has the wrong shape", value.name), HELP);
    }
    parsed
}

pub(super) fn write<'g>(path: &Path, grants: impl Iterator<Item = &'g Grant>) -> io::Result<()> {
    let mut root = Toml::new();
    root.insert("format".into(), toml::Value::Integer(FORMAT.cast_signed()));
    root.insert("plugin".into(), grants.map(table).collect::<Vec<_>>().into());
    let text = toml::to_string(&root).map_err(io::Error::other)?;
    let head =
        "# Plugins that the user trusts, by digest; written by `promptweave plugin trust`.\n";
    files::replace(path, &format!("{head}{text}"))
}

fn table(grant: &Grant) -> Toml {
    let mut table = Toml::new();
    let mut put = |key: &str, text: String| table.insert(key.into(), text.into());
    put("name", grant.name.to_string());
    put("version", grant.version.to_string());
    put("target", grant.target.to_string());
    put("sha256", grant.sha256.to_string());
    if let Some(manifest) = grant.manifest_sha256 {
        put("manifest_sha256", manifest.to_string());
    }
    put("isolation", grant.isolation.as_str().into());
    if let Some(signer) = &grant.signer {
        put("signer", signer.to_string());
    }
    put("date", grant.date.to_string());
    table.insert("capabilities".into(), capabilities(&grant.capabilities).into());
    table
}

fn capabilities(granted: &Capabilities) -> Toml {
    let mut table = Toml::new();
    let folders = |folders: &[Folder]| folders.iter().map(Folder::to_string).collect::<Vec<_>>();
    if let Some(context) = &granted.context {
        let paths: Vec<String> = context.iter().map(ToString::to_string).collect();
        table.insert("context".into(), paths.into());
    }
    table.insert("read".into(), folders(&granted.read).into());
    table.insert("write".into(), folders(&granted.write).into());
    table.insert("network".into(), (granted.network == Permission::Granted).into());
    table.insert("processes".into(), (granted.processes == Permission::Granted).into());
    table
}
