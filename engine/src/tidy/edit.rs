//! What tidying does to a text: ranges go, line feeds come.
//!
//! In: a text and its [`Edits`] in text order. Out: the edited text, its pieces and its marks.
//! Never: decides what to edit.

use std::ops::Range;

use super::marks;
use crate::trace::{CacheClass, NO_SOURCE, Piece, PieceKind, Traced};

/// A range that goes or, where it is empty, the place of a line feed that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    start: u32,
    end: u32,
}

impl Edit {
    pub(super) fn start(self) -> usize {
        self.start as usize
    }

    pub(super) fn end(self) -> usize {
        self.end as usize
    }

    /// Whether this puts a line feed.
    pub(super) fn is_break(self) -> bool {
        self.start == self.end
    }
}

/// Edits in text order; they never overlap.
#[derive(Debug, Default)]
pub(super) struct Edits(Vec<Edit>);

impl Edits {
    /// Drops `range`, which starts no earlier than the last edit ends.
    pub(super) fn drop(&mut self, range: Range<usize>) {
        let (start, end) = (range.start as u32, range.end as u32);
        match self.0.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.end == start && !last.is_break() => last.end = end,
            _ => self.0.push(Edit { start, end }),
        }
    }

    /// Puts a line feed at `at`, which is no earlier than the last edit's end.
    pub(super) fn line_break(&mut self, at: usize) {
        self.0.push(Edit { start: at as u32, end: at as u32 });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Edits text, pieces and marks. Without edits nothing is copied.
    pub(super) fn apply(&self, traced: &mut Traced, spare: &mut Spare) {
        marks::carry(&mut traced.marks, &self.0);
        match self.0[..] {
            [] => {}
            [edit] if edit.end() == traced.text.len() && !edit.is_break() => {
                truncate(traced, edit.start());
            }
            _ => {
                self.write_pieces(&traced.pieces, &mut spare.pieces);
                std::mem::swap(&mut traced.pieces, &mut spare.pieces);
                if let Some(middle) = self.middle(traced.text.len()) {
                    traced.text.truncate(middle.end);
                    traced.text.drain(..middle.start);
                    return;
                }
                self.write_text(&traced.text, &mut spare.text);
                std::mem::swap(&mut traced.text, &mut spare.text);
            }
        }
    }

    /// What stays of a text of `len` bytes, when nothing goes but its ends.
    fn middle(&self, len: usize) -> Option<Range<usize>> {
        let mut middle = 0..len;
        for edit in &self.0 {
            match (edit.start(), edit.end()) {
                _ if edit.is_break() => return None,
                (0, end) => middle.start = end,
                (start, end) if end == len => middle.end = start,
                _ => return None,
            }
        }
        Some(middle)
    }

    fn write_text(&self, text: &str, edited: &mut String) {
        let dropped: usize = self.0.iter().map(|edit| edit.end() - edit.start()).sum();
        edited.clear();
        edited.reserve(text.len() - dropped + self.0.len());
        let mut from = 0;
        for edit in &self.0 {
            edited.push_str(&text[from..edit.start()]);
            if edit.is_break() {
                edited.push('\n');
            }
            from = edit.end();
        }
        edited.push_str(&text[from..]);
    }

    /// Writes the pieces of the edited text, none empty.
    fn write_pieces(&self, pieces: &[Piece], edited: &mut Vec<Piece>) {
        let breaks = self.0.iter().filter(|edit| edit.is_break()).count();
        edited.clear();
        edited.reserve(pieces.len() + self.0.len() + breaks);
        let mut writer = PieceWriter { pieces, next: 0, start: 0, written: None, out: edited };
        let mut from = 0;
        for edit in &self.0 {
            writer.keep(from, edit.start());
            if edit.is_break() {
                writer.line_break(edit.end());
            }
            from = edit.end();
        }
        writer.keep(from, pieces.last().map_or(0, |piece| piece.end as usize));
    }
}

/// Memory to write into; after [`Edits::apply`] it holds what was there before.
#[derive(Default)]
pub(super) struct Spare {
    text: String,
    pieces: Vec<Piece>,
}

/// Drops what stands behind `end`.
fn truncate(traced: &mut Traced, end: usize) {
    traced.text.truncate(end);
    let end = end as u32;
    traced.pieces.truncate(1 + traced.pieces.partition_point(|piece| piece.end < end));
    if let Some(last) = traced.pieces.last_mut() {
        last.end = last.end.min(end);
    }
}

/// Copies pieces, cut as the edits say.
struct PieceWriter<'p> {
    pieces: &'p [Piece],
    /// The first piece that may reach beyond what was asked for so far, and where it starts.
    next: usize,
    start: u32,
    /// The piece that the last written one was cut from.
    written: Option<usize>,
    out: &'p mut Vec<Piece>,
}

impl PieceWriter<'_> {
    /// Writes what covers `from..to`.
    fn keep(&mut self, from: usize, to: usize) {
        let (mut from, to) = (from as u32, to as u32);
        while from < to && self.seek(from) {
            let piece = self.pieces[self.next];
            let cut = piece.end.min(to);
            self.write(piece, from - self.start, cut - from);
            from = cut;
        }
    }

    /// Goes to the piece that holds the byte at `at`; false behind the last one.
    fn seek(&mut self, at: u32) -> bool {
        while let Some(piece) = self.pieces.get(self.next).filter(|piece| piece.end <= at) {
            self.start = piece.end;
            self.next += 1;
        }
        self.next < self.pieces.len()
    }

    /// Writes `len` bytes of the current piece, `skipped` bytes behind its start.
    fn write(&mut self, piece: Piece, skipped: u32, len: u32) {
        let end = self.end() + len;
        let is_template = piece.kind == PieceKind::Template;
        match self.out.last_mut() {
            Some(last) if self.written == Some(self.next) && !is_template => last.end = end,
            _ => {
                let at = if is_template { piece.at + skipped } else { piece.at };
                self.out.push(Piece { end, at, ..piece });
            }
        }
        self.written = Some(self.next);
    }

    /// Writes a line feed in front of the byte at `at`.
    ///
    /// Its class is the wider one of its neighbours'. The decision may have looked farther than that;
    /// a hinge behind it that could change the decision is carried to in front of it.
    fn line_break(&mut self, at: usize) {
        let before = self.out.last().map_or(CacheClass::Static, |piece| piece.class);
        let after = if self.seek(at as u32) { self.pieces[self.next].class } else { before };
        let (end, class) = (self.end() + 1, before.max(after));
        self.out.push(Piece { end, kind: PieceKind::Tidy, class, source: NO_SOURCE, at: 0 });
        self.written = None;
    }

    fn end(&self) -> u32 {
        self.out.last().map_or(0, |piece| piece.end)
    }
}
