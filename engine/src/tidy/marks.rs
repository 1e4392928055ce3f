//! Carries marks through edits.
//!
//! In: marks, and the edits of the text that they point into. Out: the same marks, in the same order, at their new places.
//! Never: adds, drops or reorders a mark.

use super::edit::Edit;
use crate::trace::{Mark, MarkKind};

/// The hinges among `marks`; their offsets never fall.
pub(super) fn hinges(marks: &mut [Mark]) -> impl Iterator<Item = &mut Mark> {
    marks.iter_mut().filter(|mark| mark.kind == MarkKind::Hinge)
}

/// Moves each mark to where its place is after `edits`: in front of a line feed that comes there,
/// and where a range starts that goes.
pub(super) fn carry(marks: &mut [Mark], edits: &[Edit]) {
    // A hinge may have been moved back over a boundary, so each kind is in order only by itself.
    for kind in [MarkKind::Hinge, MarkKind::Boundary] {
        let mut way = Way { edits, came: 0, gone: 0 };
        for mark in marks.iter_mut().filter(|mark| mark.kind == kind) {
            mark.at = way.place_of(mark.at as usize) as u32;
        }
    }
}

/// How far the places before the next edit were shifted.
struct Way<'e> {
    edits: &'e [Edit],
    came: usize,
    gone: usize,
}

impl Way<'_> {
    fn place_of(&mut self, at: usize) -> usize {
        let mut at = at;
        while let Some((&edit, rest)) =
            self.edits.split_first().filter(|(edit, _)| edit.start() < at)
        {
            if edit.end() > at {
                at = edit.start();
                break;
            }
            self.came += usize::from(edit.is_break());
            self.gone += edit.end() - edit.start();
            self.edits = rest;
        }
        (at + self.came).saturating_sub(self.gone)
    }
}

/// Walks back from places that never fall, in time linear over all walks: one that meets the start
/// of the walk before it ends where that one ended.
#[derive(Default)]
pub(super) struct Back {
    from: usize,
    to: usize,
}

impl Back {
    /// Where the walk from `start` ends; `before` gives the bytes to go back from a place, 0 to stop.
    pub(super) fn walk(&mut self, start: usize, before: impl Fn(usize) -> usize) -> usize {
        let mut at = start;
        while at != self.from {
            match before(at) {
                0 => break,
                bytes => at -= bytes,
            }
        }
        if at == self.from {
            at = self.to;
        }
        *self = Self { from: start, to: at };
        at
    }
}
