//! Reads where a text comes from: `template`, `template_file`, `text`, or the `.hbs` beside the file.
//!
//! In: a table of a file. Out: a template or a literal text with its place. Never: parses a template.

use std::sync::Arc;

use super::fields::{Table, Value};
use super::files::Files;
use crate::condition::Condition;
use crate::diagnostic::{Code, SourceText};
use crate::model::{CaseBody, PatternKind, Patterns};
use crate::template::Template;

/// What a file is read with: its pack's files and its own path.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'f> {
    pub(crate) files: &'f Files,
    /// The path of the file below the pack's folder.
    pub(crate) path: &'f str,
}

/// The keys that give a text.
pub(crate) const TEXT_KEYS: &[&str] = &["template", "template_file", "text"];

impl Scope<'_> {
    /// The template beside the file: the same stem, ending in `.hbs`.
    pub(crate) fn beside(&self) -> Option<Arc<SourceText>> {
        let stem = self.path.rsplit_once('.').map_or(self.path, |(stem, _)| stem);
        self.files.template(&format!("{stem}.hbs"))
    }

    /// The template that `template_file` names: a path below the pack's folder or the file's own.
    fn named(&self, value: &Value<'_>) -> Option<Arc<SourceText>> {
        let path = value.str()?;
        let folder = self.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let found =
            self.files.template(path).or_else(|| self.files.template(&format!("{folder}/{path}")));
        if found.is_none() {
            value.refuse(
                format!("`{path}` is no template of this pack"),
                "name an `.hbs` file by its path below the pack's folder",
            );
        }
        found
    }

    /// The text of an override or a case.
    pub(crate) fn text(&self, table: &Table<'_>) -> Option<CaseBody> {
        only_one(table, TEXT_KEYS, None);
        self.first_text(table)
    }

    /// The first of `template`, `template_file` and `text`.
    pub(crate) fn first_text(&self, table: &Table<'_>) -> Option<CaseBody> {
        if let Some(value) = table.get("template") {
            return value.text().map(template);
        }
        if let Some(value) = table.get("template_file") {
            return self.named(&value).map(template);
        }
        table.text("text").map(CaseBody::Text)
    }
}

/// A text as a template.
pub(crate) fn template(source: Arc<SourceText>) -> CaseBody {
    CaseBody::Template(Arc::new(Template::new(source)))
}

/// Tells all but the first of keys that exclude each other; `own` names a text that comes before all.
pub(crate) fn only_one(table: &Table<'_>, keys: &[&str], own: Option<&str>) {
    let mut present = keys.iter().filter_map(|key| table.get(key));
    let first = match own {
        Some(own) => Some(own.to_owned()),
        None => present.next().map(|value| format!("`{}`", value.name)),
    };
    for value in present {
        let message =
            format!("{} and `{}` exclude each other", first.as_deref().unwrap_or(""), value.name);
        table.reader.tell(Code::ConflictingKeys, value.key_span(), message, "keep one of them");
    }
}

/// A condition; one that is no string never holds, for a guard must not open by mistake.
pub(crate) fn condition(table: &Table<'_>, key: &str) -> Option<Condition> {
    let value = table.get(key)?;
    let source = value.text().unwrap_or_else(|| SourceText::new("false", value.origin()));
    Some(Condition::new(source))
}

/// Patterns on a model's or a provider's id.
pub(crate) fn patterns(table: &Table<'_>, key: &str, kind: PatternKind) -> Option<Patterns> {
    let items = table.get(key)?.strings()?;
    let items: Vec<_> = items
        .into_iter()
        .map(|(text, value)| {
            let source = value.text();
            (text.to_owned(), source.map_or_else(|| value.origin(), |text| text.origin.clone()))
        })
        .collect();
    let (patterns, told) = Patterns::parse(&items, kind);
    told.into_iter().for_each(|diagnostic| table.reader.push(diagnostic));
    Some(patterns)
}
