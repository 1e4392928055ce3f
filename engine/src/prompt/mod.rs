//! The finished prompt: its text, and where each byte of it comes from.
//!
//! In: what the floors below made. Out: [`Prompt`], which answers questions about itself.
//! Never: builds anything anew; what it shows is what is sent.

mod json;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value as Json;

use crate::blocks::{self, Block, Request};
use crate::build::{Built, Outcome, Sections};
use crate::diagnostic::{Diagnostic, Origin};
use crate::model::{Pack, Skipped, Variant};
use crate::moment::{Layer, Moment};
use crate::render::Rendered;
use crate::select::{Asked, Selection};
use crate::trace::{CacheClass, MarkKind, Piece, PieceKind, Traced};

pub use json::{JsonOptions, Offsets};

/// A finished prompt.
///
/// Offsets and sizes are bytes of UTF-8. The spans stand in text order and cover the text without gaps.
#[derive(Debug)]
pub struct Prompt {
    selection: Selection,
    traced: Traced,
    sections: Vec<Section>,
    skipped: Vec<Skipped>,
    layers: BTreeMap<Arc<str>, Layer>,
    user_context: Option<String>,
    packs: Arc<[Pack]>,
    tools: Vec<Arc<str>>,
    request: Request,
    diagnostics: Vec<Diagnostic>,
}

/// What a prompt is made of, besides its text.
pub(crate) struct Parts<'a> {
    pub(crate) selection: Selection,
    /// What was met before anything was built.
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) moment: &'a Moment<'a>,
    pub(crate) packs: &'a Arc<[Pack]>,
    pub(crate) request: Request,
    pub(crate) sections: Sections,
    /// The components appended at the very end.
    pub(crate) ending: Sections,
    /// The components of the first user message, and their text.
    pub(crate) aside: Sections,
    pub(crate) user_context: String,
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

/// A run of bytes with one origin.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Span {
    /// Where it stands.
    pub range: Range<usize>,
    /// What wrote it.
    pub kind: SpanKind,
    /// The section or placeholder, by name.
    pub id: Option<Arc<str>>,
    /// How stable it is.
    pub class: CacheClass,
    /// Where it comes from.
    pub origin: Origin,
}

/// What wrote a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// The base template's own text.
    Template,
    /// A component.
    Section,
    /// A placeholder of the base template that is no section.
    Placeholder,
    /// Tidying, or a separator.
    Tidy,
}

impl SpanKind {
    /// `template`, `section`, `placeholder` or `tidy`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Template => "template",
            Self::Section => "section",
            Self::Placeholder => "placeholder",
            Self::Tidy => "tidy",
        }
    }
}

/// A place where a value that is not static decided what stands there, even when it printed nothing.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hinge {
    /// Where in the text.
    pub at: usize,
    /// The class of what decided.
    pub class: CacheClass,
    /// What decided, e.g. `user.language`.
    pub cause: Arc<str>,
    /// The tag that asked.
    pub origin: Origin,
}

impl Prompt {
    pub(crate) fn new(parts: Parts<'_>, rendered: Rendered) -> Self {
        let Parts {
            selection,
            mut diagnostics,
            moment,
            packs,
            request,
            sections,
            ending,
            aside,
            user_context,
        } = parts;
        let Rendered { traced, layers, diagnostics: of_rendering } = rendered;
        diagnostics.extend(selection.diagnostics.iter().cloned());
        diagnostics.extend(moment.diagnostics());
        let places = places(&traced);
        let (mut present, mut skipped) = (Vec::new(), Vec::new());
        for built in sections.all.iter().chain(&ending.all) {
            match placed(built, &places) {
                Ok(section) => present.push(section),
                Err(reason) => skipped.push(reason),
            }
        }
        let of_building = [sections.told, ending.told, aside.told].into_iter().flatten();
        diagnostics.extend(of_building.chain(of_rendering));
        Self {
            selection,
            traced,
            sections: present,
            skipped,
            layers,
            user_context: (!user_context.is_empty()).then_some(user_context),
            packs: Arc::clone(packs),
            tools: moment.tools.ids().map(Arc::from).collect(),
            request,
            diagnostics,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.traced.text
    }

    /// The text, by value.
    pub fn into_text(self) -> String {
        self.traced.text
    }

    /// The variant it was built from.
    pub fn variant(&self) -> &Variant {
        &self.selection.variant
    }

    /// Why that variant, as a sentence.
    pub fn why(&self) -> &str {
        &self.selection.why
    }

    /// Which variants were asked, in order, and what each said.
    pub fn walk(&self) -> &[Asked] {
        &self.selection.walk
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
        &self.skipped
    }

    /// The layer of each name that the base template prints, or a component that ran.
    pub fn placeholders(&self) -> &BTreeMap<Arc<str>, Layer> {
        &self.layers
    }

    /// The effective tools, by id.
    pub fn tools(&self) -> &[Arc<str>] {
        &self.tools
    }

    /// What goes before the user's first words, when the variant has such components.
    pub fn user_context(&self) -> Option<&str> {
        self.user_context.as_deref()
    }

    /// What the request is for, as the context says it: [`TtlLatch`](crate::TtlLatch) asks for it.
    pub fn query_source(&self) -> Option<&str> {
        self.request.query_source.as_deref()
    }

    /// What was met while building, in the order of the steps: context, selection, tools, sections, text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The packs that the engine holds, in stacking order.
    pub fn packs(&self) -> &[Pack] {
        &self.packs
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
    pub fn hinges(&self) -> impl Iterator<Item = Hinge> + '_ {
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
        self.blocks_for(self.request.is_first_party().unwrap_or_default())
    }

    /// The same for Anthropic's own API, or for another.
    pub(crate) fn blocks_for(&self, first_party: bool) -> impl Iterator<Item = Block<'_>> {
        let boundary = self.boundary();
        blocks::blocks(self.text(), boundary, self.request.mode(first_party, boundary))
    }

    /// Where the static block ends; 0 when there is none.
    pub(crate) fn boundary(&self) -> usize {
        blocks::boundary(self.text(), self.static_head())
    }

    /// What the context says about the request.
    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// The whole result as JSON, in the shape that `promptweave schema result` describes.
    pub fn to_json(&self, options: &JsonOptions) -> Json {
        json::prompt(self, options)
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

/// Where each section stands: from its first to its last byte.
fn places(traced: &Traced) -> BTreeMap<Arc<str>, Range<usize>> {
    let mut places: BTreeMap<Arc<str>, Range<usize>> = BTreeMap::new();
    let mut start = 0;
    for piece in &traced.pieces {
        let range = start..piece.end as usize;
        start = range.end;
        let section =
            traced.sources.get(piece.source as usize).and_then(|source| source.section.as_ref());
        let Some(section) = section else { continue };
        if let Some(place) = places.get_mut(section) {
            place.end = range.end;
        } else {
            places.insert(Arc::clone(section), range);
        }
    }
    places
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
