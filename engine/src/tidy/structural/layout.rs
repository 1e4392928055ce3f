//! Where the values of a text stand.
//!
//! In: a text and its pieces. Out: its values and holes, in order.
//! Never: copies text.

use std::ops::Range;

use super::Level;
use super::line::is_blank;
use std::sync::Arc;

use crate::tidy::LF;
use crate::trace::{Piece, PieceKind, Source, Traced};

/// A text, and which of its bytes are values'.
pub(super) struct Layout<'t> {
    pub bytes: &'t [u8],
    /// Runs of bytes that values printed, none empty, none touching the next.
    pub values: Vec<Range<usize>>,
    /// Where tags stand that printed nothing.
    pub holes: Vec<usize>,
    pub level: Level,
}

impl<'t> Layout<'t> {
    pub(super) fn of(traced: &'t Traced, level: Level) -> Self {
        let bytes = traced.text.as_bytes();
        let mut layout = Self { bytes, values: Vec::new(), holes: Vec::new(), level };
        let mut start = 0;
        for piece in &traced.pieces {
            let end = piece.end as usize;
            if is_value(piece, &traced.sources) {
                layout.push(start..end);
            }
            start = end;
        }
        layout
    }

    fn push(&mut self, value: Range<usize>) {
        if value.is_empty() {
            self.holes.push(value.start);
            return;
        }
        match self.values.last_mut() {
            Some(last) if last.end == value.start => last.end = value.end,
            _ => self.values.push(value),
        }
    }

    /// The end of the last value that starts before `at`, or `at` where that is inside it; 0 without one.
    pub(super) fn value_end_before(&self, at: usize) -> usize {
        let behind = self.values.partition_point(|value| value.start < at);
        self.values[..behind].last().map_or(0, |value| value.end.min(at))
    }

    /// The first value that ends behind `at`.
    pub(super) fn value_after(&self, at: usize) -> Option<&Range<usize>> {
        self.values.get(self.values.partition_point(|value| value.end <= at))
    }

    /// Whether the byte at `at` is a blank or a line feed.
    pub(super) fn is_void(&self, at: usize) -> bool {
        self.bytes[at] == LF || is_blank(self.bytes[at])
    }
}

/// Whether a text is of values alone, so that there is nothing to tidy.
pub(super) fn is_all_value(traced: &Traced) -> bool {
    let mut end = 0;
    let mut printed =
        traced.pieces.iter().filter(|piece| std::mem::replace(&mut end, piece.end) < piece.end);
    printed.all(|piece| is_value(piece, &traced.sources)) && end as usize == traced.text.len()
}

/// Whether `piece` counts as a value: each finished section does, with all its pieces.
fn is_value(piece: &Piece, sources: &[Arc<Source>]) -> bool {
    match piece.kind {
        PieceKind::Value => true,
        PieceKind::Template | PieceKind::Tidy => {
            let source = sources.get(piece.source as usize);
            source.is_some_and(|source| source.section.is_some())
        }
    }
}
