//! Puts a section's new text into a finished prompt, where that gives what rendering would.
//!
//! In: a finished text, a section as it stands there, the same section anew. Out: the [`Place`] to put it, or none where
//! what stands around it might come out otherwise; the text with it. Never: renders or tidies.

use std::ops::Range;
use std::sync::Arc;

use crate::build::{Built, Outcome};
use crate::trace::{CacheClass, Mark, Piece, Traced};

/// Where a section stands in a finished text, printed once and whole, from sources that are its own.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) text: Range<usize>,
    pieces: Range<usize>,
    sources: Range<usize>,
}

/// Where to put a section anew, so that all else stays as it is.
///
/// Tidying and hinges see of a section whether its text is empty, whether it ends with a line, and, behind other text
/// on its first line, whether it has several lines.
pub(super) fn place(text: &Traced, old: &Built, new: &Built) -> Option<Place> {
    let (Outcome::Section { traced: before, .. }, Outcome::Section { traced: after, .. }) =
        (&old.outcome, &new.outcome)
    else {
        return None;
    };
    if old.presence != new.presence || old.cause != new.cause || before.causes != after.causes {
        return None;
    }
    let place = Place::find(text, new.id.shared(), before)?;
    let is_at_start = place.text.start == 0 || text.text.as_bytes()[place.text.start - 1] == b'\n';
    let is_alike = look_alike(before, after)
        && (is_at_start || has_lines(before) == has_lines(after))
        && place.sources.len() == after.sources.len();
    let same = |at: u32| before.text.get(..at as usize) == after.text.get(..at as usize);
    let fits = |old: &Mark, new: &Mark| is_at_start || old.at == new.at && same(old.at);
    (is_alike && place.marks_stay(text, (before, after), fits)).then_some(place)
}

/// Whether what stands around cannot tell two texts of a section from each other.
fn look_alike(one: &Traced, other: &Traced) -> bool {
    let ends = |traced: &Traced| {
        let printed = || traced.pieces.iter().map(|piece| piece.class);
        (printed().next(), printed().next_back())
    };
    let is_open = |text: &str| !text.is_empty() && !text.ends_with('\n');
    is_open(&one.text) && is_open(&other.text) && ends(one) == ends(other)
}

fn has_lines(traced: &Traced) -> bool {
    memchr::memchr(b'\n', traced.text.as_bytes()).is_some()
}

impl Place {
    fn find(text: &Traced, id: &Arc<str>, section: &Traced) -> Option<Self> {
        // All sources of a section name it by the id of its component.
        let is_of = |piece: &Piece| {
            let source = text.sources.get(piece.source as usize);
            let own = source.and_then(|source| source.section.as_ref());
            own.is_some_and(|own| Arc::ptr_eq(own, id))
        };
        let first = text.pieces.iter().position(is_of)?;
        let last = text.pieces.iter().rposition(is_of)?;
        let start = first.checked_sub(1).map_or(0, |before| text.pieces[before].end as usize);
        let range = start..text.pieces[last].end as usize;
        let mut at = 0;
        let mut printed = section.pieces.iter();
        let printed = printed.find(|piece| std::mem::replace(&mut at, piece.end) < piece.end)?;
        let base = text.pieces[first].source.checked_sub(printed.source)? as usize;
        let sources = base..base + section.sources.len();
        let own = text.sources.get(sources.clone())?;
        let is_own = own.iter().zip(&section.sources).all(|(one, other)| Arc::ptr_eq(one, other));
        let is_whole =
            text.pieces[first..=last].iter().all(is_of) && text.text[range.clone()] == section.text;
        (is_own && is_whole).then_some(Self { text: range, pieces: first..last + 1, sources })
    }

    /// Whether the marks of the section are the same ones, as far into it as they were, and no others stand within it.
    fn marks_stay(
        &self,
        text: &Traced,
        (before, after): (&Traced, &Traced),
        fits: impl Fn(&Mark, &Mark) -> bool,
    ) -> bool {
        let (start, end) = (self.text.start as u32, self.text.end as u32);
        let mut pairs = before.marks.iter().zip(&after.marks);
        let stays = |mark: &Mark| {
            if !self.owns(mark) {
                return mark.at >= end || mark.at <= start;
            }
            let Some((old, new)) = pairs.next() else { return false };
            let is_same = Mark { at: old.at, site: old.site, ..*new } == *old;
            // A hinge at the start may have gone back before it.
            let is_there = if old.at == 0 {
                new.at == 0 && mark.at <= start
            } else {
                new.at > 0 && mark.at == start + old.at && fits(old, new)
            };
            is_same && is_there
        };
        before.marks.len() == after.marks.len()
            && text.marks.iter().all(stays)
            && pairs.next().is_none()
    }

    fn owns(&self, mark: &Mark) -> bool {
        self.sources.contains(&(mark.source as usize))
    }

    /// Puts the section there; its pieces are at least of the class `least`.
    pub(super) fn put(&self, text: &mut Traced, section: &Traced, least: CacheClass) {
        let (start, end) = (self.text.start as u32, self.text.end as u32);
        let grown = (section.text.len() as u32).wrapping_sub(end - start);
        // `replace_range` goes byte by byte.
        text.text.drain(self.text.clone());
        text.text.insert_str(self.text.start, &section.text);
        let mut own = section.marks.iter();
        for mark in &mut text.marks {
            match () {
                () if self.owns(mark) => {
                    let Some(new) = own.next() else { continue };
                    mark.site = new.site;
                    if new.at > 0 {
                        mark.at = start + new.at;
                    }
                }
                () if mark.at >= end => mark.at = mark.at.wrapping_add(grown),
                () => {}
            }
        }
        for piece in &mut text.pieces[self.pieces.end..] {
            piece.end = piece.end.wrapping_add(grown);
        }
        text.pieces.splice(self.pieces.clone(), self.printed(section, least));
        text.sources[self.sources.clone()].clone_from_slice(&section.sources);
    }

    /// The pieces of the section that are not empty, as they stand in the text.
    fn printed(&self, section: &Traced, least: CacheClass) -> impl Iterator<Item = Piece> {
        let (base, start) = (self.sources.start as u32, self.text.start as u32);
        let mut end = 0;
        let printed = section
            .pieces
            .iter()
            .filter(move |piece| std::mem::replace(&mut end, piece.end) < piece.end);
        printed.map(move |piece| Piece {
            end: piece.end + start,
            class: piece.class.max(least),
            source: piece.source.saturating_add(base),
            ..*piece
        })
    }
}
