//! Reads receipts: of what `build --format json` prints, the part that a replay asks for.
//!
//! In: a file, or a result of this program. Out: [`Receipt`]. Never: refuses keys that it does not know.

use std::path::Path;

use promptweave::{Ask, Code, Context, Diagnostic};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use crate::context;
use crate::failure::Failure;
use crate::files;
use promptweave_inspect::Part;

/// What was built, and what from. Keys that are not known here are none of its business.
pub(super) struct Receipt {
    pub(super) engine: String,
    pub(super) packs: Vec<Pack>,
    pub(super) variant: Variant,
    pub(super) text: String,
    sections: Vec<Section>,
    pub(super) blocks: Vec<Block>,
    pub(super) tools: Vec<String>,
    spans: Vec<Span>,
    ask: Asked,
    pub(super) context_sha256: Option<String>,
    /// Whether a session had a say, which no replay has.
    pub(super) session: bool,
    pub(super) attribution: Option<String>,
    pub(super) prefix: Option<String>,
    pub(super) user_context: Option<String>,
}

#[derive(Deserialize, PartialEq)]
pub(super) struct Pack {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) sha256: String,
}

#[derive(Deserialize)]
pub(super) struct Variant {
    pub(super) id: String,
    pub(super) version: u32,
    pub(super) level: String,
}

#[derive(Deserialize)]
struct Section {
    id: String,
    /// None where it was skipped.
    text: Option<String>,
}

#[derive(Deserialize, PartialEq)]
pub(super) struct Block {
    pub(super) text: String,
    pub(super) scope: String,
}

/// A run of bytes with one origin.
#[derive(Clone, Deserialize, Serialize)]
pub(super) struct Span {
    #[serde(skip_serializing)]
    start: usize,
    #[serde(skip_serializing)]
    end: usize,
    kind: String,
    id: Option<String>,
    class: String,
    origin: Json,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Asked {
    variant: Option<String>,
    label: Option<String>,
    tag: Option<String>,
    budget: Option<usize>,
}

const HELP: &str = "give the whole of what `promptweave build --format json` printed";

impl Receipt {
    /// Reads a file.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = files::read(path)?;
        let no_receipt = |why: &str| format!("`{}` is no receipt: {why}", files::shown(path));
        let json = Context::parse(&text).map_err(|error| {
            let (why, origin) = context::located(path, text, 1, &error);
            let why = no_receipt(&why.replace("the context", "it"));
            let told = Diagnostic::new(Code::FileUnreadable, why, origin);
            Failure::Input(Box::new(told.help(HELP)))
        })?;
        Self::of_json(&json).map_err(|why| Failure::input(no_receipt(&why), HELP))
    }

    /// Reads a result of this very program.
    pub(super) fn of(json: &Json) -> Result<Self, Failure> {
        Self::of_json(json)
            .map_err(|why| Failure::input(format!("the result is no receipt: {why}"), HELP))
    }

    /// The reason for none names a key, and never what stands there, which may be prompt text.
    fn of_json(json: &Json) -> Result<Self, String> {
        if !json.is_object() {
            return Err("it is not one JSON object".into());
        }
        Ok(Self {
            engine: one(json, "engine")?,
            packs: list(json, "packs")?,
            variant: one(json, "variant")?,
            text: one(json, "text")?,
            sections: list(json, "sections")?,
            blocks: list(json, "blocks")?,
            tools: list(json, "tools")?,
            spans: list(json, "spans")?,
            ask: one::<Option<_>>(json, "ask")?.unwrap_or_default(),
            context_sha256: one(json, "context_sha256")?,
            session: one::<Option<_>>(json, "session")?.unwrap_or_default(),
            attribution: one(json, "attribution")?,
            prefix: one(json, "prefix")?,
            user_context: one(json, "user_context")?,
        })
    }

    /// What was asked for.
    pub(super) fn ask(&self) -> Ask {
        let Asked { variant, label, tag, budget } = &self.ask;
        Ask { variant: variant.clone(), label: label.clone(), tag: tag.clone(), budget: *budget }
    }

    /// The sections that are there.
    pub(super) fn sections(&self) -> Vec<Part<()>> {
        let there = self.sections.iter().filter_map(|Section { id, text }| {
            Some(Part { name: id.clone(), text: text.clone()?, more: () })
        });
        there.collect()
    }

    /// The span that a byte belongs to; none at the text's end, or where offsets are no bytes.
    pub(super) fn span_at(&self, byte: usize) -> Option<&Span> {
        let counts_bytes = self.spans.last().is_some_and(|last| last.end == self.text.len());
        let mut spans = self.spans.iter().filter(|_| counts_bytes);
        spans.find(|span| (span.start..span.end).contains(&byte))
    }
}

/// What stands at a key; null and no key are the same.
fn one<T: DeserializeOwned>(json: &Json, key: &str) -> Result<T, String> {
    typed(&json[key], key)
}

/// The list at a key.
fn list<T: DeserializeOwned>(json: &Json, key: &str) -> Result<Vec<T>, String> {
    let entries = json[key].as_array().ok_or_else(|| wrong(&json[key], key))?;
    let typed = |(at, entry)| typed(entry, &format!("{key}[{at}]"));
    entries.iter().enumerate().map(typed).collect()
}

fn typed<T: DeserializeOwned>(json: &Json, name: &str) -> Result<T, String> {
    T::deserialize(json).map_err(|_| wrong(json, name))
}

fn wrong(json: &Json, name: &str) -> String {
    match json {
        Json::Null => format!("it has no `{name}`"),
        _ => format!("its `{name}` is not of the kind that a receipt has"),
    }
}

impl Span {
    /// Its name, its class, its place.
    pub(super) fn shown(&self) -> String {
        let name = self.id.as_deref().unwrap_or(&self.kind);
        format!("`{name}`, {}, {}", self.class, place(&self.origin))
    }
}

/// An origin in words, as results hold it: `file:line:column`, `extension/item`, `context key` or `engine`.
fn place(origin: &Json) -> String {
    let of = |keys: &[&str], between: &str| {
        let words = keys.iter().filter_map(|key| match &origin[*key] {
            Json::String(text) => Some(text.clone()),
            Json::Number(number) => Some(number.to_string()),
            _ => None,
        });
        words.collect::<Vec<_>>().join(between)
    };
    match [
        of(&["file", "line", "column"], ":"),
        of(&["extension", "item"], "/"),
        of(&["context"], ""),
    ] {
        [file, _, _] if !file.is_empty() => file,
        [_, item, _] if !item.is_empty() => item,
        [_, _, key] if !key.is_empty() => format!("context {key}"),
        _ => "engine".into(),
    }
}
