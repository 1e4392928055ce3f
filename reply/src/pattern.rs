//! Recognises one token, with holes for the name in it.
//!
//! In: bytes, a position, the names that count. Out: a match, none, or that more bytes must come first.
//! Never: looks further than a token may be long.

use crate::buffer::Span;
use crate::specs::Names;

/// No name is longer.
const MAX_NAME: usize = 128;
/// What no name holds.
const ENDS_NAME: [bool; 256] = {
    let mut ends = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        ends[byte] = matches!(
            byte as u8,
            b'\t'..=b'\r' | b' ' | b'<' | b'>' | b'"' | b'\'' | b'{' | b'[' | b'(' | b'='
        );
        byte += 1;
    }
    ends
};
/// No run of white space within a token is longer.
const MAX_SPACE: usize = 64;

/// The answer to a question about bytes that may not all be there yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look<T> {
    Yes(T),
    /// It depends on bytes that have not come.
    More,
    No,
}

impl<T> Look<T> {
    pub(crate) fn map<U>(self, to: impl FnOnce(T) -> U) -> Look<U> {
        match self {
            Self::Yes(found) => Look::Yes(to(found)),
            Self::More => Look::More,
            Self::No => Look::No,
        }
    }

    /// Another answer, if this one is no.
    pub(crate) fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        match self {
            Self::No => other(),
            decided => decided,
        }
    }
}

/// The names that a hole accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known<'n> {
    Any,
    These(&'n Names),
}

/// A match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Behind the last byte.
    pub(crate) end: usize,
    /// What stands in the hole `{name}`, or the name within `{id}`.
    pub(crate) name: Span,
    /// The number of the name, among those that count.
    pub(crate) number: Option<usize>,
    pub(crate) id: Span,
    /// What stands in the hole `{string}` is not `true`.
    pub(crate) is_json: bool,
}

/// A token as a dialect writes it: a blank stands for any white space, a quote for either kind or none, and white
/// space before `>` is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    parts: Vec<Part>,
    second: Option<u8>,
    /// Ends every name; part of the tag, and not of the name.
    suffix: Box<[u8]>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(Box<[u8]>),
    Space,
    Quote,
    Name,
    Id,
    String,
    Skip,
}

impl Pattern {
    /// Reads `<invoke name="{name}">`; the error names the hole that does not exist.
    pub(crate) fn parse(text: &str, suffix: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let (part, length) = match first {
                ' ' | '\n' => (Part::Space, 1),
                '"' => (Part::Quote, 1),
                '>' if !matches!(parts.last(), None | Some(Part::Space)) => {
                    parts.push(Part::Space);
                    continue;
                }
                '{' if rest[1..].starts_with(|c: char| c.is_ascii_lowercase()) => hole(rest)?,
                _ => {
                    let stop = |(at, c): (usize, char)| {
                        (at > 0 && matches!(c, ' ' | '\n' | '"' | '{' | '>')).then_some(at)
                    };
                    let length = rest.char_indices().find_map(stop).unwrap_or(rest.len());
                    (Part::Text(rest.as_bytes()[..length].into()), length)
                }
            };
            parts.push(part);
            rest = &rest[length..];
        }
        let mut pattern = Self { parts, second: None, suffix: suffix.as_bytes().into() };
        pattern.second = pattern.byte(1);
        Ok(pattern)
    }

    /// A byte of each match; none when it is white space or part of a hole, or behind one.
    pub(crate) fn byte(&self, at: usize) -> Option<u8> {
        match self.parts.first() {
            Some(Part::Text(text)) => text.get(at).copied(),
            _ => None,
        }
    }

    /// Whether the hole `{name}` begins there.
    pub(crate) fn has_name_at(&self, at: usize) -> bool {
        matches!(&self.parts[..], [Part::Text(text), Part::Name, ..] if text.len() == at)
    }

    /// Whether it can be seen at once that it does not stand there: most tokens differ in their second byte.
    #[inline]
    pub(crate) fn differs(&self, bytes: &[u8], start: usize) -> bool {
        match (self.second, bytes.get(start + 1)) {
            (Some(wanted), Some(byte)) => wanted != *byte,
            _ => false,
        }
    }

    pub(crate) fn at(&self, bytes: &[u8], start: usize, known: Known<'_>) -> Look<Found> {
        let mut found = Found { end: start, ..Found::default() };
        for (at, part) in self.parts.iter().enumerate() {
            let rest = &bytes[found.end..];
            let length = match part {
                Part::Text(text) => literal(rest, text),
                Part::Space => space(rest),
                Part::Quote => quote(rest),
                Part::Name => self.name(rest, at, known, &mut found),
                Part::Id => self.id(rest, at, known, &mut found),
                Part::String => self.until_next(rest, at),
                Part::Skip => self.until_next(rest, at),
            };
            match length {
                Look::Yes(length) => {
                    if *part == Part::String {
                        found.is_json = &rest[..length] != b"true";
                    }
                    found.end += length;
                }
                Look::More => return Look::More,
                Look::No => return Look::No,
            }
        }
        Look::Yes(found)
    }

    /// The text that the part behind `at` begins with.
    fn next_text(&self, at: usize) -> Option<&[u8]> {
        self.parts[at + 1..].iter().find_map(|part| match part {
            Part::Text(text) => Some(&**text),
            _ => None,
        })
    }

    fn name(&self, rest: &[u8], at: usize, known: Known<'_>, found: &mut Found) -> Look<usize> {
        let next = match self.parts.get(at + 1) {
            Some(Part::Text(text)) => Some(text[0]),
            _ => None,
        };
        let window = &rest[..rest.len().min(MAX_NAME + 1)];
        let ends = |byte: &u8| ENDS_NAME[usize::from(*byte)];
        let length = match next {
            Some(next) if !ends(&next) => {
                window.iter().position(|byte| ends(byte) || *byte == next)
            }
            Some(_) | None => window.iter().position(ends),
        };
        let Some(length) = length else {
            let begun = match known {
                Known::These(names) if self.suffix.is_empty() => names.has_prefix(window),
                Known::These(_) | Known::Any => true,
            };
            return if begun && window.len() <= MAX_NAME { Look::More } else { Look::No };
        };
        let mut name = &rest[..length];
        if !self.suffix.is_empty() {
            match name.strip_suffix(&*self.suffix) {
                Some(without) => name = without,
                None => return Look::No,
            }
        }

        self.take_name(name, found.end, known, found).map_or(Look::No, |()| Look::Yes(length))
    }

    fn take_name(
        &self,
        name: &[u8],
        start: usize,
        known: Known<'_>,
        found: &mut Found,
    ) -> Option<()> {
        if name.is_empty() {
            return None;
        }
        found.number = match known {
            Known::Any => None,
            Known::These(names) => Some(names.find(name)?),
        };
        found.name = Span::new(start, start + name.len());
        Some(())
    }

    /// `functions.get_weather:0`: the name stands between prefix and number.
    fn id(&self, rest: &[u8], at: usize, known: Known<'_>, found: &mut Found) -> Look<usize> {
        let length = match self.until_next(rest, at) {
            Look::Yes(length) => length,
            Look::More => return Look::More,
            Look::No => return Look::No,
        };
        let whole = rest[..length].trim_ascii_end();
        found.id = Span::new(found.end, found.end + whole.len());
        if self.parts.contains(&Part::Name) {
            return Look::Yes(length);
        }
        let prefix = if whole.starts_with(b"functions.") { b"functions.".len() } else { 0 };
        let name = match whole.iter().rposition(|byte| *byte == b':') {
            Some(colon) if colon > prefix && whole[colon + 1..].iter().all(u8::is_ascii_digit) => {
                &whole[prefix..colon]
            }
            Some(_) | None => &whole[prefix..],
        };
        self.take_name(name, found.end + prefix, known, found)
            .map_or(Look::No, |()| Look::Yes(length))
    }

    fn until_next(&self, rest: &[u8], at: usize) -> Look<usize> {
        let window = &rest[..rest.len().min(MAX_NAME)];
        let stop = match self.parts.get(at + 1) {
            Some(Part::Quote) => window.iter().position(|byte| matches!(byte, b'"' | b'\'' | b'>')),
            _ => match self.next_text(at) {
                Some(text) => memchr::memmem::find(window, text),
                None => window.iter().position(|byte| byte.is_ascii_whitespace()),
            },
        };
        let line_ends = window.iter().position(|byte| *byte == b'\n');
        match (stop, line_ends) {
            (Some(stop), line_ends) if line_ends.is_none_or(|line| stop <= line) => Look::Yes(stop),
            (_, Some(_)) => Look::No,
            (_, None) if rest.len() < MAX_NAME => Look::More,
            (_, None) => Look::No,
        }
    }
}

/// A tag that is a name between `<` or `</` and `>`, and nothing else; the name has so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameTag {
    Open(u8),
    Close(u8),
    /// Without its end: more of the name may come.
    OpenBegun(u8),
    /// A closer without its end, or `<` alone.
    Begun,
}

impl NameTag {
    /// None if it is no such tag.
    #[inline]
    pub(crate) fn at(bytes: &[u8], at: usize) -> Option<Self> {
        let (closes, rest) = match bytes.get(at..)? {
            [b'<'] | [b'<', b'/'] => return Some(Self::Begun),
            [b'<', b'/', rest @ ..] => (true, rest),
            [b'<', rest @ ..] => (false, rest),
            _ => return None,
        };
        let window = &rest[..rest.len().min(MAX_NAME)];
        match window.iter().position(|byte| ENDS_NAME[usize::from(*byte)]) {
            Some(0) => None,
            Some(length) if rest[length] == b'>' && closes => Some(Self::Close(length as u8)),
            Some(length) if rest[length] == b'>' => Some(Self::Open(length as u8)),
            None if rest.len() < MAX_NAME && closes => Some(Self::Begun),
            None if rest.len() < MAX_NAME => Some(Self::OpenBegun(rest.len() as u8)),
            Some(_) | None => None,
        }
    }

    /// The name of the tag at `at`.
    #[inline]
    pub(crate) fn name(self, at: usize) -> Span {
        let (start, length) = match self {
            Self::Open(length) | Self::OpenBegun(length) => (at + "<".len(), length),
            Self::Close(length) => (at + "</".len(), length),
            Self::Begun => (at, 0),
        };
        Span { start, end: start + usize::from(length) }
    }
}

fn hole(rest: &str) -> Result<(Part, usize), String> {
    let end = rest.find('}').ok_or_else(|| format!("`{rest}` has no closing brace"))?;
    let part = match &rest[1..end] {
        "name" => Part::Name,
        "id" => Part::Id,
        "string" => Part::String,
        "skip" => Part::Skip,
        other => return Err(format!("there is no hole `{other}`")),
    };
    Ok((part, end + 1))
}

fn literal(rest: &[u8], text: &[u8]) -> Look<usize> {
    match (rest, text) {
        ([first, ..], [wanted, ..]) if first != wanted => return Look::No,
        ([_, ..], [_]) => return Look::Yes(1),
        _ => {}
    }
    if rest.len() >= text.len() {
        if rest.starts_with(text) { Look::Yes(text.len()) } else { Look::No }
    } else if text.starts_with(rest) {
        Look::More
    } else {
        Look::No
    }
}

fn space(rest: &[u8]) -> Look<usize> {
    let window = &rest[..rest.len().min(MAX_SPACE + 1)];
    match window.iter().position(|byte| !byte.is_ascii_whitespace()) {
        Some(length) => Look::Yes(length),
        None if window.len() > MAX_SPACE => Look::No,
        None => Look::More,
    }
}

fn quote(rest: &[u8]) -> Look<usize> {
    match rest.first() {
        Some(b'"' | b'\'') => Look::Yes(1),
        Some(_) => Look::Yes(0),
        None => Look::More,
    }
}
