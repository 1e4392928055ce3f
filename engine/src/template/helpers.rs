//! The built-in helpers.
//!
//! In: evaluated arguments. Out: a value, or a sentence about what is wrong with an argument.
//! Never: looks up a name; tools and sections are asked for by the evaluator.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::Value as Json;

use super::MAX_OUTPUT_BYTES;
use super::boundary::{fence, inside};
use super::reference::ReferenceKind;
use super::scope::{Val, write_json};

/// The names of the built-in helpers.
pub(crate) const HELPERS: &[&str] = &[
    "eq",
    "ne",
    "and",
    "or",
    "not",
    "len",
    "default",
    "contains",
    "json",
    "join",
    "indent",
    "xml",
    "fence",
    "inside",
    "section",
    "has_tool",
    "tool",
    "tool_docs",
    "tool_doc",
    "cache_boundary",
    "lookup",
];

/// The names of the built-in blocks.
const BLOCKS: &[&str] = &["if", "unless", "each", "with", "raw"];

/// Words that a template does not read as a name.
const WORDS: &[&str] = &["this", "as", "true", "false", "null"];

/// The widest `indent`.
const MAX_INDENT: u64 = 256;

/// Whether a template could not use `name` for a component, a placeholder or an extension's helper.
pub fn is_reserved(name: &str) -> bool {
    HELPERS.contains(&name)
        || BLOCKS.contains(&name)
        || WORDS.contains(&name)
        || name.starts_with("else")
}

/// A built-in helper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builtin {
    /// `eq a b`: whether both are the same; a missing value equals null.
    Eq,
    /// `ne a b`: the contrary.
    Ne,
    /// `and a ...`: whether all are true, as `{{#if}}` takes it.
    And,
    /// `or a ...`: whether one is true.
    Or,
    /// `not a`: whether it is false.
    Not,
    /// `len x`: elements of a list, entries of an object, bytes of a text; else 0.
    Len,
    /// `default x y`: `y` where `x` prints nothing.
    Default,
    /// `contains list x`: an element of a list, a key of an object, a part of a text.
    Contains,
    /// `json x`: compact JSON with sorted keys; a missing value is null.
    Json,
    /// `join list sep`: the elements as they are printed, `sep` between.
    Join,
    /// `indent n text`: `n` blanks before every line that is not empty.
    Indent,
    /// `xml text`: with `<`, `>` and `&` escaped.
    Xml,
    /// `fence tag text most`: the text as an element of its own, which it cannot end; of a longer text than `most`
    /// bytes the rest is left out, and counted.
    Fence,
    /// `inside tag text`: the text as it may stand in that element, which it cannot end.
    Inside,
    /// `section id`: an earlier section.
    Section,
    /// `has_tool id`: whether the tool is effective.
    HasTool,
    /// `tool role`: the name of the effective tool of that role.
    Tool,
    /// `tool_docs`: the text of all effective tools.
    ToolDocs,
    /// `tool_doc id`: the text of one.
    ToolDoc,
    /// `cache_boundary`: asserts that all before it is static.
    CacheBoundary,
    /// `lookup x key`: an element by index, an entry by key.
    Lookup,
}

/// Whether `name` is a built-in block.
pub(super) fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name)
}

/// The built-in helper of that name.
pub(super) fn builtin(name: &str) -> Option<Builtin> {
    Some(match name {
        "eq" => Builtin::Eq,
        "ne" => Builtin::Ne,
        "and" => Builtin::And,
        "or" => Builtin::Or,
        "not" => Builtin::Not,
        "len" => Builtin::Len,
        "default" => Builtin::Default,
        "contains" => Builtin::Contains,
        "json" => Builtin::Json,
        "join" => Builtin::Join,
        "indent" => Builtin::Indent,
        "xml" => Builtin::Xml,
        "fence" => Builtin::Fence,
        "inside" => Builtin::Inside,
        "section" => Builtin::Section,
        "has_tool" => Builtin::HasTool,
        "tool" => Builtin::Tool,
        "tool_docs" => Builtin::ToolDocs,
        "tool_doc" => Builtin::ToolDoc,
        "cache_boundary" => Builtin::CacheBoundary,
        "lookup" => Builtin::Lookup,
        _ => return None,
    })
}

impl Builtin {
    /// Whether so many arguments are right; else what is wrong.
    pub(super) fn accept(self, args: usize, no_hash: bool) -> Result<(), String> {
        let (least, most) = match self {
            Self::ToolDocs | Self::CacheBoundary => (0, 0),
            Self::And | Self::Or => (1, usize::MAX),
            Self::Not | Self::Len | Self::Json | Self::Xml => (1, 1),
            Self::Section | Self::HasTool | Self::Tool | Self::ToolDoc => (1, 1),
            Self::Fence => (2, 3),
            Self::Eq | Self::Ne | Self::Default | Self::Contains => (2, 2),
            Self::Join | Self::Indent | Self::Lookup | Self::Inside => (2, 2),
        };
        let name = self.name();
        if !no_hash {
            return Err(format!("`{name}` takes no named arguments"));
        }
        if (least..=most).contains(&args) {
            return Ok(());
        }
        let wanted = match most {
            usize::MAX => "at least 1 argument",
            0 => "no argument",
            1 => "1 argument",
            3 => "2 or 3 arguments",
            _ => "2 arguments",
        };
        Err(format!("`{name}` takes {wanted}, not {args}"))
    }

    /// Whether it says yes or no, so that it can open a block.
    pub(super) fn decides(self) -> bool {
        matches!(
            self,
            Self::Eq | Self::Ne | Self::And | Self::Or | Self::Not | Self::Contains | Self::HasTool
        )
    }

    /// What its first argument names.
    pub(super) fn names(self) -> Option<ReferenceKind> {
        match self {
            Self::Section => Some(ReferenceKind::Section),
            Self::HasTool | Self::ToolDoc => Some(ReferenceKind::Tool),
            Self::Tool => Some(ReferenceKind::Role),
            _ => None,
        }
    }

    /// Which of its arguments it goes through from end to end, by position.
    pub(super) fn goes_through(self) -> Range<usize> {
        match self {
            Self::Eq | Self::Ne | Self::Join | Self::Indent | Self::Fence | Self::Inside => 0..2,
            Self::Contains | Self::Json | Self::Xml => 0..1,
            Self::Section | Self::HasTool | Self::Tool | Self::ToolDoc => 0..1,
            Self::And | Self::Or | Self::Not | Self::Len | Self::Default => 0..0,
            Self::Lookup | Self::ToolDocs | Self::CacheBoundary => 0..0,
        }
    }

    fn name(self) -> &'static str {
        HELPERS.iter().find(|name| builtin(name) == Some(self)).copied().unwrap_or_default()
    }
}

/// Calls a helper that needs nothing but its arguments, whose number has been checked.
pub(super) fn call<'f>(builtin: Builtin, args: &[Val<'f>]) -> Result<Val<'f>, String> {
    let nothing = Val::Missing;
    let (one, two) = (args.first().unwrap_or(&nothing), args.get(1).unwrap_or(&nothing));
    Ok(match builtin {
        Builtin::Eq => yes(same(one, two)),
        Builtin::Ne => yes(!same(one, two)),
        Builtin::And => yes(args.iter().all(|arg| arg.is_true(false))),
        Builtin::Or => yes(args.iter().any(|arg| arg.is_true(false))),
        Builtin::Not => yes(!one.is_true(false)),
        Builtin::Len => Val::Json(Cow::Owned(len(one).into())),
        Builtin::Default => if prints_nothing(one) { two } else { one }.clone(),
        Builtin::Contains => yes(contains(one, two)),
        Builtin::Json => Val::owned(json(one)),
        Builtin::Lookup => lookup(one, two),
        // Nothing stays nothing, so that a misspelt name is noticed.
        Builtin::Xml if one.is_missing() => Val::Missing,
        Builtin::Join if one.is_missing() => Val::Missing,
        Builtin::Indent | Builtin::Fence | Builtin::Inside if two.is_missing() => Val::Missing,
        Builtin::Xml => xml(one),
        Builtin::Inside => inside(&one.printed(), two)?,
        Builtin::Fence => fence(&one.printed(), &two.printed(), args.get(2))?,
        Builtin::Join => join(one, &two.printed()),
        Builtin::Indent => indent(one, &two.printed())?,
        Builtin::Section
        | Builtin::HasTool
        | Builtin::Tool
        | Builtin::ToolDocs
        | Builtin::ToolDoc
        | Builtin::CacheBoundary => Val::Missing,
    })
}

fn yes<'f>(yes: bool) -> Val<'f> {
    Val::Json(Cow::Owned(Json::Bool(yes)))
}

/// Texts by their bytes, whatever they come from; else as JSON, where `1` and `1.0` differ.
fn same(one: &Val<'_>, other: &Val<'_>) -> bool {
    match (one, other) {
        (Val::Json(one), Val::Json(other)) => one == other,
        _ => match (one.as_text(), other.as_text()) {
            (Some(one), Some(other)) => one == other,
            (None, None) => one.is_missing() && other.is_missing(),
            _ => false,
        },
    }
}

/// Elements of a list, entries of an object, bytes of a text.
fn len(val: &Val<'_>) -> usize {
    match (val.as_text(), val) {
        (Some(text), _) => text.len(),
        (None, Val::Json(json)) => {
            json.as_array().map_or_else(|| json.as_object().map_or(0, |all| all.len()), Vec::len)
        }
        (None, _) => 0,
    }
}

fn prints_nothing(val: &Val<'_>) -> bool {
    match val {
        Val::Section(section) => section.text.trim_ascii().is_empty(),
        val => val.is_missing() || val.as_text() == Some(""),
    }
}

/// An element in a list, a key in an object, a part in a text.
fn contains(whole: &Val<'_>, part: &Val<'_>) -> bool {
    match (whole.as_text(), whole) {
        (Some(text), _) => part.as_text().is_some_and(|part| text.contains(part)),
        (None, Val::Json(json)) => match &**json {
            Json::Array(items) => items.iter().any(|item| same(&borrowed(item), part)),
            Json::Object(entries) => part.as_text().is_some_and(|key| entries.contains_key(key)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
        },
        (None, _) => false,
    }
}

fn borrowed(json: &Json) -> Val<'_> {
    Val::Json(Cow::Borrowed(json))
}

fn json(val: &Val<'_>) -> String {
    let mut out = String::new();
    match val {
        Val::Json(json) => write_json(json, &mut out),
        val => write_json(&val.to_json(), &mut out),
    }
    out
}

/// A list wants a number, an object a text.
fn lookup<'f>(collection: &Val<'f>, key: &Val<'_>) -> Val<'f> {
    let index = |key: &Val<'_>| match key {
        Val::Json(json) => json.as_u64().and_then(|index| usize::try_from(index).ok()),
        _ => None,
    };
    match collection {
        Val::Json(Cow::Borrowed(json)) => item(json, index(key), key.as_text())
            .map_or(Val::Missing, |found| Val::Json(Cow::Borrowed(found))),
        Val::Json(Cow::Owned(json)) => item(json, index(key), key.as_text())
            .map_or(Val::Missing, |found| Val::Json(Cow::Owned(found.clone()))),
        Val::Missing | Val::Text(_) | Val::Section(_) => Val::Missing,
    }
}

fn item<'j>(json: &'j Json, index: Option<usize>, key: Option<&str>) -> Option<&'j Json> {
    match json {
        Json::Array(items) => items.get(index?),
        Json::Object(entries) => entries.get(key?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    }
}

/// What is no list is printed as it is.
fn join<'f>(list: &Val<'f>, separator: &str) -> Val<'f> {
    match list {
        Val::Json(json) if json.is_array() => {
            let items = json.as_array().into_iter().flatten();
            let texts: Vec<_> = items.map(|item| borrowed(item).printed().into_owned()).collect();
            Val::owned(texts.join(separator))
        }
        _ => list.clone(),
    }
}

/// Puts `width` blanks before every line that is not empty.
fn indent<'f>(width: &Val<'_>, text: &str) -> Result<Val<'f>, String> {
    let width = match width {
        Val::Json(json) => json.as_u64().filter(|&width| width <= MAX_INDENT),
        _ => None,
    };
    let width = width.ok_or_else(|| format!("the width is not a number from 0 to {MAX_INDENT}"))?;
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        if !matches!(line, "\n" | "\r\n") {
            out.extend(std::iter::repeat_n(' ', width as usize));
        }
        out.push_str(line);
        if out.len() > MAX_OUTPUT_BYTES {
            return Err(format!("the text is larger than {} MiB", MAX_OUTPUT_BYTES >> 20));
        }
    }
    Ok(Val::owned(out))
}

/// Borrows when there is nothing to escape.
fn xml<'f>(val: &Val<'f>) -> Val<'f> {
    let text = val.printed();
    if !text.contains(['<', '>', '&']) {
        return val.clone();
    }
    Val::owned(text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
}
