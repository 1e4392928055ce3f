//! Reads contexts from files: JSON, TOML by ending, or a JSON object a line.
//!
//! In: paths. Out: JSON, and mistakes with their file, line and column. Never: judges a key.

use std::path::Path;

use promptweave::{Code, Context, ContextError, Diagnostic, Origin, SourceFile};
use promptweave_inspect::char_start;
use serde_json::{Value as Json, json};

use crate::failure::Failure;
use crate::files;

/// Reads a file's context: an object whose keys nobody has judged yet.
pub(crate) fn read(path: &Path) -> Result<Json, Failure> {
    files::read(path).and_then(|text| of_text(path, text))
}

/// The same for a file that a folder offers.
pub(crate) fn read_regular(path: &Path) -> Result<Json, Failure> {
    files::read_file(path).and_then(|text| of_text(path, text))
}

fn of_text(path: &Path, text: String) -> Result<Json, Failure> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        return from_toml(path, text);
    }
    parse(path, text)
}

/// Reads the contexts of a file: every line of a `.jsonl` is one, any other file is one as a whole.
pub(crate) fn read_all(path: &Path) -> Result<Vec<(String, Json)>, Failure> {
    if path.extension().is_none_or(|ending| ending != "jsonl") {
        return Ok(vec![(files::shown(path), read(path)?)]);
    }
    let text = files::read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let contexts = lines.map(|(at, line)| {
        let name = format!("{}:{}", path.display(), at + 1);
        Ok((name, of_line(path, at + 1, line)?))
    });
    contexts.collect()
}

const LINE_HELP: &str =
    "write one JSON object a line; `promptweave schema context` describes what may stand there";

/// The context in a line of a file; its number counts from 1.
pub(crate) fn of_line(path: &Path, number: usize, line: &str) -> Result<Json, Failure> {
    parsed(line).map_err(|error| {
        let text = files::in_place(number, line);
        let (message, origin) = located(path, text, number, &error);
        told_with(message, origin, LINE_HELP)
    })
}

fn parse(path: &Path, text: String) -> Result<Json, Failure> {
    parsed(&text).map_err(|error| invalid(path, text, 1, &error))
}

fn parsed(text: &str) -> Result<Json, ContextError> {
    let root = Context::parse(text)?;
    if root.is_object() {
        return Ok(root);
    }
    Err(Context::from_value(root).err().unwrap_or(ContextError::TooDeep))
}

fn from_toml(path: &Path, text: String) -> Result<Json, Failure> {
    match toml::from_str(&text) {
        Ok(table) => json_of(toml::Value::Table(table)).map_err(|why| {
            let file = SourceFile::new(files::shown(path), text);
            told(format!("the context is not JSON: {why}"), Origin::file(&file, 0..0))
        }),
        Err(error) => {
            let span = error.span().unwrap_or_default();
            let file = SourceFile::new(files::shown(path), text);
            let message = format!("the context is not TOML: {}", error.message());
            Err(told(message, Origin::file(&file, span)))
        }
    }
}

/// TOML as JSON; a date becomes its text.
///
/// # Errors
/// Names the number that JSON does not have: `nan` and the infinite ones.
pub(crate) fn json_of(value: toml::Value) -> Result<Json, String> {
    Ok(match value {
        toml::Value::String(text) => Json::String(text),
        toml::Value::Integer(number) => json!(number),
        toml::Value::Float(number) if number.is_finite() => json!(number),
        toml::Value::Float(number) => return Err(format!("`{number}` is no number that it has")),
        toml::Value::Boolean(truth) => Json::Bool(truth),
        toml::Value::Datetime(date) => Json::String(date.to_string()),
        toml::Value::Array(items) => items.into_iter().map(json_of).collect::<Result<_, _>>()?,
        toml::Value::Table(table) => {
            let pairs = table.into_iter().map(|(key, value)| Ok((key, json_of(value)?)));
            Json::Object(pairs.collect::<Result<_, String>>()?)
        }
    })
}

/// A context that is none; it begins in that line of the text.
fn invalid(path: &Path, text: String, begins: usize, error: &ContextError) -> Failure {
    let (message, origin) = located(path, text, begins, error);
    told(message, origin)
}

/// What is wrong with a text that should be a context, and where; it begins in that line of its file.
pub(crate) fn located(
    path: &Path,
    text: String,
    begins: usize,
    error: &ContextError,
) -> (String, Origin) {
    let (message, at) = match error {
        ContextError::Syntax { message, line, column } => {
            let at = offset(&text, begins.saturating_sub(1) + line, *column);
            (format!("the context is not JSON: {message}"), at)
        }
        ContextError::KeyTwice { message, line, column } => {
            let at = offset(&text, begins.saturating_sub(1) + line, *column);
            (format!("{message} in the context"), at)
        }
        ContextError::NotAnObject(_) | ContextError::TooDeep => {
            (error.to_string(), offset(&text, begins, 1))
        }
    };
    let file = SourceFile::new(files::shown(path), text);
    (message, Origin::file(&file, at..at))
}

fn told(message: String, origin: Origin) -> Failure {
    told_with(message, origin, "`promptweave schema context` describes what may stand there")
}

fn told_with(message: String, origin: Origin, help: &str) -> Failure {
    let told = Diagnostic::new(Code::ContextInvalid, message, origin);
    Failure::Input(Box::new(told.help(help)))
}

/// The byte at a line and a column, both from 1.
pub(super) fn offset(text: &str, line: usize, column: usize) -> usize {
    let start: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    char_start(text, start + column.saturating_sub(1))
}
