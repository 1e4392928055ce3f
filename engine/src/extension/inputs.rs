//! What code sees while it runs, and what it gives back.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::{Context, Variant, dotted};
use crate::registry::Registry;
use crate::trace::CacheClass;

/// What an item may read: the context, the variant, the sections before it. Reads are recorded: they
/// decide how stable the item's text is.
pub struct Inputs<'a> {
    registry: &'a Registry,
    context: &'a Context,
    variant: &'a Variant,
    sections: Option<&'a Earlier<'a>>,
    /// Absent: everything may be read.
    declared: Option<&'a [Arc<str>]>,
    build: u64,
    reads: RefCell<Reads>,
}

/// The texts of the sections that were built before, by id.
type Earlier<'a> = dyn Fn(&str) -> Option<&'a str> + 'a;

/// What an item read, and what it said beside its answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    pub(crate) keys: BTreeSet<String>,
    pub(crate) sections: BTreeSet<String>,
    refused: BTreeSet<String>,
    reported: Vec<Diagnostic>,
    /// The widest class that the item itself chose, and why.
    pub(crate) widened: Option<(CacheClass, String)>,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(
        registry: &'a Registry,
        context: &'a Context,
        variant: &'a Variant,
        declared: Option<&'a [Arc<str>]>,
    ) -> Self {
        let reads = RefCell::default();
        Self { registry, context, variant, sections: None, declared, build: 0, reads }
    }

    /// The same with the sections that were built before.
    pub(crate) fn after(self, sections: &'a Earlier<'a>) -> Self {
        Self { sections: Some(sections), ..self }
    }

    /// The same in the build of that number.
    pub(crate) fn in_build(self, build: u64) -> Self {
        Self { build, ..self }
    }

    /// For a helper a number that no other build of this process has, so that what all its calls cost in
    /// one build can be bounded; 0 for other items. It must not decide what an item answers.
    pub fn build(&self) -> u64 {
        self.build
    }

    /// The context value at a dotted path, such as `tools[0].name` or `tools.0.name`. An item that declared
    /// what it reads gets nothing else.
    pub fn get(&self, path: &str) -> Option<&'a Json> {
        let path = dotted(path);
        let mut reads = self.reads.borrow_mut();
        if self.declared.is_some_and(|keys| !keys.iter().any(|key| covers(key, &path))) {
            reads.refused.insert(path.into());
            return None;
        }
        let value = self.context.get(&path);
        reads.keys.insert(path.into());
        value
    }

    /// The whole context, for an item that did not declare what it reads; its answer is volatile then.
    pub fn context(&self) -> Option<&'a Context> {
        if self.declared.is_some() {
            return None;
        }
        self.widen(CacheClass::Volatile, "the whole context");
        Some(self.context)
    }

    /// The string at a dotted path.
    pub fn text(&self, path: &str) -> Option<&'a str> {
        self.get(path).and_then(Json::as_str)
    }

    /// The text of a section that was built before this one; matchers and helpers see none.
    pub fn section(&self, id: &str) -> Option<&'a str> {
        self.reads.borrow_mut().sections.insert(id.into());
        self.sections?(id)
    }

    /// The variant that is being built, or asked.
    pub fn variant(&self) -> &'a Variant {
        self.variant
    }

    /// The labels of that version of the variant.
    pub fn labels(&self) -> Vec<&'a str> {
        self.registry.labels(self.variant)
    }

    /// Tells the reader of the build something, whatever the item then answers, even when it fails. The severity stays as
    /// it is given; [`Origin::Engine`] stands for the item.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.reads.borrow_mut().reported.push(diagnostic);
    }

    /// Says that what the item answers in this build changes at least as often as `class` says, and why. A class
    /// is never narrowed; the answer of a matcher has none.
    pub fn widen(&self, class: CacheClass, reason: &str) {
        let widened = &mut self.reads.borrow_mut().widened;
        if widened.as_ref().is_none_or(|(before, _)| class > *before) {
            *widened = Some((class, reason.into()));
        }
    }

    pub(crate) fn into_reads(self) -> Reads {
        self.reads.into_inner()
    }
}

impl Reads {
    /// What decides the class of an answer.
    pub(crate) fn of(
        keys: BTreeSet<String>,
        sections: BTreeSet<String>,
        widened: Option<(CacheClass, String)>,
    ) -> Self {
        Self { keys, sections, widened, ..Self::default() }
    }

    /// What was reported, and which keys were refused; `whose` names the item, e.g. `` matcher `gateway` ``.
    pub(crate) fn told(&mut self, whose: &str, item: &Origin) -> Vec<Diagnostic> {
        let reported = std::mem::take(&mut self.reported).into_iter();
        let mut told: Vec<_> = reported.map(|one| one.of(item)).collect();
        told.extend(self.refused.iter().map(|key| {
            let message = format!("{whose} reads `{key}` without declaring it");
            Diagnostic::new(Code::InputUndeclared, message, item.clone())
                .help("it got nothing; add the key to those that it reads")
        }));
        told
    }
}

/// Whether a path is that of a key, or lies below it.
pub(crate) fn covers(key: &str, path: &str) -> bool {
    path.strip_prefix(key).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
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
