//! White space as ECMAScript's `trim` sees it, on bytes.
//!
//! In: bytes of UTF-8, a position between two characters. Out: where white space begins or ends.
//! Never: looks at a byte that it does not have to.

/// How many bytes the white space character at the beginning has; 0 when there is none.
#[inline]
pub(crate) fn leading(bytes: &[u8]) -> usize {
    match *bytes {
        [b'\t'..=b'\r' | b' ', ..] => 1,
        [0xC2, 0xA0, ..] => 2,
        [a, b, c, ..] if wide(a, b, c) => 3,
        _ => 0,
    }
}

/// How many bytes the white space character at the end has; 0 when there is none.
#[inline]
pub(crate) fn trailing(bytes: &[u8]) -> usize {
    match *bytes {
        [.., b'\t'..=b'\r' | b' '] => 1,
        [.., b'!'..=b'~'] => 0,
        [.., 0xC2, 0xA0] => 2,
        [.., a, b, c] if wide(a, b, c) => 3,
        _ => 0,
    }
}

/// U+1680, U+2000 to U+200A, U+2028, U+2029, U+202F, U+205F, U+3000, U+FEFF.
#[inline(never)]
fn wide(a: u8, b: u8, c: u8) -> bool {
    matches!(
        (a, b, c),
        (0xE1, 0x9A, 0x80)
            | (0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF)
            | (0xE2, 0x81, 0x9F)
            | (0xE3, 0x80, 0x80)
            | (0xEF, 0xBB, 0xBF)
    )
}

/// The first position from `from` on that is not white space; the end if there is none.
#[inline]
pub(crate) fn skip(bytes: &[u8], mut from: usize) -> usize {
    loop {
        match leading(&bytes[from..]) {
            0 => return from,
            length => from += length,
        }
    }
}

/// The end of what is left of `from..to` without the white space at its end.
#[inline]
pub(crate) fn trim_end(bytes: &[u8], from: usize, mut to: usize) -> usize {
    loop {
        match trailing(&bytes[from..to]) {
            0 => return to,
            length => to -= length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The list of the standard, written out once more.
    fn is_space(c: char) -> bool {
        c == '\u{feff}' || (c.is_whitespace() && c != '\u{85}')
    }

    #[test]
    fn agrees_with_the_standard() {
        for c in '\0'..='\u{10ffff}' {
            let mut space = [0; 4];
            let text = c.encode_utf8(&mut space).as_bytes();
            let length = if is_space(c) { text.len() } else { 0 };
            assert_eq!(leading(text), length, "{c:?}");
            assert_eq!(trailing(text), length, "{c:?}");
        }
    }
}
