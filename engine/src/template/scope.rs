//! What a template sees while it is evaluated.
//!
//! In: names and paths. Out: values with their cache class, partials, helpers, tools.
//! Never: knows where values come from; the caller implements [`Scope`].

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::Template;
use crate::trace::{CacheClass, Traced};
use crate::weight::weight;

/// The names that one evaluation sees.
pub(crate) trait Scope {
    /// The value of the name `path[0]`, with the class of the whole path; none when no such name exists.
    /// The evaluator takes the further steps itself.
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>>;

    /// What is there besides names.
    fn supply(&self) -> &dyn Supply;

    /// About how many bytes of sections a template will print; only saves allocations.
    fn size_hint(&self) -> usize {
        0
    }
}

/// What templates have wherever they stand: partials, helpers, tools.
pub(crate) trait Supply {
    /// The partial of that name.
    fn partial(&self, name: &str) -> Option<&Template>;

    /// Whether an extension supplies a helper of that name; every plain word asks.
    fn has_helper(&self, name: &str) -> bool;

    /// Calls the helper that an extension supplies under that name; none when there is no such helper.
    /// A missing argument is null.
    fn call_helper(
        &self,
        name: &str,
        args: Vec<Json>,
        named: Map<String, Json>,
    ) -> Option<Called<'_>>;

    /// Whether a tool is effective.
    fn has_tool(&self, _id: &str) -> (bool, CacheClass) {
        (false, CacheClass::Static)
    }

    /// The name of the effective tool of a role.
    fn tool(&self, _role: &str) -> (Option<&str>, CacheClass) {
        (None, CacheClass::Static)
    }

    /// The text of all effective tools, or of one.
    fn tool_docs(&self, _id: Option<&str>) -> Found<'_> {
        Found::new(Val::Missing, CacheClass::Static)
    }
}

/// What the helper of an extension answered.
#[derive(Clone, Debug)]
pub(crate) struct Called<'b> {
    /// Null prints nothing; an error is a sentence.
    pub value: Result<Json, String>,
    /// The least class of the answer; the arguments may widen it.
    pub class: CacheClass,
    /// What has that class, when that is not the helper itself.
    pub cause: Option<&'b Arc<str>>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(crate) struct Found<'b> {
    pub value: Val<'b>,
    /// How stable the bytes are.
    pub class: CacheClass,
    /// How stable it is whether there is a value at all: for sections at most `class`, else `class`.
    pub presence: CacheClass,
    /// What decides whether there is a value, when that is not the name itself.
    pub cause: Option<&'b Arc<str>>,
    /// How many steps of the path the value already stands for; 1, or 2 for `sections.rules`.
    pub steps: usize,
}

impl<'b> Found<'b> {
    /// The value of a single name.
    pub(crate) fn new(value: Val<'b>, class: CacheClass) -> Self {
        Self { value, class, presence: class, cause: None, steps: 1 }
    }

    /// The same where the absence of `other` decides that this value is looked at.
    pub(crate) fn decided_by(self, other: Option<Found<'b>>) -> Self {
        match other {
            Some(other) if other.presence > self.presence => Self {
                class: self.class.max(other.presence),
                presence: other.presence,
                cause: other.cause,
                ..self
            },
            _ => self,
        }
    }

    /// A section under a single name, and the class of whether it is there.
    pub(crate) fn section(section: &'b Traced, class: CacheClass, presence: CacheClass) -> Self {
        Self { value: Val::Section(section), class, presence, cause: None, steps: 1 }
    }
}

/// A value as templates see it.
#[derive(Clone, Debug)]
pub(crate) enum Val<'b> {
    /// The name is known and has no value.
    Missing,
    Text(&'b str),
    Json(Cow<'b, Json>),
    /// Finished text; printed, it keeps its pieces and marks.
    Section(&'b Traced),
}

impl Val<'_> {
    /// An owned text.
    pub(super) fn owned(text: String) -> Self {
        Val::Json(Cow::Owned(Json::String(text)))
    }

    /// The text, of a value that is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Val::Text(text) => Some(text),
            Val::Section(section) => Some(&section.text),
            Val::Json(json) => json.as_str(),
            Val::Missing => None,
        }
    }

    /// Whether there is nothing: missing or null.
    pub(super) fn is_missing(&self) -> bool {
        match self {
            Val::Missing => true,
            Val::Json(json) => json.is_null(),
            Val::Text(_) | Val::Section(_) => false,
        }
    }

    /// Whether `{{#if}}` takes its body; blank sections, empty texts and collections are false.
    pub(crate) fn is_true(&self, include_zero: bool) -> bool {
        match self {
            Val::Missing => false,
            Val::Text(text) => !text.is_empty(),
            Val::Section(section) => !section.text.trim_ascii().is_empty(),
            Val::Json(json) => match &**json {
                Json::Null => false,
                Json::Bool(yes) => *yes,
                Json::Number(number) => include_zero || number.as_f64().is_some_and(f64::is_normal),
                Json::String(text) => !text.is_empty(),
                Json::Array(items) => !items.is_empty(),
                Json::Object(entries) => !entries.is_empty(),
            },
        }
    }

    /// Whether it is `true` itself.
    pub(super) fn is_yes(&self) -> bool {
        matches!(self, Val::Json(json) if **json == Json::Bool(true))
    }

    /// As it is printed; nothing for missing and null.
    pub(super) fn printed(&self) -> Cow<'_, str> {
        match (self.as_text(), self) {
            (Some(text), _) => Cow::Borrowed(text),
            (None, Val::Json(json)) if !json.is_null() => {
                let mut text = String::new();
                write_json(json, &mut text);
                Cow::Owned(text)
            }
            (None, _) => Cow::Borrowed(""),
        }
    }

    /// About how many bytes there are to look through, up to `most`.
    pub(super) fn weight(&self, most: usize) -> usize {
        match self {
            Val::Json(json) => weight(json, most),
            Val::Missing | Val::Text(_) | Val::Section(_) => self.as_text().map_or(0, str::len),
        }
    }

    /// As a helper of an extension gets it.
    pub(super) fn to_json(&self) -> Json {
        match self {
            Val::Missing => Json::Null,
            Val::Text(text) => Json::from(*text),
            Val::Section(section) => Json::from(section.text.as_str()),
            Val::Json(json) => json.clone().into_owned(),
        }
    }

    /// The same, borrowed for a shorter time.
    pub(super) fn borrowed(&self) -> Val<'_> {
        match self {
            Val::Missing => Val::Missing,
            Val::Text(text) => Val::Text(text),
            Val::Section(section) => Val::Section(section),
            Val::Json(json) => Val::Json(Cow::Borrowed(json)),
        }
    }
}

/// The entries in the order of their keys: `serde_json`'s own order depends on its features.
pub(super) fn sorted(entries: &Map<String, Json>) -> Vec<(&String, &Json)> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    sorted
}

/// A value as it is printed: compact JSON with the keys of every object sorted.
pub(crate) fn json_text(json: &Json) -> String {
    let mut text = String::new();
    write_json(json, &mut text);
    text
}

/// Appends compact JSON with the keys of every object sorted.
pub(super) fn write_json(json: &Json, out: &mut String) {
    match json {
        Json::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json(item, out);
            }
            out.push(']');
        }
        Json::Object(entries) => {
            out.push('{');
            for (at, (key, value)) in sorted(entries).into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Json::from(key.as_str()).to_string());
                out.push(':');
                write_json(value, out);
            }
            out.push('}');
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            out.push_str(&json.to_string());
        }
    }
}
