//! Records where written bytes come from.
//!
//! In: pieces, marks and finished sections, in text order. Out: the parts of a [`Traced`] without its text.
//! Never: sees the text, so that recording nothing costs nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::SourceText;
use crate::trace::{CacheClass, Mark, NO_SOURCE, Piece, PieceKind, Source, Traced};

/// What an evaluation tells about the bytes it writes.
pub(super) trait Recorder: Default {
    /// Expects about so many pieces.
    fn reserve(&mut self, pieces: usize);

    /// The index of a template.
    fn source(&mut self, text: &Arc<SourceText>) -> u32;

    fn piece(&mut self, piece: Piece);

    /// A hinge and the name of what decided, or a boundary without one; `mark.cause` is set here.
    fn mark(&mut self, mark: Mark, cause: Option<&Arc<str>>);

    /// A section whose text was written from `start` on, in a frame of that class.
    fn splice(&mut self, section: &Traced, start: u32, class: CacheClass);
}

/// Records everything.
#[derive(Default)]
pub(super) struct Trace {
    pieces: Vec<Piece>,
    marks: Vec<Mark>,
    sources: Vec<Source>,
    causes: Vec<Arc<str>>,
    /// Indices by address; what they belong to lives as long as the evaluation.
    source_ids: BTreeMap<usize, u32>,
    cause_ids: BTreeMap<usize, u32>,
    /// Of a section: where its sources and its causes begin.
    section_ids: BTreeMap<usize, (u32, u32)>,
}

impl Trace {
    pub(super) fn finish(self, text: String) -> Traced {
        let Self { pieces, marks, sources, causes, .. } = self;
        Traced { text, pieces, marks, sources, causes }
    }

    fn cause(&mut self, cause: &Arc<str>) -> u32 {
        *self.cause_ids.entry(Arc::as_ptr(cause).addr()).or_insert_with(|| {
            self.causes.push(Arc::clone(cause));
            self.causes.len() as u32 - 1
        })
    }

    /// Where the sources and the causes of a section begin among ours.
    fn adopt(&mut self, section: &Traced) -> (u32, u32) {
        let address = std::ptr::from_ref(section).addr();
        *self.section_ids.entry(address).or_insert_with(|| {
            let begin = (self.sources.len() as u32, self.causes.len() as u32);
            self.sources.extend_from_slice(&section.sources);
            self.causes.extend_from_slice(&section.causes);
            begin
        })
    }
}

impl Recorder for Trace {
    fn reserve(&mut self, pieces: usize) {
        self.pieces.reserve(pieces);
    }

    fn source(&mut self, text: &Arc<SourceText>) -> u32 {
        *self.source_ids.entry(Arc::as_ptr(text).addr()).or_insert_with(|| {
            self.sources.push(Source { text: Arc::clone(text), section: None });
            self.sources.len() as u32 - 1
        })
    }

    fn piece(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    fn mark(&mut self, mark: Mark, cause: Option<&Arc<str>>) {
        let cause = cause.map_or(0, |cause| self.cause(cause));
        self.marks.push(Mark { cause, ..mark });
    }

    fn splice(&mut self, section: &Traced, start: u32, class: CacheClass) {
        let (sources, causes) = self.adopt(section);
        let moved = |source| if source == NO_SOURCE { NO_SOURCE } else { source + sources };
        self.pieces.extend(section.pieces.iter().map(|piece| Piece {
            end: piece.end + start,
            kind: PieceKind::Value,
            class: piece.class.max(class),
            source: moved(piece.source),
            at: piece.at,
        }));
        self.marks.extend(section.marks.iter().map(|mark| Mark {
            at: mark.at + start,
            source: moved(mark.source),
            cause: mark.cause.wrapping_add(causes),
            ..*mark
        }));
    }
}

/// Records nothing.
#[derive(Default)]
pub(super) struct Silent;

impl Recorder for Silent {
    fn reserve(&mut self, _: usize) {}

    fn source(&mut self, _: &Arc<SourceText>) -> u32 {
        0
    }

    fn piece(&mut self, _: Piece) {}

    fn mark(&mut self, _: Mark, _: Option<&Arc<str>>) {}

    fn splice(&mut self, _: &Traced, _: u32, _: CacheClass) {}
}
