//! The finished prompt: its text, and where each byte of it comes from.
//!
//! In: what the floors below made. Out: [`Prompt`], which answers questions about itself.
//! Never: builds anything anew; what it shows is what is sent.

mod edit;
mod json;
mod layers;
mod question;
mod shape;
mod span;
mod tokens;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::blocks::{self, Block, Caching};
use crate::build::{Built, Outcome, Sections};
use crate::diagnostic::{Diagnostic, Origin};
use crate::model::{Context, Pack, Skipped, Variant};
use crate::moment::Layer;
use crate::request::Level;
use crate::select::{Ask, Asked, Selection};
use crate::trace::{CacheClass, MarkKind, Piece, PieceKind, Traced};

pub use json::{JsonOptions, Offsets, PromptJson};
pub use layers::{TextLayer, TextLayerKind};
pub(crate) use question::Memory;
use question::Question;
pub(crate) use shape::milliseconds;
pub use span::{Hinge, Span, SpanKind};
pub use tokens::{TokenMethod, TokenReport};

/// A finished prompt; cheap to clone.
///
/// Offsets and sizes are bytes of UTF-8. The spans stand in text order and cover the text without gaps.
#[derive(Clone, Debug)]
pub struct Prompt {
    frame: Arc<Frame>,
    traced: Arc<Traced>,
    sections: Arc<[Section]>,
    question: Arc<Question>,
    diagnostics: Arc<[Diagnostic]>,
}

/// What is the same whatever the sections say.
#[derive(Debug)]
struct Frame {
    selection: Arc<Selection>,
    skipped: Vec<Skipped>,
    layers: BTreeMap<Arc<str>, Layer>,
    request: Asides,
    packs: Arc<[Pack]>,
    tools: Vec<Arc<str>>,
}

/// What goes beside the text.
#[derive(Debug)]
pub(crate) struct Asides {
    pub(crate) level: Level,
    pub(crate) attribution: Option<String>,
    pub(crate) prefix: Option<String>,
    /// The first user message.
    pub(crate) user_context: Option<String>,
}

/// What a prompt is made of, besides its text.
pub(crate) struct Parts<'a> {
    pub(crate) selection: Arc<Selection>,
    /// In the order of the steps.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Those of the variant's order, and those appended at the very end.
    pub(crate) lists: &'a [Sections; 2],
    pub(crate) packs: &'a Arc<[Pack]>,
    pub(crate) tools: Vec<Arc<str>>,
    pub(crate) asides: Asides,
}

/// A section of a prompt.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Section {
    /// The component that yielded it.
    pub id: Arc<str>,
    /// Where the component is defined.
    pub origin: Origin,
    /// Its widest class.
    pub class: CacheClass,
    /// Where it stands in the text, from its first to its last byte.
    pub range: Range<usize>,
    /// For budgets: lower goes first.
    pub priority: i64,
    /// How long its component took.
    pub took: std::time::Duration,
}

impl Prompt {
    pub(crate) fn new(parts: Parts<'_>, traced: Traced, layers: BTreeMap<Arc<str>, Layer>) -> Self {
        let places = traced.places();
        let (mut present, mut skipped) = (Vec::new(), Vec::new());
        for built in parts.lists.iter().flat_map(|list| &list.all) {
            match placed(built, &places) {
                Ok(section) => present.push(section),
                Err(reason) => skipped.push(reason),
            }
        }
        let frame = Frame {
            selection: parts.selection,
            skipped,
            layers,
            request: parts.asides,
            packs: Arc::clone(parts.packs),
            tools: parts.tools,
        };
        Self {
            frame: frame.into(),
            traced: traced.into(),
            sections: present.into(),
            question: Arc::default(),
            diagnostics: parts.diagnostics.into(),
        }
    }

    /// The text with all that is known of it.
    pub(crate) fn traced(&self) -> &Traced {
        &self.traced
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.traced.text
    }

    /// The text, by value.
    pub fn into_text(self) -> String {
        match Arc::try_unwrap(self.traced) {
            Ok(traced) => traced.text,
            Err(shared) => shared.text.clone(),
        }
    }

    /// The variant it was built from.
    pub fn variant(&self) -> &Variant {
        &self.frame.selection.variant
    }

    /// Why that variant, as a sentence.
    pub fn why(&self) -> &str {
        &self.frame.selection.why
    }

    /// Which variants were asked, in order, and what each said.
    pub fn walk(&self) -> &[Asked] {
        &self.frame.selection.walk
    }

    /// The sections that are there, in the order in which they were built.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The text of a section; none when it is not there.
    pub fn section(&self, id: &str) -> Option<&str> {
        let section = self.sections.iter().find(|section| &*section.id == id)?;
        self.text().get(section.range.clone())
    }

    /// The components that have no section, with the reason.
    pub fn skipped(&self) -> &[Skipped] {
        &self.frame.skipped
    }

    /// The text in layers: sections, texts of the request, and what stands between them. Joined they
    /// are the text, none is empty.
    pub fn layers(&self) -> Vec<TextLayer> {
        layers::layers(self)
    }

    /// The layer of each name that the base template prints, or a component that ran.
    pub fn placeholders(&self) -> &BTreeMap<Arc<str>, Layer> {
        &self.frame.layers
    }

    /// The effective tools, by id.
    pub fn tools(&self) -> &[Arc<str>] {
        &self.frame.tools
    }

    /// What was asked for besides the context.
    pub fn ask(&self) -> &Ask {
        &self.question.ask
    }

    /// The context that was given.
    pub(crate) fn context(&self) -> &Context {
        &self.question.context
    }

    /// Whether earlier builds had a say.
    pub(crate) fn memory(&self) -> Memory {
        self.question.memory
    }

    /// What the text was made of: the variant, or what the request gave instead.
    pub fn level(&self) -> Level {
        self.frame.request.level
    }

    /// The request's attribution: the first block of the system prompt, alone and never cached. No part of the text.
    pub fn attribution(&self) -> Option<&str> {
        self.frame.request.attribution.as_deref()
    }

    /// The request's second block, before the text and no part of it.
    pub fn prefix(&self) -> Option<&str> {
        self.frame.request.prefix.as_deref()
    }

    /// The first user message, when the variant has components for it: their text inside `<system-reminder>`.
    pub fn user_context(&self) -> Option<&str> {
        self.frame.request.user_context.as_deref()
    }

    /// What the request is for, as the context says it: [`TtlLatch`](crate::TtlLatch) asks for it.
    pub fn query_source(&self) -> Option<&str> {
        self.question.caching.query_source.as_deref()
    }

    /// What was met while building, in the order of the steps: context, selection, tools, sections, text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The packs that the engine holds, in stacking order.
    pub fn packs(&self) -> &[Pack] {
        &self.frame.packs
    }

    /// How many bytes at the start are the same for every user of these packs with this model.
    pub fn static_head(&self) -> usize {
        self.traced.head(CacheClass::Session)
    }

    /// How many bytes at the start are the same for the session, unless a key that was read changes.
    pub fn session_head(&self) -> usize {
        self.traced.head(CacheClass::Volatile)
    }

    /// The spans, in text order.
    pub fn spans(&self) -> impl Iterator<Item = Span> + '_ {
        let mut start = 0;
        self.traced.pieces.iter().map(move |piece| {
            let range = start..piece.end as usize;
            start = range.end;
            self.span(piece, range)
        })
    }

    /// The hinges, in text order.
    pub fn hinges(&self) -> impl DoubleEndedIterator<Item = Hinge> + '_ {
        let hinges = self.traced.marks.iter().filter(|mark| mark.kind == MarkKind::Hinge);
        hinges.map(|mark| Hinge {
            at: mark.at as usize,
            class: mark.class,
            cause: self.traced.causes.get(mark.cause as usize).cloned().unwrap_or_default(),
            origin: self.origin(mark.source, mark.site as usize, 0),
        })
    }

    /// The span that a byte of the text belongs to; none at or behind its end.
    pub fn origin_at(&self, byte: usize) -> Option<Span> {
        let index = self.traced.pieces.partition_point(|piece| piece.end as usize <= byte);
        let piece = self.traced.pieces.get(index)?;
        let start = if index == 0 { 0 } else { self.traced.pieces[index - 1].end as usize };
        Some(self.span(piece, start..piece.end as usize))
    }

    /// The text in runs of one cache scope: joined they are the text, none is empty.
    ///
    /// Who shares them depends on the provider that the context names; [`deliver`](crate::deliver) asks the target too.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        self.blocks_for(self.question.caching.is_first_party().unwrap_or_default())
    }

    /// The same for Anthropic's own API, or for another.
    pub(crate) fn blocks_for(&self, first_party: bool) -> impl Iterator<Item = Block<'_>> {
        let boundary = self.boundary();
        blocks::blocks(self.text(), boundary, self.question.caching.mode(first_party, boundary))
    }

    /// Where the static block ends; 0 when there is none.
    pub(crate) fn boundary(&self) -> usize {
        blocks::boundary(self.text(), self.static_head())
    }

    /// What the context says about caching.
    pub(crate) fn caching(&self) -> &Caching {
        &self.question.caching
    }

    /// The whole result, to be written as JSON in the shape that `promptweave schema result` describes.
    pub fn json(&self, options: &JsonOptions) -> PromptJson<'_> {
        PromptJson::new(self, *options)
    }

    /// The same as a tree of values.
    pub fn to_json(&self, options: &JsonOptions) -> Json {
        self.json(options).to_json()
    }

    fn span(&self, piece: &Piece, range: Range<usize>) -> Span {
        let source = self.traced.sources.get(piece.source as usize);
        let section = source.and_then(|source| source.section.clone());
        let kind = match (piece.kind, &section) {
            (PieceKind::Tidy, _) => SpanKind::Tidy,
            (_, Some(_)) => SpanKind::Section,
            (PieceKind::Template, None) => SpanKind::Template,
            (PieceKind::Value, None) => SpanKind::Placeholder,
        };
        let at = piece.at as usize;
        let placeholder = || source.and_then(|source| name_of_tag(source.text.text.get(at..)?));
        let id = match kind {
            SpanKind::Placeholder => placeholder(),
            SpanKind::Section | SpanKind::Template | SpanKind::Tidy => section,
        };
        let len = if piece.kind == PieceKind::Template { range.len() } else { 0 };
        Span { kind, id, class: piece.class, origin: self.origin(piece.source, at, len), range }
    }

    fn origin(&self, source: u32, at: usize, len: usize) -> Origin {
        let source = self.traced.sources.get(source as usize);
        source.map(|source| source.text.origin_of(at..at + len)).unwrap_or_default()
    }
}

/// The name that a placeholder's tag prints: what stands between its braces.
fn name_of_tag(tag: &str) -> Option<Arc<str>> {
    let inner = tag.trim_start_matches(['{', '~', '&', '#', '>', ' ']);
    let end = inner.find(['}', '~', ' ']).unwrap_or(inner.len());
    (end > 0).then(|| inner[..end].into())
}

fn placed(built: &Built, places: &BTreeMap<Arc<str>, Range<usize>>) -> Result<Section, Skipped> {
    let (class, priority) = match &built.outcome {
        Outcome::Section { class, priority, .. } => (*class, *priority),
        Outcome::Skipped { .. } => return Err(built.skipped()),
    };
    let id = Arc::clone(built.id.shared());
    let range = places.get(&id).cloned().ok_or_else(|| built.skipped())?;
    let class = class.max(built.presence);
    Ok(Section { id, origin: built.origin.clone(), class, range, priority, took: built.took })
}
