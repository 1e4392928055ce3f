//! Reads a text line by line into records.
//!
//! In: a [`Layout`]. Out: [`Record`]s in text order that cover the text; like lines in a row are one record, and so are
//! headings and separators that go because of the line beside them.
//! Never: looks behind a line to say whether it is content: that depends on nothing behind it.

use memchr::memchr;

use super::Level;
use super::layout::Layout;
use super::line::{Fence, heading_level, is_blank, is_separator, skip_blanks};
use crate::tidy::LF;

/// What a run of whole lines is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Blank lines; the first one ends at `first_end`.
    Blank {
        first_end: usize,
    },
    /// A line of tags that printed nothing, or whatever else is to go.
    Gone,
    /// A heading, with the values on its line.
    Heading {
        level: usize,
    },
    Separator,
    /// All else. `ends_blank` when it ends with a value's blank line.
    Content {
        ends_blank: bool,
    },
}

/// A run of whole lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

const CONTENT: Kind = Kind::Content { ends_blank: false };

/// Reads the whole text.
pub(super) fn scan(layout: &Layout<'_>) -> Vec<Record> {
    let mut scan = Scan {
        layout,
        bytes: layout.bytes,
        value: 0,
        hole: 0,
        fence: None,
        has_content: false,
        has_heading: false,
        records: Vec::new(),
    };
    let mut at = 0;
    while at < layout.bytes.len() {
        at = scan.line(at);
    }
    scan.records
}

struct Scan<'l> {
    layout: &'l Layout<'l>,
    bytes: &'l [u8],
    /// The next value and the next hole.
    value: usize,
    hole: usize,
    fence: Option<Fence>,
    /// Whether there was content, and a heading since the last separator.
    has_content: bool,
    has_heading: bool,
    records: Vec<Record>,
}

impl Scan<'_> {
    /// Records the line that starts at `start`, and returns where the next one starts.
    fn line(&mut self, start: usize) -> usize {
        let limit = self.template_end();
        match memchr(LF, &self.bytes[start..limit]) {
            Some(len) => self.template_line(start, start + len + 1),
            None if self.value == self.layout.values.len() => self.template_line(start, limit),
            None => self.value_line(start, limit),
        }
    }

    /// Where the template text ends that the scan is in: at the next value.
    fn template_end(&self) -> usize {
        self.layout.values.get(self.value).map_or(self.bytes.len(), |value| value.start)
    }

    /// A line without a value that printed something.
    fn template_line(&mut self, start: usize, end: usize) -> usize {
        let body = skip_blanks(&self.bytes[..end], start);
        let kind = if body < end && self.bytes[body] != LF {
            self.kind_of(&self.bytes[self.column(start, body)..end], body)
        } else if self.is_hollow(start, end) {
            Kind::Gone
        } else if self.fence.is_some() {
            CONTENT
        } else {
            Kind::Blank { first_end: end }
        };
        self.push(kind, start, end)
    }

    /// The kind of a line that is not blank. Its first byte that is no blank stands at `body`.
    fn kind_of(&mut self, line: &[u8], body: usize) -> Kind {
        if let Some(fence) = self.fence {
            if fence.is_closed_by(line) {
                self.fence = None;
            }
            return CONTENT;
        }
        match self.bytes[body] {
            b'#' => heading_level(line).map_or(CONTENT, |level| Kind::Heading { level }),
            b'=' if self.layout.level == Level::Base && is_separator(line) => Kind::Separator,
            b'`' | b'~' => {
                self.fence = Fence::opened_by(line);
                CONTENT
            }
            _ => CONTENT,
        }
    }

    /// A line whose first value that printed something starts at `limit`.
    fn value_line(&mut self, start: usize, limit: usize) -> usize {
        let body = skip_blanks(&self.bytes[..limit], start);
        let column = self.column(start, body);
        let marks = &self.bytes[column..limit];
        if self.fence.is_none() && matches!(marks.first(), Some(b'#' | b'`' | b'~' | b' ')) {
            let level = heading_level(marks).filter(|level| column + level < limit);
            if (level.is_some() || Fence::opened_by(marks).is_some())
                && let Some(end) = self.one_line_end()
            {
                self.skip_values(end);
                self.fence = Fence::opened_by(&self.bytes[column..end]);
                let kind = level.map_or(CONTENT, |level| Kind::Heading { level });
                return self.push(kind, start, end);
            }
        }
        let (end, ends_blank) = self.content_end();
        self.push(Kind::Content { ends_blank }, start, end)
    }

    /// Where the line of the next value ends; none when a value on it holds a line feed.
    fn one_line_end(&self) -> Option<usize> {
        let mut values = self.layout.values[self.value..].iter().peekable();
        while let Some(value) = values.next() {
            if memchr(LF, &self.bytes[value.clone()]).is_some() {
                return None;
            }
            let limit = values.peek().map_or(self.bytes.len(), |next| next.start);
            if let Some(len) = memchr(LF, &self.bytes[value.end..limit]) {
                return Some(value.end + len + 1);
            }
        }
        Some(self.bytes.len())
    }

    /// Passes the values on the line of the next one. Returns where the last line ends that they are
    /// on, and whether that is a blank line which a value printed.
    fn content_end(&mut self) -> (usize, bool) {
        while let Some(value) = self.layout.values.get(self.value) {
            self.value += 1;
            if self.bytes[value.end - 1] == LF {
                return (value.end, is_blank_line(&self.bytes[..value.end - 1]));
            }
            let limit = self.template_end();
            if let Some(len) = memchr(LF, &self.bytes[value.end..limit]) {
                return (value.end + len + 1, false);
            }
        }
        (self.bytes.len(), false)
    }

    fn skip_values(&mut self, end: usize) {
        self.value += self.layout.values[self.value..].partition_point(|value| value.start < end);
    }

    /// The first column of a line. Before all that can stay that is its first byte which is no blank,
    /// for the text will start there.
    fn column(&self, start: usize, body: usize) -> usize {
        if self.has_content || self.has_heading { start } else { body }
    }

    /// Whether the blank line `start..end` has a line feed and holds a tag.
    fn is_hollow(&mut self, start: usize, end: usize) -> bool {
        let holes = &self.layout.holes;
        while holes.get(self.hole).is_some_and(|&hole| hole < start) {
            self.hole += 1;
        }
        self.bytes[end - 1] == LF && holes.get(self.hole).is_some_and(|&hole| hole < end)
    }

    fn push(&mut self, kind: Kind, start: usize, end: usize) -> usize {
        match kind {
            Kind::Content { .. } => self.has_content = true,
            Kind::Heading { .. } => self.has_heading = true,
            Kind::Separator => self.has_heading = false,
            Kind::Blank { .. } | Kind::Gone => {}
        }
        match kind {
            Kind::Separator if self.is_behind_separator() => self.record(Kind::Gone, start, end),
            Kind::Heading { level } => {
                self.drop_last_heading(level);
                self.record(kind, start, end);
            }
            _ => self.record(kind, start, end),
        }
        end
    }

    fn record(&mut self, kind: Kind, start: usize, end: usize) {
        match (self.records.last_mut(), kind) {
            (Some(last @ Record { kind: Kind::Content { .. }, .. }), Kind::Content { .. }) => {
                (last.kind, last.end) = (kind, end);
            }
            (Some(last @ Record { kind: Kind::Blank { .. }, .. }), Kind::Blank { .. })
            | (Some(last @ Record { kind: Kind::Gone, .. }), Kind::Gone) => last.end = end,
            _ => self.records.push(Record { kind, start, end }),
        }
    }

    /// Whether only lines that go stand between a separator and this place.
    fn is_behind_separator(&self) -> bool {
        let last = self.records.iter().rev().find(|record| record.kind != Kind::Gone);
        last.is_some_and(|record| record.kind == Kind::Separator)
    }

    /// A heading goes when the next line is a heading of its level or above. Whatever it is, a hinge passes it.
    fn drop_last_heading(&mut self, level: usize) {
        let last = self
            .records
            .pop_if(|record| matches!(record.kind, Kind::Heading { level: own } if level <= own));
        if let Some(Record { start, end, .. }) = last {
            self.record(Kind::Gone, start, end);
        }
    }
}

/// Whether the last line of `text` is blank, whoever printed it.
fn is_blank_line(text: &[u8]) -> bool {
    text.iter().rev().find(|&&byte| !is_blank(byte)).is_none_or(|&byte| byte == LF)
}
