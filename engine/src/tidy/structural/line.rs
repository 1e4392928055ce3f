//! What the bytes of one line mean.
//!
//! In: a line's template text from its first column on. Out: heading, separator or fence.
//! Never: looks beyond the line.

use crate::tidy::LF;

/// The least width of a separator.
const SEPARATOR_WIDTH: usize = 4;

/// The most marks of a heading.
pub(super) const HEADING_MARKS: usize = 6;

/// The least marks of a code fence, and the most blanks before them.
const FENCE_MARKS: usize = 3;
const FENCE_INDENT: usize = 3;

/// Blanks of a line; the carriage return of a CRLF is one.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Where the blanks end that start at `at`.
pub(super) fn skip_blanks(bytes: &[u8], at: usize) -> usize {
    at + count(&bytes[at..], is_blank)
}

/// The level of the heading that `line` is: 1 to 6 `#`, then a blank or the line's end.
pub(super) fn heading_level(line: &[u8]) -> Option<usize> {
    let level = count(line, |byte| byte == b'#');
    let is_cut = line.get(level).is_none_or(|&byte| byte == LF || is_blank(byte));
    (is_cut && (1..=HEADING_MARKS).contains(&level)).then_some(level)
}

/// Whether `line` is four or more `=`, and blanks behind them.
pub(super) fn is_separator(line: &[u8]) -> bool {
    let width = count(line, |byte| byte == b'=');
    width >= SEPARATOR_WIDTH && is_rest_blank(&line[width..])
}

/// An open code fence, as CommonMark has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    mark: u8,
    width: usize,
}

impl Fence {
    /// The fence that `line` opens. Behind backticks no other backtick may follow.
    pub(super) fn opened_by(line: &[u8]) -> Option<Self> {
        let marks = fence_marks(line)?;
        let mark = *marks.first().filter(|&&byte| byte == b'`' || byte == b'~')?;
        let width = count(marks, |byte| byte == mark);
        let is_open = width >= FENCE_MARKS && (mark == b'~' || !marks[width..].contains(&mark));
        is_open.then_some(Self { mark, width })
    }

    /// Whether `line` closes this fence: the same mark, at least as often, and only blanks behind.
    pub(super) fn is_closed_by(self, line: &[u8]) -> bool {
        fence_marks(line).is_some_and(|marks| {
            let width = count(marks, |byte| byte == self.mark);
            width >= self.width && is_rest_blank(&marks[width..])
        })
    }
}

/// `line` behind its indent; none when that is too deep for a fence.
fn fence_marks(line: &[u8]) -> Option<&[u8]> {
    let indent = count(line, |byte| byte == b' ');
    (indent <= FENCE_INDENT).then(|| &line[indent..])
}

fn is_rest_blank(rest: &[u8]) -> bool {
    rest.iter().all(|&byte| byte == LF || is_blank(byte))
}

/// How many bytes at the start of `bytes` are such.
pub(super) fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|&&byte| is(byte)).count()
}
