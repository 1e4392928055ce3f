//! Cuts a prompt written in Markdown at its headings.
//!
//! In: any text. Out: parts that joined are the text, none blank unless all of it is.

/// A run of the text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part<'t> {
    /// The heading that it begins with, without its marks.
    pub(super) title: Option<&'t str>,
    /// Its bytes.
    pub(super) text: &'t str,
}

/// Cuts a text before each heading of at most this level that is not in a code fence.
pub(super) fn cut(text: &str, level: usize) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let (mut start, mut at, mut title, mut fence) = (0, 0, None, None);
    for line in text.split_inclusive('\n') {
        if let Some(mark) = fence_mark(line) {
            fence = match fence {
                None => Some(mark),
                Some(open) if closes(open, mark, line) => None,
                open => open,
            };
        }
        let heading = heading(line).filter(|(depth, _)| fence.is_none() && *depth <= level);
        if let Some((_, words)) = heading {
            // What is blank has no section of its own; it goes with what follows.
            if !text[start..at].trim().is_empty() {
                parts.push(Part { title, text: &text[start..at] });
                start = at;
            }
            title = Some(words);
        }
        at += line.len();
    }
    if start < text.len() {
        parts.push(Part { title, text: &text[start..] });
    }
    parts
}

/// Depth and words of a heading: one to six `#`, then a blank or the line's end.
fn heading(line: &str) -> Option<(usize, &str)> {
    let line = outdented(line)?;
    let words = line.trim_start_matches('#');
    let depth = line.len() - words.len();
    let ends = words.trim_end().is_empty() || words.starts_with([' ', '\t']);
    ((1..=6).contains(&depth) && ends)
        .then(|| (depth, words.trim().trim_end_matches('#').trim_end()))
}

/// The character and length of a code fence's mark.
fn fence_mark(line: &str) -> Option<(char, usize)> {
    let line = outdented(line)?;
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    let info = line[length..].trim();
    (length >= 3 && !(mark == '`' && info.contains('`'))).then_some((mark, length))
}

fn closes(open: (char, usize), mark: (char, usize), line: &str) -> bool {
    mark.0 == open.0 && mark.1 >= open.1 && line.trim().trim_matches(mark.0).is_empty()
}

/// The line without up to three blanks in front; more make it code.
fn outdented(line: &str) -> Option<&str> {
    let inner = line.trim_start_matches(' ');
    (line.len() - inner.len() <= 3).then_some(inner)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn titles(text: &str, level: usize) -> Vec<Option<&str>> {
        cut(text, level).into_iter().map(|part| part.title).collect()
    }

    #[test]
    fn cuts_at_headings() {
        for (text, level, expected) in [
            ("", 6, vec![]),
            ("words", 6, vec![None]),
            ("\n\n", 6, vec![None]),
            ("\n# A\nx\n## B ##\n", 6, vec![Some("A"), Some("B")]),
            ("x\n# A\n## B\n### C", 2, vec![None, Some("A"), Some("B")]),
            ("#no\n    # no\n####### no\n#\n", 6, vec![None, Some("")]),
            ("# A\n```sh\n# no\n```\n# B\n", 6, vec![Some("A"), Some("B")]),
            ("# A\n````\n```\n# no\n````\n~~~\n# no\n", 6, vec![Some("A")]),
            ("# A\r\n\r\n# B\r\n", 6, vec![Some("A"), Some("B")]),
        ] {
            assert_eq!(titles(text, level), expected, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn loses_nothing(text in "(# [a-c]+\r?\n|## \n|```\n|[ \n]|[a-z{}]+\n)*", level in 1_usize..7) {
            let parts = cut(&text, level);
            let joined: String = parts.iter().map(|part| part.text).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert!(parts.len() < 2 || parts.iter().all(|part| !part.text.trim().is_empty()));
        }
    }
}
