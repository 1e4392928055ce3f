//! Reads patches: `[patch]` of a variant, and `patch.toml`.
//!
//! In: a table. Out: a [`Patch`]: what to insert, remove, add. Never: changes a variant; `apply` does.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::body::Scope;
use super::fields::{Table, Value};
use super::reader::Reader;
use super::variant::{OverrideFile, overrides, placeholders, step_id};
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile};
use crate::model::{ComponentId, Placeholder, ToolId, VariantId};

const VARIANT_KEYS: &[&str] = &["insert", "remove", "tools"];
const FILE_KEYS: &[&str] = &["variants", "insert", "remove", "tools", "placeholders", "override"];
const INSERT_KEYS: &[&str] = &["component", "after", "before", "first", "last"];
const PLACE_KEYS: &[&str] = &["after", "before", "first", "last"];
const TAG: &str = "tag:";
/// Each insert looks through the template of each variant.
const MAX_INSERTS: usize = 256;

/// Changes to a variant.
#[derive(Default)]
pub(crate) struct Patch {
    pub(crate) inserts: Vec<Insert>,
    pub(crate) removes: Vec<(ComponentId, Origin)>,
    pub(crate) add_tools: Vec<(ToolId, Origin)>,
    pub(crate) remove_tools: Vec<(ToolId, Origin)>,
    pub(crate) placeholders: BTreeMap<Arc<str>, Placeholder>,
    pub(crate) overrides: BTreeMap<ComponentId, OverrideFile>,
}

/// A component to put into the order and the base template.
pub(crate) struct Insert {
    pub(crate) component: ComponentId,
    pub(crate) spot: Spot,
    pub(crate) origin: Origin,
}

/// Where an inserted component goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    After(ComponentId),
    Before(ComponentId),
    First,
    Last,
}

/// One `[[patch]]` of `patch.toml`.
pub(crate) struct PatchFile {
    pub(crate) targets: Vec<(Target, Origin)>,
    pub(crate) patch: Patch,
}

/// Which variants a patch changes.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    /// An id, or a glob with `*` and `?`.
    Id(Box<str>),
    /// Those that carry a tag.
    Tag(Box<str>),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(glob) => write!(f, "`{glob}`"),
            Self::Tag(tag) => write!(f, "tagged `{tag}`"),
        }
    }
}

impl Target {
    /// Whether a variant is meant.
    pub(crate) fn covers(&self, id: &VariantId, tags: &[Arc<str>]) -> bool {
        match self {
            Self::Id(glob) => matches_glob(glob.as_bytes(), id.as_str().as_bytes()),
            Self::Tag(tag) => tags.iter().any(|carried| **carried == **tag),
        }
    }
}

/// `*` stands for any bytes, `?` for one; linear but for the last star, to which it goes back.
fn matches_glob(glob: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read, mut star) = (0, 0, None);
    while read < text.len() {
        match glob.get(at) {
            Some(b'*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[read] => (at, read) = (at + 1, read + 1),
            _ => match star {
                Some((from, taken)) => {
                    star = Some((from, taken + 1));
                    (at, read) = (from + 1, taken + 1);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|&byte| byte == b'*')
}

/// The table `[patch]` of a variant.
pub(crate) fn of_variant(table: &Table<'_>) -> Option<Patch> {
    let value = table.get("patch")?;
    let inner = value.table("`[patch]`", VARIANT_KEYS)?;
    if !table.has("extends") {
        let message = "`[patch]` changes what a variant extends, and there is no `extends`";
        let help = "write the order as it should be, or add `extends`";
        table.reader.tell(Code::ConflictingKeys, value.key_span(), message, help);
        return None;
    }
    let mut patch = changes(&inner);
    limit(&mut patch, &mut { MAX_INSERTS }, table.reader);
    Some(patch)
}

/// Reads `patch.toml`.
pub(crate) fn read(
    file: &Arc<SourceFile>,
    scope: Scope<'_>,
    told: &mut Vec<Diagnostic>,
) -> Vec<PatchFile> {
    let reader = Reader::new(file, 0);
    let mut patches = Vec::new();
    if let Some(tree) = reader.parse(file.text()) {
        let root = Table::root(&reader, &tree, "`patch.toml`", &["patch"]);
        let tables = root.tables("patch", FILE_KEYS);
        patches.extend(tables.iter().filter_map(|table| patch(table, scope)));
    }
    let mut left = MAX_INSERTS;
    patches.iter_mut().for_each(|file: &mut PatchFile| limit(&mut file.patch, &mut left, &reader));
    told.extend(reader.finish());
    patches
}

/// Keeps as many inserts as are left; the first that is too much is told.
fn limit(patch: &mut Patch, left: &mut usize, reader: &Reader<'_>) {
    let kept = patch.inserts.len().min(*left);
    *left -= kept;
    if let Some(first) = patch.inserts.drain(kept..).next() {
        let message = format!("more than {MAX_INSERTS} components are inserted by this file");
        reader.push(
            Diagnostic::new(Code::InvalidValue, message, first.origin)
                .help("those from here on are left out; write the order as it should be"),
        );
    }
}

fn patch(table: &Table<'_>, scope: Scope<'_>) -> Option<PatchFile> {
    let Some(value) = table.get("variants") else {
        let help = "write the ids of variants, globs or `tag:x`, e.g. `variants = [\"*\"]`";
        table.reader.tell(Code::WrongType, table.span(), "the patch has no `variants`", help);
        return None;
    };
    let target = |(text, item): (&str, Value<'_>)| {
        let target = match text.strip_prefix(TAG) {
            Some(tag) => Target::Tag(tag.into()),
            None => Target::Id(text.into()),
        };
        (target, item.origin())
    };
    let targets = value.strings()?.into_iter().map(target).collect();
    let patch = Patch {
        placeholders: placeholders(table),
        overrides: overrides(table, scope),
        ..changes(table)
    };
    Some(PatchFile { targets, patch })
}

/// `insert`, `remove` and `tools`.
fn changes(table: &Table<'_>) -> Patch {
    let inserts = table.tables("insert", INSERT_KEYS);
    let tools = table.table("tools", &["add", "remove"]);
    let of_tools = |key| tools.map(|tools| ids(&tools, key, |item| item.id(ToolId::new)));
    Patch {
        inserts: inserts.iter().filter_map(insert).collect(),
        removes: ids(table, "remove", step_id),
        add_tools: of_tools("add").unwrap_or_default(),
        remove_tools: of_tools("remove").unwrap_or_default(),
        ..Patch::default()
    }
}

fn ids<'r, T>(
    table: &Table<'r>,
    key: &str,
    read: impl Fn(&Value<'r>) -> Option<T>,
) -> Vec<(T, Origin)> {
    let items = table.get(key).and_then(|value| value.list()).unwrap_or_default();
    items.iter().filter_map(|item| Some((read(item)?, item.origin()))).collect()
}

fn insert(table: &Table<'_>) -> Option<Insert> {
    let Some(value) = table.get("component") else {
        let help = "write `component = \"<id>\"`";
        table.reader.tell(Code::WrongType, table.span(), "the insert has no `component`", help);
        return None;
    };
    let component = step_id(&value)?;
    Some(Insert { component, spot: spot(table)?, origin: value.origin() })
}

fn spot(table: &Table<'_>) -> Option<Spot> {
    let given: Vec<Value<'_>> = PLACE_KEYS.iter().filter_map(|key| table.get(key)).collect();
    let [place] = given[..] else {
        let help = "write one of `after`, `before`, `first = true` and `last = true`";
        let message = format!("an insert goes to one place, this one names {}", given.len());
        table.reader.tell(Code::ConflictingKeys, table.span(), message, help);
        return None;
    };
    match place.name {
        "after" => step_id(&place).map(Spot::After),
        "before" => step_id(&place).map(Spot::Before),
        name => {
            if !place.boolean()? {
                place.refuse(format!("`{name} = false` is no place"), "write `true`");
                return None;
            }
            Some(if name == "first" { Spot::First } else { Spot::Last })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs() {
        for (glob, text, expected) in [
            ("*", "claude", true),
            ("claude", "claude", true),
            ("claude", "claude-2", false),
            ("claude*", "claude", true),
            ("c*de", "claude", true),
            ("gpt-?", "gpt-5", true),
            ("gpt-?", "gpt-", false),
            ("*a*b", "aab", true),
            ("*a*b", "aba", false),
            ("", "", true),
        ] {
            assert_eq!(matches_glob(glob.as_bytes(), text.as_bytes()), expected, "{glob} {text}");
        }
    }
}
