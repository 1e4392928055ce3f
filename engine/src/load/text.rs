//! Finds the bytes of a TOML string in its file.
//!
//! In: a string as the parser gave it, and where it stands. Out: a [`SourceText`]. Never: decodes anything.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::{Origin, SourceFile, SourceText};

/// The text of a string that stands, quotes included, at `span` of the file.
///
/// Exact when each byte of the text is one of the file: no escapes, no line ends that were changed.
pub(crate) fn of_string(file: &Arc<SourceFile>, text: &str, span: Range<usize>) -> Arc<SourceText> {
    let inner = file.text().get(span.clone()).and_then(|raw| inside(raw, text));
    let (origin, exact) = match inner {
        Some(at) => (Origin::file(file, span.start + at..span.start + at + text.len()), true),
        None => (Origin::file(file, span), false),
    };
    Arc::new(SourceText { text: text.into(), origin, exact })
}

/// Where `text` starts in `raw`, when `raw` is nothing but quotes around it.
fn inside(raw: &str, text: &str) -> Option<usize> {
    let quote = ["'''", "\"\"\"", "'", "\""].into_iter().find(|quote| {
        raw.len() >= 2 * quote.len() && raw.starts_with(quote) && raw.ends_with(quote)
    })?;
    let body = &raw[quote.len()..raw.len() - quote.len()];
    let first_line_end = match quote.len() {
        3 if body.starts_with('\n') => 1,
        3 if body.starts_with("\r\n") => 2,
        _ => 0,
    };
    (&body[first_line_end..] == text).then_some(quote.len() + first_line_end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_where_bytes_are_the_same() {
        for (raw, text, at) in [
            ("'a'", "a", Some(1)),
            ("\"a\"", "a", Some(1)),
            ("\"a\\n\"", "a\n", None),
            ("'''\na\nb'''", "a\nb", Some(4)),
            ("'''\r\na\r\nb'''", "a\nb", None),
            ("'''a''''", "a'", Some(3)),
            ("''", "", Some(1)),
            ("''''''", "", Some(3)),
            ("a", "a", None),
        ] {
            assert_eq!(inside(raw, text), at, "{raw}");
        }
    }
}
