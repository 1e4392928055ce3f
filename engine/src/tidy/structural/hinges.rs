//! Moves hinges back to where nothing behind them can change what stands before.
//!
//! In: a text, its records and its marks. Out: a place for each hinge.
//! Never: depends on anything behind a hinge.

use memchr::memrchr;

use super::Level;
use super::layout::Layout;
use super::line::{HEADING_MARKS, count, is_blank, skip_blanks};
use super::scan::{Kind, Record};
use crate::tidy::LF;
use crate::tidy::marks::Back;
use crate::trace::{Mark, MarkKind};

/// The place of each hinge, in order.
///
/// A hinge goes back over its own line when that is so far blank, a heading or part of a separator,
/// then over all lines before that are not content, and last over what the end of the text would
/// lose, were it there.
pub(super) fn settled(layout: &Layout<'_>, records: &[Record], marks: &[Mark]) -> Vec<usize> {
    let mut walk =
        Walk { layout, records, settled: 0, from: 0, line: 0, decided: 0, trim: Back::default() };
    walk.decided = walk.decided_at(0);
    let hinges = marks.iter().filter(|mark| mark.kind == MarkKind::Hinge);
    hinges.map(|mark| walk.place_of(mark.at as usize)).collect()
}

struct Walk<'w> {
    layout: &'w Layout<'w>,
    /// The records from the current line's on.
    records: &'w [Record],
    /// Where the content before these records ends, trimmed.
    settled: usize,
    /// The last hinge, and the start of its line.
    from: usize,
    line: usize,
    /// From where on that line is content.
    decided: usize,
    trim: Back,
}

impl Walk<'_> {
    fn place_of(&mut self, at: usize) -> usize {
        self.enter_line_of(at);
        if at >= self.decided {
            return self.trim(at);
        }
        match self.records.first() {
            Some(Record { kind: Kind::Content { .. }, start, .. }) if *start < self.line => {
                self.trim(self.line)
            }
            _ => self.settled,
        }
    }

    fn enter_line_of(&mut self, at: usize) {
        let from = std::mem::replace(&mut self.from, at).min(at);
        let Some(lf) = memrchr(LF, &self.layout.bytes[from..at]) else { return };
        self.line = from + lf + 1;
        self.decided = self.decided_at(self.line);
        while let Some((record, rest)) =
            self.records.split_first().filter(|(record, _)| record.end <= self.line)
        {
            if let Kind::Content { .. } = record.kind {
                self.settled = self.trim(record.end);
            }
            self.records = rest;
        }
    }

    /// Where the text ends, were its end at `at`.
    fn trim(&mut self, at: usize) -> usize {
        let (layout, floor) = (self.layout, self.layout.value_end_before(at));
        self.trim.walk(at, |at| usize::from(at > floor && layout.is_void(at - 1)))
    }

    /// The first place on the line from which on it is content, whatever follows.
    ///
    /// Blanks at the line's start are passed: they go where the text starts with the line.
    fn decided_at(&self, line: usize) -> usize {
        let bytes = self.layout.bytes;
        let value = self.layout.value_after(line);
        if value.is_some_and(|value| value.start < line) {
            return line;
        }
        let limit = value.map_or(bytes.len(), |value| value.start);
        let template = &bytes[..limit];
        let mut at = skip_blanks(template, line);
        match template.get(at) {
            Some(b'#') => {
                let marks = count(&template[at..], |byte| byte == b'#').min(HEADING_MARKS);
                at += marks;
                if template.get(at).is_some_and(|&byte| is_blank(byte)) {
                    return usize::MAX;
                }
            }
            Some(b'=') if self.layout.level == Level::Base => {
                at = skip_blanks(template, at + count(&template[at..], |byte| byte == b'='));
            }
            Some(_) | None => {}
        }
        if bytes.get(at).is_none_or(|&byte| byte == LF && at < limit) { usize::MAX } else { at + 1 }
    }
}
