//! Reads what stands between quotes, and values as Python writes them.
//!
//! In: the text of a literal. Out: what it stands for, borrowed where nothing has to change.
//! Never: fails; what is no escape stays as it is.

use std::borrow::Cow;

/// The text that a string literal's inside stands for, in JSON or Python.
pub(crate) fn unescape(inside: Cow<'_, str>) -> Cow<'_, str> {
    if !inside.contains('\\') {
        return inside;
    }
    let mut text = String::with_capacity(inside.len());
    let mut rest = &*inside;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let (c, length) = escape(&rest[at..]);
        match c {
            Some(c) => text.push(c),
            None => text.push_str(&rest[at..at + length]),
        }
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// What an escape stands for, and how many bytes it has; none when it is no escape.
fn escape(text: &str) -> (Option<char>, usize) {
    let Some(kind) = text[1..].chars().next() else { return (None, 1) };
    let c = match kind {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        '"' | '\'' | '\\' | '/' => kind,
        'u' => return unicode(text),
        'x' => return hex(text, 2, 2).map_or((None, 2), |code| (char::from_u32(code), 4)),
        other => return (None, 1 + other.len_utf8()),
    };
    (Some(c), 2)
}

/// `\u` with four digits, or a pair of them beyond the first 65,536 characters; a half pair is U+FFFD.
fn unicode(text: &str) -> (Option<char>, usize) {
    let Some(high) = hex(text, 2, 4) else { return (None, 2) };
    if !(0xD800..0xDC00).contains(&high) {
        return (Some(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)), 6);
    }
    let low = text.get(6..8).filter(|mark| *mark == "\\u").and_then(|_| hex(text, 8, 4));
    match low {
        Some(low) if (0xDC00..0xE000).contains(&low) => {
            (char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)
        }
        Some(_) | None => (Some(char::REPLACEMENT_CHARACTER), 6),
    }
}

fn hex(text: &str, from: usize, digits: usize) -> Option<u32> {
    let digits = text.get(from..from + digits)?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u32::from_str_radix(digits, 16).ok())?
}

/// How many bytes the escape at `from` has; none when more must come to know.
pub(crate) fn escape_length(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = &bytes[from..];
    match rest.get(1)? {
        b'u' => {
            let digits = rest.iter().skip(2).take(4).take_while(|byte| byte.is_ascii_hexdigit());
            if digits.count() < 4 {
                return if rest.len() < 6 && rest[2..].iter().all(u8::is_ascii_hexdigit) {
                    None
                } else {
                    Some(2)
                };
            }
            let high = matches!(rest[2..4], [b'd' | b'D', b'8' | b'9' | b'a' | b'A' | b'b' | b'B']);
            if !high {
                return Some(6);
            }
            match (rest.get(6), rest.get(7)) {
                (None, _) | (Some(b'\\'), None) => None,
                (Some(b'\\'), Some(b'u')) => pair_length(rest),
                (Some(_), _) => Some(6),
            }
        }
        b'x' if rest.len() < 4 => None,
        byte if byte.is_ascii() => Some(2),
        _ => Some(1),
    }
}

/// The second half counts only if all of its digits are there and make one.
fn pair_length(rest: &[u8]) -> Option<usize> {
    let digits = &rest[8..rest.len().min(12)];
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return Some(6);
    }
    match digits {
        [_, _, _, _] => {
            let low = matches!(digits, [b'd' | b'D', b'c'..=b'f' | b'C'..=b'F', ..]);
            Some(if low { 12 } else { 6 })
        }
        _ => None,
    }
}

/// A Python literal as JSON: strings get double quotes, `True`, `False`, `None` and tuples their names there.
pub(crate) fn python_to_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = match c {
            '"' | '\'' => string_to_json(rest, c, &mut json),
            c if c.is_alphabetic() => word_to_json(rest, &mut json),
            '(' => push(&mut json, '[', 1),
            ')' => push(&mut json, ']', 1),
            c => push(&mut json, c, c.len_utf8()),
        };
        rest = &rest[length..];
    }
    json
}

fn push(json: &mut String, c: char, length: usize) -> usize {
    json.push(c);
    length
}

fn string_to_json(text: &str, quote: char, json: &mut String) -> usize {
    let mut escaped = false;
    let ends = |(_, c): &(usize, char)| {
        let ends = *c == quote && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    };
    let end = text[1..].char_indices().find(ends).map_or(text.len(), |(at, _)| at + 1);
    let inside = unescape(Cow::Borrowed(&text[1..end]));
    json.push_str(&serde_json::Value::from(&*inside).to_string());
    (end + 1).min(text.len())
}

fn word_to_json(text: &str, json: &mut String) -> usize {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    json.push_str(match &text[..end] {
        "True" => "true",
        "False" => "false",
        "None" => "null",
        other => other,
    });
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (inside, text) in [
            ("plain", "plain"),
            ("a\\nb\\t\\\\\\/\\\"", "a\nb\t\\/\""),
            (r"\u00e9\ud83d\ude80", "é🚀"),
            (r"\ud83d!", "\u{fffd}!"),
            (r"\ud83d\u0041", "\u{fffd}A"),
            (r"\q\uZZ\", r"\q\uZZ\"),
        ] {
            assert_eq!(unescape(Cow::Borrowed(inside)), text);
        }
    }

    #[test]
    fn python() {
        let json = python_to_json(r#"{'a': [True, None, "it's"], 'b': (1, 2.5)}"#);
        assert_eq!(json, r#"{"a": [true, null, "it's"], "b": [1, 2.5]}"#);
    }
}
