//! Decides what goes and where line feeds come.
//!
//! In: the records of a text. Out: its edits.
//! Never: edits inside a value that stays.

use super::layout::Layout;
use super::scan::{Kind, Record};
use crate::tidy::edit::Edits;

/// What follows a heading.
enum Next {
    /// A separator or the end.
    Edge,
    Content,
    Heading(usize),
}

/// Plans the edits. Headings that go become [`Kind::Gone`].
pub(super) fn plan(layout: &Layout<'_>, records: &mut [Record]) -> Edits {
    drop_empty_headings(records);
    let mut edits = Edits::default();
    let stays =
        |record: &&Record| matches!(record.kind, Kind::Heading { .. } | Kind::Content { .. });
    let (Some(first), Some(last)) = (records.iter().find(stays), records.iter().rfind(stays))
    else {
        edits.drop(0..layout.bytes.len());
        return edits;
    };
    let (start, end) = (text_start(layout, first.start), text_end(layout, last.end));
    edits.drop(0..start);
    // The last record itself may go as a whole: the blank lines at the end of an open code fence.
    let inside = records.iter().filter(|record| record.end > start && record.start < end);
    space(inside, &mut edits);
    edits.drop(end..layout.bytes.len());
    edits
}

/// Goes from the end: a heading stays when content or a kept heading of a deeper level comes next.
fn drop_empty_headings(records: &mut [Record]) {
    let mut next = Next::Edge;
    for record in records.iter_mut().rev() {
        match record.kind {
            Kind::Content { .. } => next = Next::Content,
            Kind::Separator => next = Next::Edge,
            Kind::Heading { level } => match next {
                Next::Heading(deeper) if deeper <= level => record.kind = Kind::Gone,
                Next::Edge => record.kind = Kind::Gone,
                Next::Content | Next::Heading(_) => next = Next::Heading(level),
            },
            Kind::Blank { .. } | Kind::Gone => {}
        }
    }
}

/// Leaves one blank line of several, one separator of several, and a blank line on both sides of it.
/// The first and the last record stay.
fn space<'r>(records: impl Iterator<Item = &'r Record>, edits: &mut Edits) {
    let (mut behind_blank, mut behind_separator) = (false, false);
    for record in records {
        match record.kind {
            Kind::Gone => edits.drop(record.start..record.end),
            Kind::Blank { first_end } => {
                edits.drop(if behind_blank { record.start } else { first_end }..record.end);
                behind_blank = true;
            }
            Kind::Separator if behind_separator => edits.drop(record.start..record.end),
            Kind::Separator => {
                if !behind_blank {
                    edits.line_break(record.start);
                }
                (behind_blank, behind_separator) = (false, true);
            }
            Kind::Heading { .. } | Kind::Content { .. } => {
                if behind_separator && !behind_blank {
                    edits.line_break(record.start);
                }
                behind_blank = record.kind == Kind::Content { ends_blank: true };
                behind_separator = false;
            }
        }
    }
}

/// Where a text starts whose first line starts at `start`.
fn text_start(layout: &Layout<'_>, start: usize) -> usize {
    let limit = layout.value_after(start).map_or(layout.bytes.len(), |value| value.start);
    (start..limit).find(|&at| !layout.is_void(at)).unwrap_or(limit)
}

/// Where a text ends whose last line ends at `end`: no byte of a value is trimmed.
fn text_end(layout: &Layout<'_>, end: usize) -> usize {
    let floor = layout.value_end_before(end);
    (floor..end).rev().find(|&at| !layout.is_void(at)).map_or(floor, |at| at + 1)
}
