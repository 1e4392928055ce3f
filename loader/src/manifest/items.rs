//! The item tables of a manifest: `[[component]]` and its kin.
//!
//! In: the manifest's root. Out: what the plugin says it supplies. Never: drops an item without a word.

use std::collections::BTreeSet;
use std::sync::Arc;

use promptweave::{CacheClass, ComponentId, InvalidId, ToolId, VariantId};

use super::capabilities::{Capabilities, paths};
use super::{ItemEntry, ItemKind};
use crate::key;
use crate::reader::{Table, Value};

const KEYS: &[&str] = &["id", "cache", "reason", "deps", "sections", "description"];
const PROBE_KEYS: &[&str] = &["id", "key", "cache", "reason", "deps", "sections", "description"];
/// The most items of a plugin, over all kinds.
const MAX_ITEMS: usize = 1024;
/// The most deps of an item.
const MAX_DEPS: usize = 256;
const CLASSES: &[(&str, CacheClass)] = &[
    ("static", CacheClass::Static),
    ("session", CacheClass::Session),
    ("volatile", CacheClass::Volatile),
];

/// Reads all item tables.
pub(super) fn read(root: Table<'_>, bounds: &Capabilities) -> Vec<ItemEntry> {
    let mut items = Vec::new();
    let mut ids = BTreeSet::new();
    for &kind in ItemKind::ALL {
        let Some(list) = root.get(kind.as_str()) else { continue };
        for value in list.list().unwrap_or_default() {
            let Some(item) = value.table().and_then(|table| one(kind, value, table, bounds)) else {
                continue;
            };
            if !ids.insert((kind, Arc::clone(&item.id))) {
                let message = format!("there are two {}s `{}`", kind.as_str(), item.id);
                value.refuse(message, "rename one of them");
            } else if items.len() == MAX_ITEMS {
                value.refuse(format!("there are more than {MAX_ITEMS} items"), "split the plugin");
                return items;
            } else {
                items.push(item);
            }
        }
    }
    items
}

fn one(
    kind: ItemKind,
    at: Value<'_>,
    table: Table<'_>,
    bounds: &Capabilities,
) -> Option<ItemEntry> {
    let known = if kind == ItemKind::Probe { PROBE_KEYS } else { KEYS };
    let what = format!("`[[{}]]`", kind.as_str());
    let table = table.knows(&what, known);
    let id = table.need("id", &what).and_then(|id| id.id(|text| check(kind, text)));
    let cache = table.choice("cache", CLASSES);
    let reason = reason(table, cache);
    let deps = deps(table, bounds);
    let sections = sections(table);
    let key = match kind {
        ItemKind::Probe => table.get("key").and_then(|key| probe_key(&key)),
        _ => None,
    };
    Some(ItemEntry {
        kind,
        id: id?,
        cache,
        reason,
        deps,
        sections,
        key,
        description: table.string("description"),
        origin: at.origin(),
    })
}

fn probe_key(value: &Value<'_>) -> Option<Arc<str>> {
    let text = value.str()?;
    if !key::can_be_filled(text) {
        let help = "use letters, digits, `_` and `-`, with dots between the steps";
        value.refuse(format!("`{text}` is no key of the context"), help);
        return None;
    }
    Some(text.into())
}

/// Ids have the shape that their kind has in packs.
fn check(kind: ItemKind, text: &str) -> Result<Arc<str>, InvalidId> {
    match kind {
        ItemKind::Component | ItemKind::Matcher | ItemKind::Helper | ItemKind::Probe => {
            ComponentId::new(text).map(|id| Arc::clone(id.shared()))
        }
        ItemKind::Variant => VariantId::new(text).map(|id| Arc::clone(id.shared())),
        ItemKind::Tool => ToolId::new(text).map(|id| Arc::clone(id.shared())),
    }
}

fn reason(table: Table<'_>, cache: Option<CacheClass>) -> Option<Arc<str>> {
    let value = table.get("reason");
    match (cache, value) {
        (Some(CacheClass::Volatile), None) => {
            table.need("reason", "a volatile item");
            None
        }
        (Some(CacheClass::Volatile), Some(value)) => value.str().map(Arc::from),
        (_, Some(value)) => {
            value.refuse(
                "`reason` is for volatile items",
                "remove it, or say `cache = \"volatile\"`",
            );
            None
        }
        (_, None) => None,
    }
}

fn deps(table: Table<'_>, bounds: &Capabilities) -> Vec<Arc<str>> {
    let Some(value) = table.get("deps") else { return Vec::new() };
    let mut deps = paths(&value).unwrap_or_default();
    if deps.len() > MAX_DEPS {
        value.refuse(
            format!("there are more than {MAX_DEPS} deps"),
            "name a path above some of them",
        );
        deps.truncate(MAX_DEPS);
    }
    for dep in deps.iter().filter(|dep| !bounds.may_read(dep)) {
        let message = format!("`{dep}` is outside of what `capabilities.context` names");
        value.refuse(message, "add it there, or leave it out here");
    }
    deps
}

fn sections(table: Table<'_>) -> Vec<Arc<str>> {
    let list = table.get("sections").and_then(|value| value.list()).unwrap_or_default();
    let ids = list.into_iter().filter_map(|value| value.id(ComponentId::new));
    ids.map(|id| Arc::clone(id.shared())).collect()
}
