//! Reads a variant as its file has it, before anything is inherited.
//!
//! In: `<id>.toml` or `<id>@<n>.toml`. Out: a [`VariantFile`]: what the file says, and no more.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::body::{Scope, condition, only_one, patterns, template};
use super::component::reserved;
use super::drift::sha_key;
use super::fields::{Table, Value, invalid_id};
use super::patch::{self, Patch};
use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile, SourceText};
use crate::model::{
    CACHE_BOUNDARY, CaseBody, ComponentId, Matcher, NamedMatcher, PatternKind, Placeholder, Step,
    TidyMode, ToolCalls, ToolId, VariantId,
};
use crate::template::{Missing, Template, is_reserved};

const KEYS: &[&str] = &[
    "family",
    "version",
    "description",
    "tags",
    "extends",
    "order",
    "separator",
    "tool_calls",
    "dialect",
    "tools",
    "user_context",
    "system_context",
    "minimal",
    "tidy",
    "missing",
    "template",
    "template_file",
    "match",
    "placeholders",
    "override",
    "patch",
];
const MATCH_KEYS: &[&str] = &["priority", "models", "providers", "matchers", "when"];
const OVERRIDE_KEYS: &[&str] = &["template", "template_file", "text", "enabled", "base_sha256"];

const TOOL_CALLS: &[(&str, ToolCalls)] =
    &[("native", ToolCalls::Native), ("text", ToolCalls::Text), ("none", ToolCalls::None)];
const TIDY: &[(&str, TidyMode)] =
    &[("structural", TidyMode::Structural), ("classic", TidyMode::Classic), ("off", TidyMode::Off)];
const MISSING: &[(&str, Missing)] =
    &[("empty", Missing::Empty), ("keep", Missing::Keep), ("error", Missing::Error)];

/// What a variant's file says. A key that is absent is inherited.
pub(crate) struct VariantFile {
    pub(crate) id: VariantId,
    pub(crate) version: u32,
    /// Whether the file has no number in its name.
    pub(crate) is_plain: bool,
    pub(crate) origin: Origin,
    pub(crate) extends: Option<Extends>,
    pub(crate) family: Option<Arc<str>>,
    pub(crate) description: Option<Arc<str>>,
    pub(crate) tags: Vec<Arc<str>>,
    pub(crate) matcher: Option<Matcher>,
    pub(crate) order: Option<Vec<Step>>,
    pub(crate) separator: Option<Arc<str>>,
    pub(crate) template: Option<Arc<Template>>,
    pub(crate) tool_calls: Option<ToolCalls>,
    pub(crate) dialect: Option<Arc<str>>,
    pub(crate) tools: Option<Vec<(ToolId, Origin)>>,
    pub(crate) user_context: Option<Vec<Step>>,
    pub(crate) system_context: Option<Vec<Step>>,
    pub(crate) minimal: Option<Arc<Template>>,
    pub(crate) tidy: Option<TidyMode>,
    pub(crate) missing: Option<Missing>,
    pub(crate) placeholders: BTreeMap<Arc<str>, Placeholder>,
    pub(crate) overrides: BTreeMap<ComponentId, OverrideFile>,
    pub(crate) patch: Option<Patch>,
}

/// The variant that another one extends.
pub(crate) struct Extends {
    pub(crate) id: VariantId,
    pub(crate) version: Option<u32>,
    pub(crate) origin: Origin,
}

/// What a file says about one component's wording.
#[derive(Clone)]
pub(crate) struct OverrideFile {
    pub(crate) enabled: Option<bool>,
    pub(crate) body: Option<CaseBody>,
    pub(crate) base_sha256: Option<(Arc<str>, Origin)>,
    pub(crate) origin: Origin,
}

/// Reads a variant's file; none when it is no TOML or its name is no variant's.
pub(crate) fn read(
    file: &Arc<SourceFile>,
    stem: &str,
    scope: Scope<'_>,
    told: &mut Vec<Diagnostic>,
) -> Option<VariantFile> {
    let beside = scope.beside();
    let (id, number) = name(stem, file, told)?;
    let reader = Reader::new(file, 0);
    let variant = reader.parse(file.text()).map(|tree| {
        let table = Table::root(&reader, &tree, "a variant", KEYS);
        let version = version(&table, number);
        variant(&table, id, version, number.is_none(), scope, beside)
    });
    told.extend(reader.finish());
    variant
}

/// Splits `<id>` or `<id>@<n>`.
fn name(
    stem: &str,
    file: &Arc<SourceFile>,
    told: &mut Vec<Diagnostic>,
) -> Option<(VariantId, Option<u32>)> {
    let origin = Origin::file(file, 0..0);
    let (id, number) = stem.split_once('@').map_or((stem, None), |(id, n)| (id, Some(n)));
    let id =
        VariantId::new(id).map_err(|error| told.push(invalid_id(&error, origin.clone()))).ok()?;
    let Some(text) = number else { return Some((id, None)) };
    let number =
        text.parse().ok().filter(|&number: &u32| number > 0 && !text.starts_with(['+', '0']));
    if number.is_none() {
        let message = format!("`{text}` is not the number of a version");
        told.push(
            Diagnostic::new(Code::InvalidId, message, origin)
                .help(format!("name the file `{id}@<number>.toml`")),
        );
    }
    Some((id, Some(number?)))
}

/// The version as written, 1 by default; the number in the name wins.
fn version(table: &Table<'_>, number: Option<u32>) -> u32 {
    let value = table.get("version");
    let written = value.and_then(|value| value.version());
    let Some(number) = number else { return written.unwrap_or(1) };
    let is_wrong_anyway = value.is_some() && written.is_none();
    if written.unwrap_or(1) != number && !is_wrong_anyway {
        let span = value.map_or(0..0, |value| value.span());
        let message = match written {
            Some(written) => format!("the file's name says version {number}, its text {written}"),
            None => format!("the file's name says version {number}, its text nothing, which is 1"),
        };
        let help = format!("write `version = {number}`");
        table.reader.tell(Code::VersionMismatch, span, message, help);
    }
    number
}

fn variant(
    table: &Table<'_>,
    id: VariantId,
    version: u32,
    is_plain: bool,
    scope: Scope<'_>,
    beside: Option<Arc<SourceText>>,
) -> VariantFile {
    VariantFile {
        id,
        version,
        is_plain,
        origin: table.reader.start(),
        extends: table.get("extends").and_then(|value| extends(&value)),
        family: table.string("family"),
        description: table.string("description"),
        tags: words(table, "tags"),
        matcher: matcher(table),
        order: table.get("order").and_then(|value| steps(&value)),
        separator: table.separator(),
        template: base_template(table, scope, beside),
        tool_calls: table.choice("tool_calls", TOOL_CALLS),
        dialect: table.string("dialect"),
        tools: table.get("tools").and_then(|value| tools(&value)),
        user_context: table.get("user_context").and_then(|value| steps(&value)),
        system_context: table.get("system_context").and_then(|value| steps(&value)),
        minimal: table.text("minimal").map(|source| Arc::new(Template::new(source))),
        tidy: table.choice("tidy", TIDY),
        missing: table.choice("missing", MISSING),
        placeholders: placeholders(table),
        overrides: overrides(table, scope),
        patch: patch::of_variant(table),
    }
}

fn base_template(
    table: &Table<'_>,
    scope: Scope<'_>,
    beside: Option<Arc<SourceText>>,
) -> Option<Arc<Template>> {
    let own = beside.as_ref().map(|_| "the template beside the file");
    only_one(table, &["template", "template_file"], own);
    match beside.map(template).or_else(|| scope.first_text(table))? {
        CaseBody::Template(template) => Some(template),
        CaseBody::Text(_) => None,
    }
}

/// `id` or `id@version`.
fn extends(value: &Value<'_>) -> Option<Extends> {
    let text = value.str()?;
    let (id, number) = text.split_once('@').map_or((text, None), |(id, n)| (id, Some(n)));
    let version = match number.map(str::parse) {
        None => None,
        Some(Ok(version)) => Some(version),
        Some(Err(_)) => {
            let help = format!("write `{id}` or `{id}@<number>`");
            value.refuse(format!("`{text}` names no version by its number"), help);
            return None;
        }
    };
    let id =
        VariantId::new(id).map_err(|error| value.reader.push(invalid_id(&error, value.origin())));
    Some(Extends { id: id.ok()?, version, origin: value.origin() })
}

fn words(table: &Table<'_>, key: &str) -> Vec<Arc<str>> {
    let words = table.get(key).and_then(|value| value.strings()).unwrap_or_default();
    words.into_iter().map(|(word, _)| word.into()).collect()
}

/// Steps in order; one that stands twice runs once.
fn steps(value: &Value<'_>) -> Option<Vec<Step>> {
    let mut seen = BTreeSet::new();
    let items = value.list()?;
    let steps = items.iter().filter_map(|item| {
        let id = step_id(item)?;
        once(item, id.as_str(), &mut seen).then(|| Step { id, origin: item.origin() })
    });
    Some(steps.collect())
}

fn tools(value: &Value<'_>) -> Option<Vec<(ToolId, Origin)>> {
    let mut seen = BTreeSet::new();
    let items = value.list()?;
    let tools = items.iter().filter_map(|item| {
        let id = item.id(ToolId::new)?;
        once(item, id.as_str(), &mut seen).then(|| (id, item.origin()))
    });
    Some(tools.collect())
}

fn once(item: &Value<'_>, id: &str, seen: &mut BTreeSet<String>) -> bool {
    let is_new = seen.insert(id.to_owned());
    if !is_new {
        item.refuse(format!("`{id}` stands twice in `{}`", item.name), "keep one of them");
    }
    is_new
}

/// A component's id, or the boundary.
pub(crate) fn step_id(value: &Value<'_>) -> Option<ComponentId> {
    let name = value.str()?;
    if name != CACHE_BOUNDARY && is_reserved(name) {
        value.reader.push(reserved(name, value.origin()));
        return None;
    }
    value.id(ComponentId::new)
}

/// The matcher. A mistake in it leaves all of it out: with a part alone it would claim too much.
fn matcher(table: &Table<'_>) -> Option<Matcher> {
    let before = table.reader.count();
    let table = table.table("match", MATCH_KEYS)?;
    let names = table.get("matchers").and_then(|value| value.strings()).unwrap_or_default();
    let named = |(name, value): (&str, Value<'_>)| NamedMatcher {
        name: name.into(),
        origin: value.origin(),
    };
    let matcher = Matcher {
        priority: table.get("priority").and_then(|value| value.integer()).unwrap_or(0),
        models: patterns(&table, "models", PatternKind::Model),
        providers: patterns(&table, "providers", PatternKind::Provider),
        matchers: names.into_iter().map(named).collect(),
        when: condition(&table, "when"),
    };
    (table.reader.count() == before).then_some(matcher)
}

/// The table `[placeholders]`.
pub(crate) fn placeholders(table: &Table<'_>) -> BTreeMap<Arc<str>, Placeholder> {
    let entries = table.open("placeholders");
    entries.iter().filter_map(placeholder).collect()
}

fn placeholder(value: &Value<'_>) -> Option<(Arc<str>, Placeholder)> {
    let at = || value.reader.origin(value.key_span());
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let starts_well =
        value.name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    if is_reserved(value.name) {
        value.reader.push(reserved(value.name, at()));
        return None;
    }
    if !starts_well || !value.name.bytes().all(is_plain) {
        let message = format!("`{}` is not the name of a placeholder", value.name);
        let help = "use a letter or `_`, then letters, digits, `_` and `-`";
        value.reader.tell(Code::InvalidId, value.key_span(), message, help);
        return None;
    }
    Some((value.name.into(), Placeholder { value: value.json()?, origin: at() }))
}

/// The tables `[override.<id>]`.
pub(crate) fn overrides(
    table: &Table<'_>,
    scope: Scope<'_>,
) -> BTreeMap<ComponentId, OverrideFile> {
    let one = |value: &Value<'_>| {
        if is_reserved(value.name) {
            value.reader.push(reserved(value.name, value.reader.origin(value.key_span())));
            return None;
        }
        let id = value.key_id(ComponentId::new)?;
        let table = value.table("`[override]`", OVERRIDE_KEYS)?;
        let file = OverrideFile {
            enabled: table.get("enabled").and_then(|value| value.boolean()),
            body: scope.text(&table),
            base_sha256: table.get("base_sha256").and_then(|value| sha_key(&value)),
            origin: value.reader.origin(value.key_span()),
        };
        Some((id, file))
    };
    table.open("override").iter().filter_map(one).collect()
}
