//! Finds where a JSON literal inside a tag ends, by the grammar of the `handlebars` crate.
//!
//! In: bytes and a position. Out: the position behind the literal.
//! Never: reads values, and never nests deeper than [`MAX_NESTING`], as that parser would.

use super::token::{MAX_NESTING, is_blank, is_symbol};

/// A literal nests deeper than [`MAX_NESTING`].
#[derive(Debug)]
pub(super) struct TooDeep;

/// The end of the literal that begins at `at`; none when no literal begins there.
pub(super) fn end_of_literal(bytes: &[u8], at: usize) -> Result<Option<usize>, TooDeep> {
    literal(bytes, at, 0)
}

/// The end of the string that begins with the quote at `at`; none when it is not closed.
pub(super) fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = *bytes.get(at)?;
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            _ if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// The grammar's `literal`, with the depth so far.
fn literal(bytes: &[u8], at: usize, depth: usize) -> Result<Option<usize>, TooDeep> {
    match bytes.get(at) {
        Some(b'"' | b'\'') => Ok(end_of_string(bytes, at)),
        Some(b'[') => list(bytes, at, depth, literal),
        Some(b'{') => list(bytes, at, depth, entry),
        _ => Ok(end_of_word(bytes, at)),
    }
}

/// What a list holds.
type Item = fn(&[u8], usize, usize) -> Result<Option<usize>, TooDeep>;

/// `[ item? (, item)* ]`, or the same in braces.
fn list(bytes: &[u8], at: usize, depth: usize, item: Item) -> Result<Option<usize>, TooDeep> {
    if depth == MAX_NESTING {
        return Err(TooDeep);
    }
    let close = if bytes[at] == b'[' { b']' } else { b'}' };
    let mut at = skip_blanks(bytes, at + 1);
    if let Some(end) = item(bytes, at, depth + 1)? {
        at = skip_blanks(bytes, end);
    }
    while bytes.get(at) == Some(&b',') {
        match item(bytes, skip_blanks(bytes, at + 1), depth + 1)? {
            Some(end) => at = skip_blanks(bytes, end),
            None => return Ok(None),
        }
    }
    Ok((bytes.get(at) == Some(&close)).then_some(at + 1))
}

/// `"key": literal`.
fn entry(bytes: &[u8], at: usize, depth: usize) -> Result<Option<usize>, TooDeep> {
    if !matches!(bytes.get(at), Some(b'"' | b'\'')) {
        return Ok(None);
    }
    let Some(end) = end_of_string(bytes, at) else { return Ok(None) };
    let colon = skip_blanks(bytes, end);
    if bytes.get(colon) != Some(&b':') {
        return Ok(None);
    }
    literal(bytes, skip_blanks(bytes, colon + 1), depth)
}

/// A number, `true`, `false` or `null`, with no symbol character behind it.
fn end_of_word(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let word = [&b"true"[..], b"false", b"null"].into_iter().find(|word| rest.starts_with(word));
    let end = match word {
        Some(word) => at + word.len(),
        None => end_of_number(bytes, at)?,
    };
    (!bytes.get(end).is_some_and(|&byte| is_symbol(byte))).then_some(end)
}

/// Digits with a sign, a fraction, an exponent behind `E`.
fn end_of_number(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let sign = |at: usize| at + usize::from(bytes.get(at) == Some(&b'-'));
    let whole = sign(at);
    let mut end = digits(whole);
    if end == whole {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if bytes.get(end) == Some(&b'E') {
        let exponent = sign(end + 1);
        let behind = digits(exponent);
        if behind > exponent {
            end = behind;
        }
    }
    Some(end)
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|&byte| is_blank(byte)) {
        at += 1;
    }
    at
}
