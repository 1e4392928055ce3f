//! Reads a component: `components/<id>.toml`, or `components/<id>.md` with front matter.
//!
//! In: a file. Out: a [`Component`], or none when it has no usable name or text. Never: parses a template.

use std::ops::Range;
use std::sync::Arc;

use super::body::{Scope, TEXT_KEYS, condition, only_one, patterns, template};
use super::fields::{Table, Value, invalid_id};
use super::pack::CLASSES;
use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile, SourceText};
use crate::model::{
    Body, Case, CaseBody, Cases, Component, ComponentId, DEFAULT_PRIORITY, PackName, PatternKind,
    Select, ToolId, VariantId,
};
use crate::template::is_reserved;
use crate::trace::CacheClass;

const KEYS: &[&str] = &[
    "description",
    "when",
    "cache",
    "reason",
    "priority",
    "template",
    "template_file",
    "text",
    "value",
    "from",
    "select",
    "separator",
    "case",
];
const BODY_KEYS: &[&str] = &["template", "template_file", "text", "value", "from", "case"];
const CASE_KEYS: &[&str] =
    &["models", "providers", "variants", "tools", "when", "template", "template_file", "text"];
const FENCE: &str = "+++";
const SEPARATOR: &str = "\n\n";

/// Reads `components/<id>.toml`.
pub(crate) fn read(
    file: &Arc<SourceFile>,
    id: &str,
    pack: &PackName,
    scope: Scope<'_>,
    told: &mut Vec<Diagnostic>,
) -> Option<Component> {
    let beside = scope.beside();
    let id = component_id(id, file, told)?;
    let reader = Reader::new(file, 0);
    let component = reader.parse(file.text()).map(|tree| {
        let table = Table::root(&reader, &tree, "a component", KEYS);
        let own = beside.map(|text| ("the template beside the file", text));
        component(&table, id, pack, scope, own)
    });
    told.extend(reader.finish());
    component.flatten()
}

/// Reads `components/<id>.md`: front matter between `+++` lines, then the template.
pub(crate) fn read_markdown(
    file: &Arc<SourceFile>,
    id: &str,
    pack: &PackName,
    scope: Scope<'_>,
    told: &mut Vec<Diagnostic>,
) -> Option<Component> {
    let id = component_id(id, file, told)?;
    let Some((front, body)) = split_front_matter(file.text()) else {
        let message = format!("the front matter has no closing `{FENCE}`");
        let origin = Origin::file(file, 0..FENCE.len());
        told.push(
            Diagnostic::new(Code::TomlSyntax, message, origin)
                .help(format!("write a line `{FENCE}` before the template")),
        );
        return None;
    };
    let reader = Reader::new(file, front.start);
    let component = reader.parse(file.text().get(front)?).map(|tree| {
        let table = Table::root(&reader, &tree, "a component", KEYS);
        let body = SourceText::part(file, body);
        let has_other = BODY_KEYS.iter().any(|key| table.has(key));
        let is_used = !has_other || !body.text.trim().is_empty();
        let own = is_used.then_some(("the template below the front matter", body));
        component(&table, id, pack, scope, own)
    });
    told.extend(reader.finish());
    component.flatten()
}

/// The ranges of the front matter and of the template; none when the front matter is not closed.
fn split_front_matter(text: &str) -> Option<(Range<usize>, Range<usize>)> {
    let mut lines = text.split_inclusive('\n');
    let is_fence = |line: &str| line.trim_start_matches('\u{feff}').trim_end() == FENCE;
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return Some((0..0, 0..text.len()));
    };
    let mut at = first.len();
    for line in lines {
        if is_fence(line) {
            return Some((first.len()..at, at + line.len()..text.len()));
        }
        at += line.len();
    }
    None
}

fn component_id(
    name: &str,
    file: &Arc<SourceFile>,
    told: &mut Vec<Diagnostic>,
) -> Option<ComponentId> {
    let origin = Origin::file(file, 0..0);
    if is_reserved(name) {
        told.push(reserved(name, origin));
        return None;
    }
    ComponentId::new(name).map_err(|error| told.push(invalid_id(&error, origin))).ok()
}

/// Tells that a name means something in templates.
pub(crate) fn reserved(name: &str, origin: Origin) -> Diagnostic {
    let message = format!("`{name}` is a word of the template language");
    Diagnostic::new(Code::InvalidId, message, origin).help("use another name")
}

fn component(
    table: &Table<'_>,
    id: ComponentId,
    pack: &PackName,
    scope: Scope<'_>,
    own: Option<(&str, Arc<SourceText>)>,
) -> Option<Component> {
    only_one(table, BODY_KEYS, own.as_ref().map(|&(what, _)| what));
    let body = body(table, scope, own.map(|(_, text)| text));
    let cache = cache(table);
    Some(Component {
        id,
        pack: pack.clone(),
        origin: table.reader.start(),
        description: table.string("description"),
        when: condition(table, "when"),
        cache: cache.as_ref().map(|(class, _)| *class),
        reason: cache.and_then(|(_, reason)| reason),
        priority: table
            .get("priority")
            .and_then(|value| value.integer())
            .unwrap_or(DEFAULT_PRIORITY),
        body: body?,
        base: None,
    })
}

/// The asserted class, with the reason that a volatile one needs.
fn cache(table: &Table<'_>) -> Option<(CacheClass, Option<Arc<str>>)> {
    let class = table.choice("cache", CLASSES);
    let reason = table.string("reason");
    match (class, &reason) {
        (Some(CacheClass::Volatile), None) => {
            if let (Some(value), false) = (table.get("cache"), table.has("reason")) {
                let help = "say why it changes in each build: `reason = \"...\"`";
                let message = "`cache = \"volatile\"` needs a `reason`";
                table.reader.tell(Code::ConflictingKeys, value.span(), message, help);
            }
            None
        }
        (Some(CacheClass::Static | CacheClass::Session) | None, Some(_)) => {
            if let Some(value) = table.get("reason") {
                let message = "`reason` goes with `cache = \"volatile\"` alone";
                table.reader.tell(Code::ConflictingKeys, value.key_span(), message, "leave it out");
            }
            class.map(|class| (class, None))
        }
        (class, _) => class.map(|class| (class, reason)),
    }
}

fn body(table: &Table<'_>, scope: Scope<'_>, own: Option<Arc<SourceText>>) -> Option<Body> {
    let of_cases = ["select", "separator"].into_iter().filter_map(|key| table.get(key));
    for value in of_cases.filter(|_| !table.has("case")) {
        let message = format!("`{}` is about cases, and there is no `[[case]]`", value.name);
        table.reader.tell(Code::ConflictingKeys, value.key_span(), message, "leave it out");
    }
    if let Some(source) = own {
        return Some(template(source).into());
    }
    if TEXT_KEYS.iter().any(|key| table.has(key)) {
        return scope.first_text(table).map(Body::from);
    }
    if let Some(value) = table.get("value") {
        return context_path(&value).map(Body::Value);
    }
    if let Some(value) = table.get("from") {
        return item(&value).map(Body::From);
    }
    if table.has("case") {
        return Some(Body::Cases(cases(table, scope)));
    }
    let help =
        "write `template`, `text`, `value`, `from` or `[[case]]`, or an `.hbs` file beside it";
    table.reader.tell(Code::ConflictingKeys, 0..0, "the component has no text", help);
    None
}

fn context_path(value: &Value<'_>) -> Option<Arc<str>> {
    let path = value.str()?;
    if path.split('.').any(|step| step.is_empty() || step.contains(char::is_whitespace)) {
        value.refuse(
            format!("`{path}` is not the path of a context value"),
            "write names with dots between them, e.g. `user.system_prompt`",
        );
        return None;
    }
    Some(path.into())
}

fn item(value: &Value<'_>) -> Option<Arc<str>> {
    let path = value.str()?;
    let parts = path.split_once('/');
    if !parts.is_some_and(|(extension, item)| PackName::new(extension).is_ok() && !item.is_empty())
    {
        value.refuse(format!("`{path}` is not an item of an extension"), "write `extension/item`");
        return None;
    }
    Some(path.into())
}

fn cases(table: &Table<'_>, scope: Scope<'_>) -> Cases {
    let select = table.choice("select", &[("first", Select::First), ("all", Select::All)]);
    Cases {
        select: select.unwrap_or_default(),
        separator: table.separator().unwrap_or_else(|| SEPARATOR.into()),
        cases: table.tables("case", CASE_KEYS).iter().filter_map(|one| case(one, scope)).collect(),
    }
}

/// One case. A mistake in it leaves it out: without one of its conditions it would hold too often.
fn case(table: &Table<'_>, scope: Scope<'_>) -> Option<Case> {
    let before = table.reader.count();
    let body = scope.text(table);
    if body.is_none() && !TEXT_KEYS.iter().any(|key| table.has(key)) {
        let help = "write `template`, `template_file` or `text`; it may be empty";
        table.reader.tell(Code::ConflictingKeys, table.span(), "the case has no text", help);
    }
    let case = Case {
        models: patterns(table, "models", PatternKind::Model),
        providers: patterns(table, "providers", PatternKind::Provider),
        variants: ids(table, "variants", VariantId::new),
        tools: ids(table, "tools", ToolId::new),
        when: condition(table, "when"),
        body: body?,
    };
    (table.is_known && table.reader.count() == before).then_some(case)
}

fn ids<T>(
    table: &Table<'_>,
    key: &str,
    parse: fn(&str) -> Result<T, crate::model::InvalidId>,
) -> Vec<T> {
    let items = table.get(key).and_then(|value| value.list()).unwrap_or_default();
    items.iter().filter_map(|item| item.id(parse)).collect()
}

impl From<CaseBody> for Body {
    fn from(body: CaseBody) -> Self {
        match body {
            CaseBody::Template(template) => Self::Template(template),
            CaseBody::Text(text) => Self::Text(text),
        }
    }
}
