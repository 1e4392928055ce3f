//! What code sees while it runs, and what it gives back.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::diagnostic::Origin;
use crate::model::{Context, Variant, VariantId};

/// What an item may read: the context, the variant, the sections before it. Reads are recorded: they
/// decide how stable the item's text is.
pub struct Inputs<'a> {
    context: &'a Context,
    variant: &'a Variant,
    sections: &'a dyn Fn(&str) -> Option<&'a str>,
    /// Absent: everything may be read.
    declared: Option<&'a [String]>,
    reads: RefCell<Reads>,
}

/// What an item read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) keys: BTreeSet<String>,
    pub(crate) sections: BTreeSet<String>,
    pub(crate) refused: BTreeSet<String>,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(
        context: &'a Context,
        variant: &'a Variant,
        sections: &'a dyn Fn(&str) -> Option<&'a str>,
        declared: Option<&'a [String]>,
    ) -> Self {
        Self { context, variant, sections, declared, reads: RefCell::default() }
    }

    /// The context value at a dotted path. An item that declared what it reads gets nothing else.
    pub fn get(&self, path: &str) -> Option<&'a Json> {
        if !self.may_read(path) {
            self.reads.borrow_mut().refused.insert(path.into());
            return None;
        }
        self.reads.borrow_mut().keys.insert(path.into());
        self.context.get(path)
    }

    /// The string at a dotted path.
    pub fn text(&self, path: &str) -> Option<&'a str> {
        self.get(path).and_then(Json::as_str)
    }

    /// The text of a section that was built before this one.
    pub fn section(&self, id: &str) -> Option<&'a str> {
        self.reads.borrow_mut().sections.insert(id.into());
        (self.sections)(id)
    }

    /// The variant that is being built, or asked.
    pub fn variant(&self) -> &'a VariantId {
        &self.variant.id
    }

    /// The variant's family.
    pub fn family(&self) -> &'a str {
        &self.variant.family
    }

    pub(crate) fn into_reads(self) -> Reads {
        self.reads.into_inner()
    }

    fn may_read(&self, path: &str) -> bool {
        let below = |key: &String| {
            path.strip_prefix(key.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.declared.is_none_or(|keys| keys.iter().any(below))
    }
}

/// A text with, where its author knows them, the origins of its parts.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The text of the section.
    pub text: String,
    /// Byte ranges of the text, in order, with where they come from.
    pub origins: Vec<(Range<usize>, Origin)>,
}

impl Output {
    /// A text alone.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), origins: Vec::new() }
    }

    /// Appends a text that comes from a named place, e.g. a rules file.
    pub fn push(&mut self, text: &str, origin: Origin) {
        let start = self.text.len();
        self.text.push_str(text);
        self.origins.push((start..self.text.len(), origin));
    }
}

/// The origin of an item of an extension.
pub(crate) fn item_origin(item: &str) -> Origin {
    let (extension, id) = item.split_once('/').unwrap_or(("", item));
    Origin::Item { extension: Arc::from(extension), item: Arc::from(id) }
}
