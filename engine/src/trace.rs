//! Text that knows, for every byte, where it comes from and how stable it is.
//!
//! In: pieces as they are written, in order. Out: [`Traced`], what templates yield, tidying edits and the prompt keeps.
//! Never: resolves an origin; pieces hold indices, and the prompt looks them up when asked.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Origin, SourceText};

/// How often a text changes, from the most to the least stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum CacheClass {
    /// The same bytes for every user of the pack with this model.
    #[default]
    Static,
    /// The same until the session is reset, unless a context key that was read changes.
    Session,
    /// May differ in each build.
    Volatile,
}

impl CacheClass {
    /// `static`, `session` or `volatile`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Session => "session",
            Self::Volatile => "volatile",
        }
    }
}

impl fmt::Display for CacheClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What wrote a run of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// Template text, as it stands in the source.
    Template,
    /// A value: a placeholder, a section, a context value, a helper's result. May be empty.
    Value,
    /// Bytes that tidying put there.
    Tidy,
}

/// A run of bytes with one origin and one class. Pieces stand in text order and cover the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where the run ends; it starts where the one before ends.
    pub end: u32,
    /// What wrote it.
    pub kind: PieceKind,
    /// How stable it is.
    pub class: CacheClass,
    /// Which of [`Traced::sources`] it points into; `NO_SOURCE` for tidying.
    pub source: u32,
    /// Byte offset in that source: of template text, of the tag that printed a value.
    pub at: u32,
}

/// The source index of bytes that tidying made.
pub(crate) const NO_SOURCE: u32 = u32::MAX;

/// What a [`Mark`] says about its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkKind {
    /// A hinge: a value that is not static decided what stands here, even when it printed nothing.
    Hinge,
    /// The template asserts that all before this place is static.
    Boundary,
}

/// A place in the text that tidying carries along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub kind: MarkKind,
    /// Byte offset in the text.
    pub at: u32,
    /// Of a hinge: the class of what decided, never static. Static for a boundary.
    pub class: CacheClass,
    /// Which of [`Traced::sources`] holds the tag.
    pub source: u32,
    /// Byte offset of the tag in that source.
    pub site: u32,
    /// Which of [`Traced::causes`] decided; unused by a boundary.
    pub cause: u32,
}

/// What a source index points to: a text, and the section it was written for.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The template or literal text; offsets of pieces and marks are byte offsets in it.
    pub text: Arc<SourceText>,
    /// The component whose section this is; none in the base template.
    pub section: Option<Arc<str>>,
}

impl Source {
    /// A source that belongs to no section yet.
    pub(crate) fn new(text: Arc<SourceText>) -> Arc<Self> {
        Arc::new(Self { text, section: None })
    }
}

/// Text with its pieces and marks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Traced {
    pub text: String,
    /// In text order; they cover the text. Empty ones are kept until tidying is done.
    pub pieces: Vec<Piece>,
    /// In the order in which the template reached them; offsets never fall.
    pub marks: Vec<Mark>,
    /// Shared: a section's sources are those of the prompt that prints it too.
    pub sources: Vec<Arc<Source>>,
    /// Names of what decided at hinges, e.g. `user.language`.
    pub causes: Vec<Arc<str>>,
}

impl Traced {
    /// Appends bytes that belong to no source.
    pub(crate) fn glue(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        let class = self.pieces.last().map_or(CacheClass::Static, |piece| piece.class);
        let end = self.text.len() as u32;
        self.pieces.push(Piece { end, kind: PieceKind::Tidy, class, source: NO_SOURCE, at: 0 });
    }

    /// Appends a text, behind a separator that belongs to no source.
    pub(crate) fn append(&mut self, separator: &str, other: &Traced) {
        self.glue(separator);
        let (start, sources, causes) =
            (self.text.len() as u32, self.sources.len() as u32, self.causes.len() as u32);
        self.text.push_str(&other.text);
        self.pieces.extend(other.pieces.iter().map(|piece| Piece {
            end: piece.end + start,
            source: piece.source.saturating_add(sources),
            ..*piece
        }));
        self.marks.extend(other.marks.iter().map(|mark| Mark {
            at: mark.at + start,
            source: mark.source.saturating_add(sources),
            cause: mark.cause.saturating_add(causes),
            ..*mark
        }));
        self.sources.extend_from_slice(&other.sources);
        self.causes.extend_from_slice(&other.causes);
    }

    /// Puts a mark at the end; `origin` is where it was decided.
    pub(crate) fn mark(&mut self, kind: MarkKind, class: CacheClass, cause: &str, origin: &Origin) {
        let at = self.text.len() as u32;
        let (source, index) = (self.sources.len() as u32, self.causes.len() as u32);
        self.sources.push(Source::new(SourceText::new("", origin.clone())));
        self.causes.push(cause.into());
        self.marks.push(Mark { kind, at, class, source, site: 0, cause: index });
    }

    /// Puts a hinge at the start: something that is not static decided that this text stands here.
    pub(crate) fn decide(&mut self, class: CacheClass, cause: Option<&str>) {
        if class == CacheClass::Static {
            return;
        }
        let index = self.causes.len() as u32;
        self.causes.push(cause.unwrap_or("unknown").into());
        let mark = Mark { kind: MarkKind::Hinge, at: 0, class, source: 0, site: 0, cause: index };
        self.marks.insert(0, mark);
        for piece in &mut self.pieces {
            piece.class = piece.class.max(class);
        }
    }

    /// Where each section stands: from its first to its last byte.
    pub(crate) fn places(&self) -> BTreeMap<Arc<str>, Range<usize>> {
        let mut places: BTreeMap<Arc<str>, Range<usize>> = BTreeMap::new();
        let mut start = 0;
        for piece in &self.pieces {
            let range = start..piece.end as usize;
            start = range.end;
            let source = self.sources.get(piece.source as usize);
            let Some(section) = source.and_then(|source| source.section.as_ref()) else { continue };
            if let Some(place) = places.get_mut(section) {
                place.end = range.end;
            } else {
                places.insert(Arc::clone(section), range);
            }
        }
        places
    }

    /// Takes the empty pieces out: they mattered to tidying alone.
    pub(crate) fn drop_empty_pieces(&mut self) {
        let mut start = 0;
        self.pieces.retain(|piece| std::mem::replace(&mut start, piece.end) < piece.end);
    }

    /// Where the first thing of at least this class stands; the text's end when there is none.
    pub(crate) fn head(&self, class: CacheClass) -> usize {
        let hinges = self.marks.iter().filter(|mark| mark.kind == MarkKind::Hinge);
        let hinge = hinges.filter(|mark| mark.class >= class).map(|mark| mark.at as usize).min();
        let wide = self.pieces.iter().position(|piece| piece.class >= class);
        let piece = wide.map(|at| if at == 0 { 0 } else { self.pieces[at - 1].end as usize });
        hinge.into_iter().chain(piece).chain([self.text.len()]).min().unwrap_or_default()
    }
}
