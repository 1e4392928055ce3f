//! Bytes of a file as text.
//!
//! In: bytes. Out: UTF-8 with `\n` as line end and without a byte order mark, and notes of what had to change.
//! Never: fails on bytes that are no UTF-8; says instead that it replaced them.

use std::ops::Range;

use crate::report::Note;
use crate::rule::Piece;

/// The text of a file; none where its bytes are no text.
pub(crate) fn decode(bytes: &[u8]) -> Option<(String, Vec<Note>)> {
    let mut notes = Vec::new();
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => {
            notes.push(Note::ByteOrderMark);
            rest
        }
        None => bytes,
    };
    if bytes.contains(&0) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    if std::str::from_utf8(bytes).is_err() {
        notes.push(Note::InvalidUtf8);
    }
    if !text.contains('\r') {
        return Some((text.into_owned(), notes));
    }
    notes.push(Note::LineEnds);
    Some((text.replace("\r\n", "\n").replace('\r', "\n"), notes))
}

/// What is kept of a file's text: ranges in order, none empty.
#[derive(Clone, Debug)]
pub(crate) struct Kept<'t> {
    pub(crate) text: &'t str,
    pub(crate) ranges: Vec<Range<usize>>,
}

impl<'t> Kept<'t> {
    /// A text from an offset on, without blank lines at its beginning and white space at its end.
    pub(crate) fn from(text: &'t str, start: usize) -> Self {
        let end = start + text[start..].trim_end().len();
        let first =
            text[start..end].find(|c: char| !c.is_whitespace()).map_or(end, |at| start + at);
        // The indentation of the first line is part of it.
        let first = text[start..first].rfind('\n').map_or(start, |at| start + at + 1);
        let ranges = Some(first..end).filter(|range| !range.is_empty());
        Self { text, ranges: ranges.into_iter().collect() }
    }

    /// The same without some ranges, which are in order and do not meet.
    pub(crate) fn without(mut self, cuts: &[Range<usize>]) -> Self {
        let mut kept = Vec::with_capacity(self.ranges.len() + cuts.len());
        let mut cuts = cuts.iter().peekable();
        for range in self.ranges {
            let mut at = range.start;
            while let Some(cut) = cuts.next_if(|cut| cut.start < range.end) {
                kept.push(at..cut.start.max(at));
                at = cut.end.max(at);
            }
            kept.push(at.min(range.end)..range.end);
        }
        kept.retain(|range| !range.is_empty());
        self.ranges = kept;
        self
    }

    /// Whether a range is kept as a whole.
    pub(crate) fn holds(&self, part: &Range<usize>) -> bool {
        let after = self.ranges.partition_point(|range| range.end < part.end);
        self.ranges.get(after).is_some_and(|range| range.start <= part.start)
    }

    /// As pieces of one file.
    pub(crate) fn pieces(&self, path: &str) -> Vec<Piece> {
        let mut lines = Lines::of(self.text);
        let piece = |range: &Range<usize>| Piece {
            text: self.text[range.clone()].into(),
            from: Some((path.into(), lines.at(range.start))),
        };
        self.ranges.iter().map(piece).collect()
    }

    pub(crate) fn is_blank(&self) -> bool {
        self.ranges.iter().all(|range| self.text[range.clone()].trim().is_empty())
    }
}

/// Counts lines, from 1, at offsets that grow.
pub(crate) struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    pub(crate) fn at(&mut self, offset: usize) -> u32 {
        let passed = self.text.as_bytes().get(self.at..offset).unwrap_or_default();
        let ends = passed.iter().filter(|byte| **byte == b'\n').count();
        self.line = self.line.saturating_add(u32::try_from(ends).unwrap_or(u32::MAX));
        self.at = self.at.max(offset);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes() {
        let check = |bytes: &[u8]| decode(bytes);
        assert_eq!(check(b"a\nb"), Some(("a\nb".into(), vec![])));
        assert_eq!(
            check(b"\xef\xbb\xbfa\r\nb\rc"),
            Some(("a\nb\nc".into(), vec![Note::ByteOrderMark, Note::LineEnds]))
        );
        assert_eq!(check(b"a\xffb"), Some(("a\u{fffd}b".into(), vec![Note::InvalidUtf8])));
        assert_eq!(check(b"a\0b"), None);
    }

    #[test]
    fn what_is_kept() {
        let check = |text: &str, cuts: &[(usize, usize)], expected: &[(&str, u32)]| {
            let cuts: Vec<_> = cuts.iter().map(|(start, end)| *start..*end).collect();
            let pieces = Kept::from(text, 0).without(&cuts).pieces("f");
            let piece = |(text, line): &(&str, u32)| Piece {
                text: text.to_string(),
                from: Some(("f".into(), *line)),
            };
            assert_eq!(pieces, expected.iter().map(piece).collect::<Vec<_>>());
        };
        check("\n\n  a\nb\n\n", &[], &[("  a\nb", 3)]);
        check("\n\n  a\nb\n\n", &[(3, 5)], &[(" ", 3), ("\nb", 3)]);
        check("\n\n  a\nb\n\n", &[(0, 3), (6, 100)], &[(" a\n", 3)]);
        check("a\nb\nc", &[(1, 4)], &[("a", 1), ("c", 3)]);
        check("a", &[(0, 100)], &[]);
        check(" \n", &[], &[]);
    }
}
