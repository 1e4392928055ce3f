//! Reads `pack.toml`.
//!
//! In: its text. Out: the pack's own words, its labels and context keys.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value as Json;

use super::fields::{Table, Value};
use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile, did_you_mean};
use crate::model::{
    DeclaredKey, KNOWN_KEYS, KeyType, Pack, PackName, VariantId, class_of, is_key_path,
};
use crate::trace::CacheClass;

/// The newest format that this engine reads.
const FORMAT: i64 = 1;

const KEYS: &[&str] = &["format", "name", "version", "description", "labels", "context", "plugins"];
const CONTEXT_KEYS: &[&str] = &["type", "default", "class", "required", "description"];

pub(crate) const CLASSES: &[(&str, CacheClass)] = &[
    ("static", CacheClass::Static),
    ("session", CacheClass::Session),
    ("volatile", CacheClass::Volatile),
];

/// A label with its place, for a later look at what it points to.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) variant: VariantId,
    pub(crate) name: Arc<str>,
    pub(crate) version: u32,
    pub(crate) origin: Origin,
}

/// `pack.toml` as it was read.
pub(crate) struct PackFile {
    pub(crate) pack: Pack,
    pub(crate) labels: Vec<Label>,
}

/// Reads `pack.toml`; none when the pack is written for a newer engine.
///
/// A name that is missing or invalid is replaced by `fallback`, so that the rest can be loaded.
pub(crate) fn read(
    file: &Arc<SourceFile>,
    fallback: PackName,
    told: &mut Vec<Diagnostic>,
) -> Option<PackFile> {
    let reader = Reader::new(file, 0);
    let tree = reader.parse_what_can_be(file.text());
    let table = Table::unchecked(&reader, &tree);
    let read = format_is_known(&table).then(|| {
        table.refuse_unknown("a pack", KEYS);
        fields(&table, fallback)
    });
    told.extend(reader.finish());
    read
}

fn format_is_known(table: &Table<'_>) -> bool {
    let Some(value) = table.get("format") else { return true };
    let Some(format) = value.integer() else { return true };
    if format > FORMAT {
        let message = format!("the pack has format {format}, this engine reads up to {FORMAT}");
        let help = "update promptweave; the pack is left out";
        table.reader.tell(Code::FormatUnsupported, value.span(), message, help);
    } else if format < 1 {
        value.refuse(format!("{format} is not a format"), format!("write `format = {FORMAT}`"));
    }
    format <= FORMAT
}

fn fields(table: &Table<'_>, fallback: PackName) -> PackFile {
    let name = match table.get("name") {
        Some(value) => value.id(PackName::new),
        None => {
            let help = format!("write `name = \"{fallback}\"`");
            table.reader.tell(Code::WrongType, 0..0, "`name` is missing", help);
            None
        }
    };
    let labels = labels(table);
    let mut by_variant: BTreeMap<VariantId, BTreeMap<Arc<str>, u32>> = BTreeMap::new();
    for label in &labels {
        let of_variant = by_variant.entry(label.variant.clone()).or_default();
        of_variant.insert(Arc::clone(&label.name), label.version);
    }
    let pack = Pack {
        name: name.unwrap_or(fallback),
        version: table.string("version").unwrap_or_default(),
        description: table.string("description"),
        origin: table.reader.start(),
        rank: 0,
        sha256: Arc::default(),
        labels: by_variant,
        keys: table.open("context").iter().filter_map(declared_key).collect(),
        plugins: table.open("plugins").iter().filter_map(plugin).collect(),
    };
    PackFile { pack, labels }
}

fn labels(table: &Table<'_>) -> Vec<Label> {
    let mut labels = Vec::new();
    for of_variant in table.open("labels") {
        let Some(variant) = of_variant.key_id(VariantId::new) else { continue };
        for value in of_variant.entries() {
            if value.name.is_empty() || value.name.bytes().all(|byte| byte.is_ascii_digit()) {
                let message = format!("`{}` is not a label", value.name);
                let help = "a label is a word: a number asks for a version";
                table.reader.tell(Code::InvalidId, value.key_span(), message, help);
            } else if let Some(version) = value.version() {
                let (name, origin) = (value.name.into(), value.origin());
                labels.push(Label { variant: variant.clone(), name, version, origin });
            }
        }
    }
    labels
}

/// The configuration of a plugin; its keys are the plugin's own.
fn plugin(value: &Value<'_>) -> Option<(PackName, Json)> {
    let name = value.key_id(PackName::new)?;
    if value.is_table() { Some((name, value.json()?)) } else { value.wrong_type("a table") }
}

fn declared_key(value: &Value<'_>) -> Option<(Arc<str>, DeclaredKey)> {
    if !is_key_path(value.name) {
        let message = format!("`{}` is not a context key", value.name);
        let help = "use letters, digits, `_` and `-`, with dots between the steps";
        value.reader.tell(Code::InvalidId, value.key_span(), message, help);
        return None;
    }
    if tell_unquoted(value) {
        return None;
    }
    let table = value.table("a context key", CONTEXT_KEYS)?;
    let known = class_of(&value.name.split('.').collect::<Vec<_>>());
    let kind = key_type(&table, value.name);
    let default = table.get("default").and_then(|default| {
        let json = default.json()?;
        if kind.is_some_and(|kind| !kind.accepts(&json)) {
            let kind = kind.map_or("", KeyType::as_str);
            default.refuse(
                format!("the default of `{}` is not of its type", value.name),
                format!("write one of type `{kind}`"),
            );
            return None;
        }
        Some(json)
    });
    let key = DeclaredKey {
        kind,
        default,
        class: class(&table, known).or(known).unwrap_or(CacheClass::Volatile),
        required: table.get("required").and_then(|value| value.boolean()).unwrap_or(false),
        description: table.string("description"),
        origin: value.reader.origin(value.key_span()),
    };
    Some((value.name.into(), key))
}

/// `[context.house.style]` without quotes makes a table `house`, which nobody means.
fn tell_unquoted(value: &Value<'_>) -> bool {
    let inner = if value.is_table() { value.entries() } else { Vec::new() };
    let unquoted = inner.iter().find(|one| one.is_table() && !CONTEXT_KEYS.contains(&one.name));
    if let Some(one) = unquoted {
        let message = format!("`{}.{}` needs quotes: its name has a dot", value.name, one.name);
        let help = format!("write `[context.\"{}.{}\"]`", value.name, one.name);
        value.reader.tell(Code::InvalidValue, one.key_span(), message, help);
    }
    unquoted.is_some()
}

fn key_type(table: &Table<'_>, path: &str) -> Option<KeyType> {
    let value = table.get("type")?;
    let name = value.str()?;
    let Some(kind) = KeyType::from_name(name) else {
        let names = ["string", "integer", "number", "boolean", "list", "object"];
        let help = did_you_mean(name, names, || format!("it is one of {}", names.join(", ")));
        value.refuse(format!("`{name}` is not a type"), help);
        return None;
    };
    let known = KNOWN_KEYS.iter().find(|key| key.path == path);
    if let Some(known) = known.filter(|known| known.kind != kind) {
        let help = format!("leave `type` out: it is `{}`", known.kind.as_str());
        value.refuse(format!("the type of the known key `{path}` cannot change"), help);
        return None;
    }
    Some(kind)
}

fn class(table: &Table<'_>, known: Option<CacheClass>) -> Option<CacheClass> {
    let class = table.choice("class", CLASSES)?;
    if let (Some(known), Some(value)) = (known.filter(|&known| class > known), table.get("class")) {
        value.refuse(
            format!("a known key that is `{known}` cannot become `{class}`"),
            "a pack may only narrow a known key's class",
        );
        return None;
    }
    Some(class)
}
