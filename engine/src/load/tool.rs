//! Reads a tool: `tools/<id>.toml`.
//!
//! In: a file. Out: a [`Tool`], or none when it is no TOML or its name is no tool id.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::body::condition;
use super::fields::{Table, Value, invalid_id};
use super::reader::Reader;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile};
use crate::model::{PackName, Parameter, Tool, ToolId, VariantId, Wording};
use crate::template::Template;

const KEYS: &[&str] = &["description", "role", "when", "parameter", "variant"];
const PARAMETER_KEYS: &[&str] = &[
    "name",
    "type",
    "required",
    "instruction",
    "usage",
    "description",
    "depends_on",
    "when",
    "schema",
];
const WORDING_KEYS: &[&str] = &["description", "parameter"];
const TYPES: &[(&str, &str)] = &[
    ("string", "string"),
    ("integer", "integer"),
    ("number", "number"),
    ("boolean", "boolean"),
    ("array", "array"),
    ("object", "object"),
];

/// Reads `tools/<id>.toml`.
pub(crate) fn read(
    file: &Arc<SourceFile>,
    id: &str,
    pack: &PackName,
    told: &mut Vec<Diagnostic>,
) -> Option<Tool> {
    let id = ToolId::new(id)
        .map_err(|error| told.push(invalid_id(&error, Origin::file(file, 0..0))))
        .ok()?;
    let reader = Reader::new(file, 0);
    let tool = reader.parse(file.text()).map(|tree| {
        let table = Table::root(&reader, &tree, "a tool", KEYS);
        Tool {
            id,
            pack: pack.clone(),
            origin: reader.start(),
            role: table.string("role"),
            when: condition(&table, "when"),
            description: template(&table, "description"),
            parameters: parameters(&table).unwrap_or_default(),
            wordings: table.open("variant").iter().filter_map(wording).collect(),
            base: None,
        }
    });
    told.extend(reader.finish());
    tool
}

fn template(table: &Table<'_>, key: &str) -> Option<Arc<Template>> {
    table.text(key).map(|source| Arc::new(Template::new(source)))
}

fn wording(value: &Value<'_>) -> Option<(Arc<str>, Wording)> {
    let of = value.key_id(VariantId::new)?;
    let table = value.table("`[variant]`", WORDING_KEYS)?;
    let (description, parameters) = (template(&table, "description"), parameters(&table));
    Some((Arc::clone(of.shared()), Wording { description, parameters }))
}

/// The list of parameters; none when the table has none.
fn parameters(table: &Table<'_>) -> Option<Vec<Parameter>> {
    table.get("parameter")?;
    let mut names = BTreeSet::new();
    let tables = table.tables("parameter", PARAMETER_KEYS);
    let all = tables.iter().filter_map(|table| {
        let parameter = parameter(table)?;
        if names.insert(Arc::clone(&parameter.name)) {
            return Some(parameter);
        }
        let message = format!("the parameter `{}` is there twice", parameter.name);
        table.reader.tell(Code::InvalidValue, table.span(), message, "keep one of them");
        None
    });
    Some(all.collect())
}

fn parameter(table: &Table<'_>) -> Option<Parameter> {
    Some(Parameter {
        name: name(table)?,
        kind: table.choice("type", TYPES).unwrap_or("string").into(),
        required: table.get("required").and_then(|value| value.boolean()).unwrap_or(false),
        instruction: template(table, "instruction"),
        usage: template(table, "usage"),
        description: template(table, "description"),
        depends_on: depends_on(table),
        when: condition(table, "when"),
        schema: schema(table),
        origin: table.origin(),
    })
}

fn name(table: &Table<'_>) -> Option<Arc<str>> {
    let Some(value) = table.get("name") else {
        let message = "the parameter has no `name`";
        table.reader.tell(Code::WrongType, table.span(), message, "write `name = \"...\"`");
        return None;
    };
    let name = value.str()?;
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
    if name.is_empty() || !name.bytes().all(is_plain) {
        let message = format!("`{name}` is not a parameter name");
        let help = "use letters, digits, `_`, `-`, `.` and `$`";
        table.reader.tell(Code::InvalidId, value.span(), message, help);
        return None;
    }
    Some(name.into())
}

fn depends_on(table: &Table<'_>) -> Vec<Arc<str>> {
    let items = table.get("depends_on").and_then(|value| value.list()).unwrap_or_default();
    items.iter().filter_map(|item| item.id(ToolId::new)).map(|id| Arc::clone(id.shared())).collect()
}

fn schema(table: &Table<'_>) -> serde_json::Map<String, serde_json::Value> {
    let entries = table.open("schema");
    entries.iter().filter_map(|value| Some((value.name.to_owned(), value.json()?))).collect()
}
