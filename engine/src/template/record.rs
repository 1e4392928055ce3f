//! Records where written bytes come from.
//!
//! In: pieces, marks and finished sections, in text order. Out: the parts of a [`Traced`] without its text.
//! Never: sees the text, so that recording nothing costs nothing.

use std::ptr;
use std::sync::Arc;

use crate::diagnostic::SourceText;
use crate::trace::{CacheClass, Mark, NO_SOURCE, Piece, Source, Traced};

/// What an evaluation tells about the bytes it writes.
pub(super) trait Recorder: Default {
    /// Begins with a template of so many nodes, whose index is 0.
    fn begin(&mut self, template: &Arc<Source>, nodes: usize);

    /// The index of a partial or an inserted text.
    fn source(&mut self, text: &Arc<SourceText>) -> u32;

    fn piece(&mut self, piece: Piece);

    /// A hinge and the name of what decided, or a boundary without one; `mark.cause` is set here.
    fn mark(&mut self, mark: Mark, cause: Option<&Arc<str>>);

    /// A section whose text was written from `start` on, in a frame of that class. In a loop or a partial it may come
    /// again.
    fn splice(&mut self, section: &Traced, start: u32, class: CacheClass, again: bool);
}

/// Among how many causes a name is looked for.
const RECENT_CAUSES: usize = 32;

/// Records everything.
#[derive(Default)]
pub(super) struct Trace {
    pieces: Vec<Piece>,
    marks: Vec<Mark>,
    sources: Vec<Arc<Source>>,
    causes: Vec<Arc<str>>,
    /// Of partials and inserted texts.
    source_ids: Ids<u32>,
    /// Of a section: where its sources and its causes begin.
    section_ids: Ids<(u32, u32)>,
}

/// Indices by address, which is unique as long as the evaluation lasts. Sorted: mostly there are a few.
#[derive(Default)]
struct Ids<T>(Vec<(usize, T)>);

impl<T: Copy> Ids<T> {
    fn get(&mut self, address: usize, make: impl FnOnce() -> T) -> T {
        match self.0.binary_search_by_key(&address, |(known, _)| *known) {
            Ok(at) => self.0[at].1,
            Err(at) => {
                let id = make();
                self.0.insert(at, (address, id));
                id
            }
        }
    }
}

impl Trace {
    pub(super) fn finish(self, text: String) -> Traced {
        let Self { pieces, marks, sources, causes, .. } = self;
        Traced { text, pieces, marks, sources, causes }
    }

    /// The index of a name; looked for among the last ones only, so that a name may be there twice.
    fn cause(&mut self, cause: &Arc<str>) -> u32 {
        let recent = self.causes.len().saturating_sub(RECENT_CAUSES);
        let known = self.causes[recent..].iter().rposition(|known| Arc::ptr_eq(known, cause));
        let at = known.map_or(self.causes.len(), |at| recent + at);
        if known.is_none() {
            self.causes.push(Arc::clone(cause));
        }
        at as u32
    }

    /// Where the sources and the causes of a section begin among ours.
    fn adopt(&mut self, section: &Traced, again: bool) -> (u32, u32) {
        let mut adopt = || {
            let begin = (self.sources.len() as u32, self.causes.len() as u32);
            self.sources.extend_from_slice(&section.sources);
            if !section.causes.is_empty() {
                self.causes.extend_from_slice(&section.causes);
            }
            begin
        };
        if again { self.section_ids.get(ptr::from_ref(section).addr(), adopt) } else { adopt() }
    }
}

impl Recorder for Trace {
    fn begin(&mut self, template: &Arc<Source>, nodes: usize) {
        self.pieces.reserve(nodes + nodes / 4);
        self.sources.reserve(nodes);
        self.sources.push(Arc::clone(template));
    }

    fn source(&mut self, text: &Arc<SourceText>) -> u32 {
        self.source_ids.get(Arc::as_ptr(text).addr(), || {
            self.sources.push(Source::new(Arc::clone(text)));
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

    fn splice(&mut self, section: &Traced, start: u32, class: CacheClass, again: bool) {
        let (sources, causes) = self.adopt(section, again);
        let moved = |source| if source == NO_SOURCE { NO_SOURCE } else { source + sources };
        self.pieces.extend(section.pieces.iter().map(|piece| Piece {
            end: piece.end + start,
            class: piece.class.max(class),
            source: moved(piece.source),
            ..*piece
        }));
        if section.marks.is_empty() {
            return;
        }
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
    fn begin(&mut self, _: &Arc<Source>, _: usize) {}

    fn source(&mut self, _: &Arc<SourceText>) -> u32 {
        0
    }

    fn piece(&mut self, _: Piece) {}

    fn mark(&mut self, _: Mark, _: Option<&Arc<str>>) {}

    fn splice(&mut self, _: &Traced, _: u32, _: CacheClass, _: bool) {}
}
