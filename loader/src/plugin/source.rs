//! Where the values that a call brings along are read.

use std::borrow::Cow;

use promptweave::{Build, Context, Inputs, Variant};
use promptweave_abi::ValueKind;
use serde_json::{Value as Json, json};

use crate::frame::{Call, Value};
use crate::guest::kind_of;
use crate::process::Prepared;
use crate::table::Item;

/// What a call reads from.
pub(crate) trait Source {
    /// A value of the context.
    fn value(&self, key: &str) -> Option<&Json>;
    /// The text of an earlier section.
    fn section(&self, id: &str) -> Option<&str>;
    /// The variant's id; empty where there is no variant yet.
    fn variant_id(&self) -> &str;
    /// What `variant()` shows; null where there is no variant yet.
    fn variant(&self) -> Json;
    /// The whole context.
    fn context(&self) -> Option<&Json>;
}

/// An item's own turn; what it reads is recorded.
impl Source for Inputs<'_> {
    fn value(&self, key: &str) -> Option<&Json> {
        self.get(key)
    }

    fn section(&self, id: &str) -> Option<&str> {
        Inputs::section(self, id)
    }

    fn variant_id(&self) -> &str {
        Inputs::variant(self).id.as_str()
    }

    fn variant(&self) -> Json {
        shown(Inputs::variant(self), &self.labels())
    }

    fn context(&self) -> Option<&Json> {
        Inputs::context(self).map(Context::as_json)
    }
}

/// The start of a build.
impl Source for Build<'_> {
    fn value(&self, key: &str) -> Option<&Json> {
        self.context.get(key)
    }

    fn section(&self, _: &str) -> Option<&str> {
        None
    }

    fn variant_id(&self) -> &str {
        self.variant.id.as_str()
    }

    fn variant(&self) -> Json {
        shown(self.variant, self.labels)
    }

    fn context(&self) -> Option<&Json> {
        Some(self.context.as_json())
    }
}

/// A probe: no variant was chosen yet.
impl Source for Context {
    fn value(&self, key: &str) -> Option<&Json> {
        self.get(key)
    }

    fn section(&self, _: &str) -> Option<&str> {
        None
    }

    fn variant_id(&self) -> &'static str {
        ""
    }

    fn variant(&self) -> Json {
        Json::Null
    }

    fn context(&self) -> Option<&Json> {
        Some(self.as_json())
    }
}

/// Reads all that an item may read: what it yields is as stable as that, wherever it runs.
pub(super) fn read_all(item: &Item, source: &dyn Source) {
    item.deps.iter().for_each(|dep| _ = source.value(dep));
    if item.wants_context {
        source.context();
    }
}

/// The call of these items, with everything that they declare.
pub(super) fn prepare(source: &dyn Source, items: &[&Item]) -> Prepared {
    let variant = source.variant().to_string();
    let wanted = items.iter().any(|item| item.wants_context);
    let context = wanted.then(|| source.context()).flatten();
    let context = context.map(Json::to_string).unwrap_or_default();
    let keys = distinct(items.iter().flat_map(|item| &item.deps));
    let values = keys.filter_map(|key| Some(value(key, source.value(key)?))).collect();
    let sections = distinct(items.iter().flat_map(|item| &item.sections));
    let sections = sections.filter_map(|id| Some((id, source.section(id)?))).collect();
    Prepared::new(&Call {
        variant: &variant,
        context: &context,
        values,
        sections,
        items: Vec::new(),
    })
}

fn distinct<'a>(texts: impl Iterator<Item = &'a String>) -> impl Iterator<Item = &'a str> {
    let mut texts: Vec<&str> = texts.map(String::as_str).collect();
    texts.sort_unstable();
    texts.dedup();
    texts.into_iter()
}

fn value<'a>(key: &'a str, json: &'a Json) -> Value<'a> {
    let (kind, text) = match json {
        Json::String(text) => (ValueKind::STRING, Cow::Borrowed(text.as_str())),
        other => (kind_of(other), Cow::Owned(other.to_string())),
    };
    Value { key, kind, text }
}

fn shown(variant: &Variant, labels: &[&str]) -> Json {
    let placeholders = variant.placeholders.iter();
    let placeholders: serde_json::Map<String, Json> =
        placeholders.map(|(name, own)| (name.to_string(), own.value.clone())).collect();
    json!({
        "id": variant.id.as_str(),
        "version": variant.version,
        "family": &*variant.family,
        "labels": labels,
        "tags": variant.tags.iter().map(|tag| &**tag).collect::<Vec<_>>(),
        "placeholders": placeholders,
    })
}
