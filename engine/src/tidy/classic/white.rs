//! Characters as JavaScript sees them, read from UTF-8.
//!
//! In: bytes of a text and an offset. Out: lengths and offsets in bytes.
//! Never: panics, also not when the offset is inside a character.

use crate::tidy::LF;

/// The length in bytes of the ECMAScript white space or line terminator at `at`, 0 when there is none.
pub(super) fn white_at(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(&byte) if is_ascii_white(byte) => 1,
        Some(0xC2..) => wide_white_at(&bytes[at..]),
        _ => 0,
    }
}

/// Whether `byte` is white space of ASCII: five controls and the blank.
pub(super) fn is_ascii_white(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

/// White space beyond ASCII: U+00A0, U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000, U+FEFF.
fn wide_white_at(bytes: &[u8]) -> usize {
    match bytes {
        [0xC2, 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..]
        | [0xEF, 0xBB, 0xBF, ..] => 3,
        _ => 0,
    }
}

/// The length in bytes of the white space that ends at `end`, 0 when there is none.
pub(super) fn white_before(bytes: &[u8], end: usize) -> usize {
    let start = char_before(bytes, end);
    if start + white_at(bytes, start) == end { end - start } else { 0 }
}

/// The length in bytes of the line terminator at `at`, 0 when there is none.
pub(super) fn terminator_at(bytes: &[u8], at: usize) -> usize {
    match &bytes[at.min(bytes.len())..] {
        [b'\n' | b'\r', ..] => 1,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// Whether a line starts at `at`: at the start of the text and behind a terminator.
pub(super) fn is_line_start(bytes: &[u8], at: usize) -> bool {
    let before = char_before(bytes, at);
    at == 0 || before + terminator_at(bytes, before) == at
}

/// A run of white space.
pub(super) struct Gap {
    pub end: usize,
    /// The last line feed in it.
    pub last_lf: Option<usize>,
}

/// The white space from `start` on, as far as it goes.
pub(super) fn gap(bytes: &[u8], start: usize) -> Gap {
    let mut end = start;
    loop {
        end += bytes[end..].iter().take_while(|&&byte| is_ascii_white(byte)).count();
        match white_at(bytes, end) {
            0 => break,
            len => end += len,
        }
    }
    let last_lf = bytes[start..end].iter().rposition(|&byte| byte == LF).map(|at| start + at);
    Gap { end, last_lf }
}

/// The offset `units` UTF-16 units before `at`, or a little more where that splits a character.
pub(super) fn units_before(bytes: &[u8], at: usize, units: usize) -> usize {
    let (mut at, mut left) = (at, units);
    while at > 0 && left > 0 {
        at = char_before(bytes, at);
        left = left.saturating_sub(units_of(bytes[at]));
    }
    at
}

/// The offset `units` UTF-16 units behind `at`, or a little more where that splits a character.
pub(super) fn units_after(bytes: &[u8], at: usize, units: usize) -> usize {
    let (mut at, mut left) = (at, units);
    while at < bytes.len() && left > 0 {
        left = left.saturating_sub(units_of(bytes[at]));
        at += 1;
        while bytes.get(at).is_some_and(|&byte| is_continuation(byte)) {
            at += 1;
        }
    }
    at
}

/// Where the character starts that ends at `end`.
fn char_before(bytes: &[u8], end: usize) -> usize {
    let mut start = end.saturating_sub(1);
    while start > 0 && is_continuation(bytes[start]) {
        start -= 1;
    }
    start
}

/// UTF-16 units of the character that starts with `byte`.
fn units_of(byte: u8) -> usize {
    if byte >= 0xF0 { 2 } else { 1 }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}
