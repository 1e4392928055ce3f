//! The parameters of a whole JSON object.
//!
//! In: text. Out: where each key and value stands. Never: streams; that is for the machine.

use crate::buffer::Span;
use crate::literal;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: Span,
    /// The inside, of a string.
    pub(crate) value: Span,
    pub(crate) quoted: bool,
}

/// As many as can be read.
pub(crate) fn split(json: &str) -> Vec<Part> {
    let bytes = json.as_bytes();
    let mut parts = Vec::new();
    let Some(mut at) = json.find('{').map(|at| at + 1) else { return parts };
    while let Some((part, end)) = next(bytes, at) {
        parts.push(part);
        at = end;
    }
    parts
}

fn next(bytes: &[u8], from: usize) -> Option<(Part, usize)> {
    let open = from
        + bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b',')?;
    if bytes[open] != b'"' {
        return None;
    }
    let name = Span::new(open + 1, close(bytes, open + 1)?);
    let colon = name.end + 1 + bytes[name.end + 1..].iter().position(|byte| *byte == b':')?;
    let start =
        colon + 1 + bytes[colon + 1..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    if bytes[start] == b'"' {
        let value = Span::new(start + 1, close(bytes, start + 1)?);
        return Some((Part { name, value, quoted: true }, value.end + 1));
    }
    let (mut depth, mut at) = (0u32, start);
    loop {
        match *bytes.get(at)? {
            b'"' => at = close(bytes, at + 1)?,
            b'{' | b'[' => depth += 1,
            b',' | b'}' if depth == 0 => break,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    let value = Span::new(start, crate::space::trim_end(bytes, start, at));
    Some((Part { name, value, quoted: false }, at))
}

/// The quote that closes the string.
fn close(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += literal::escape_length(bytes, at)?,
            _ => at += 1,
        }
    }
}
