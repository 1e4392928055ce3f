//! Guesses how a value is read from its name and type, where nobody says.
//!
//! In: a name and a JSON Schema type. Out: a kind. Never: guesses scalar for what may hold a file.

use super::ParamKind;

/// Names of values that are written by a model at length, and may hold tags.
const RAW: &[&str] = &[
    "arguments",
    "body",
    "code",
    "cmd",
    "command",
    "comment",
    "content",
    "contents",
    "context",
    "css",
    "data",
    "description",
    "diff",
    "file_text",
    "html",
    "input",
    "insert_text",
    "instructions",
    "items",
    "markdown",
    "message",
    "new_str",
    "new_string",
    "new_text",
    "notes",
    "old_str",
    "old_string",
    "old_text",
    "output",
    "patch",
    "plan",
    "prompt",
    "question",
    "replace",
    "replacement",
    "report",
    "response",
    "result",
    "script",
    "search",
    "sql",
    "summary",
    "task",
    "task_progress",
    "text",
    "thought",
    "xml",
];

pub(super) fn infer(name: &str, schema_type: Option<&str>) -> ParamKind {
    match schema_type {
        Some("integer" | "number" | "boolean" | "null") => ParamKind::Scalar,
        Some("array" | "object") => ParamKind::Raw,
        _ if RAW.contains(&name) => ParamKind::Raw,
        _ => ParamKind::Scalar,
    }
}
