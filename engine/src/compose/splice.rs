//! Puts a section's new text into a finished prompt, where that gives what rendering would.
//!
//! In: a finished text, a section as it stands there, the same section anew. Out: the text with the new one, or none where
//! what stands around it might have come out otherwise. Never: renders or tidies.

use std::ops::Range;
use std::sync::Arc;

use super::Composed;
use crate::build::{Built, Outcome, Sections};
use crate::model::{TidyMode, Variant};
use crate::trace::{CacheClass, Mark, Piece, Traced};

/// How many sections are put in one by one: each is a copy of the text.
const MAX_SPLICED: usize = 4;

/// A section that was put into a text.
pub(crate) struct Edit {
    pub(crate) built: Arc<Built>,
    /// Where the old one stood, before any later edit.
    pub(crate) place: Range<usize>,
}

/// The text of a build in which nothing but a few sections has changed, and what has.
pub(super) fn spliced(past: &Composed, lists: &[Sections; 2]) -> Option<(Traced, Vec<Edit>)> {
    if !may_splice(&past.selection.variant) {
        return None;
    }
    let pairs = past.lists.iter().zip(lists).enumerate().flat_map(|(list, (old, new))| {
        old.iter().zip(&new.all).map(move |(old, new)| (list, old, new))
    });
    let changed: Vec<_> = pairs.filter(|(_, old, new)| !Arc::ptr_eq(old, new)).collect();
    if changed.is_empty() || changed.len() > MAX_SPLICED {
        return None;
    }
    let (mut text, mut edits): (Option<Traced>, _) = (None, Vec::new());
    for (list, old, new) in changed {
        // A template widens what it prints to the class of its being there; a list does not.
        let by_template = list == 0 && past.selection.variant.template.is_some();
        let least = if by_template { new.presence } else { CacheClass::Static };
        let now = text.as_ref().unwrap_or(past.prompt.traced());
        let (next, place) = splice(now, old, new, least)?;
        text = Some(next);
        edits.push(Edit { built: Arc::clone(new), place });
    }
    Some((text?, edits))
}

/// Classic tidying looks at the whole text; a template may ask what a section says.
fn may_splice(variant: &Variant) -> bool {
    let is_plain = variant.template.as_ref().is_none_or(|template| template.is_plain());
    is_plain && variant.tidy != TidyMode::Classic
}

fn splice(
    text: &Traced,
    old: &Built,
    new: &Built,
    least: CacheClass,
) -> Option<(Traced, Range<usize>)> {
    let (Outcome::Section { traced: before, .. }, Outcome::Section { traced: after, .. }) =
        (&old.outcome, &new.outcome)
    else {
        return None;
    };
    if old.presence != new.presence || old.cause != new.cause || !look_alike(before, after) {
        return None;
    }
    let place = Place::find(text, new.id.as_str(), before)?;
    let sources = place.sources.clone();
    if after.sources.len() != sources.len() || after.marks.len() != before.marks.len() {
        return None;
    }
    let mut spliced = Traced {
        text: [&text.text[..place.text.start], &after.text, &text.text[place.text.end..]].concat(),
        pieces: place.pieces(text, after, least),
        marks: place.marks(text, before, after)?,
        sources: text.sources.clone(),
        causes: text.causes.clone(),
    };
    spliced.sources[sources].clone_from_slice(&after.sources);
    Some((spliced, place.text))
}

/// Whether tidying, and what stands around, cannot tell two texts of a section from each other.
fn look_alike(one: &Traced, other: &Traced) -> bool {
    let is_firm = |character: char| !character.is_whitespace() && !character.is_control();
    // A hinge behind a heading or a separator is carried back over it.
    let is_plain = |text: &str| {
        let last = text.rsplit(['\n', '\r']).next().unwrap_or_default();
        text.starts_with(is_firm)
            && text.ends_with(is_firm)
            && !last.trim_start().starts_with(['#', '='])
    };
    let lines = |text: &str| memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some();
    let ends = |traced: &Traced| {
        let printed = || traced.pieces.iter().map(|piece| piece.class);
        (printed().next(), printed().next_back())
    };
    let texts = [&one.text, &other.text];
    texts.into_iter().all(|text| is_plain(text))
        && lines(&one.text) == lines(&other.text)
        && ends(one) == ends(other)
        && one.causes == other.causes
}

/// Where a section stands in a finished text.
struct Place {
    text: Range<usize>,
    pieces: Range<usize>,
    sources: Range<usize>,
}

impl Place {
    /// The place of a section that is printed once and whole, from sources that are its own.
    fn find(text: &Traced, id: &str, section: &Traced) -> Option<Self> {
        let is_of = |piece: &Piece| {
            let source = text.sources.get(piece.source as usize);
            source.and_then(|source| source.section.as_deref()) == Some(id)
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

    fn pieces(&self, text: &Traced, section: &Traced, least: CacheClass) -> Vec<Piece> {
        let (base, start) = (self.sources.start as u32, self.text.start as u32);
        let mut end = 0;
        let printed = section
            .pieces
            .iter()
            .filter(|piece| std::mem::replace(&mut end, piece.end) < piece.end);
        let own = printed.map(|piece| Piece {
            end: piece.end + start,
            class: piece.class.max(least),
            source: piece.source.saturating_add(base),
            ..*piece
        });
        let behind = text.pieces[self.pieces.end..].iter();
        let behind = behind.map(|piece| Piece { end: self.moved(piece.end, section), ..*piece });
        text.pieces[..self.pieces.start].iter().copied().chain(own).chain(behind).collect()
    }

    /// Marks within the section stand where they stood, else there are none.
    fn marks(&self, text: &Traced, before: &Traced, after: &Traced) -> Option<Vec<Mark>> {
        let same = before.marks.iter().zip(&after.marks).all(|(old, new)| {
            let at = old.at as usize;
            old == new && before.text.get(..at) == after.text.get(..at)
        });
        let moved = |mark: &Mark| {
            let (at, is_own) = (mark.at as usize, self.sources.contains(&(mark.source as usize)));
            match () {
                () if at >= self.text.end => Some(Mark { at: self.moved(mark.at, after), ..*mark }),
                () if at <= self.text.start || is_own => Some(*mark),
                () => None,
            }
        };
        if same { text.marks.iter().map(moved).collect() } else { None }
    }

    /// A place behind the section, now that the section is another one.
    fn moved(&self, at: u32, section: &Traced) -> u32 {
        at - self.text.end as u32 + (self.text.start + section.text.len()) as u32
    }
}
