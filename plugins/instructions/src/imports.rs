//! Finds `@path` in a text.
//!
//! In: text, a syntax. Out: the places outside of code that name a path, in order. Never: asks whether the path is
//! there.

use std::ops::Range;

use crate::markdown::Marks;
use crate::profile::Syntax;

/// Longer words are no paths: no system opens them.
const MAX_PATH_BYTES: usize = 4096;

/// A place that names a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    /// The `@` and the path, as they stand there.
    pub(crate) range: Range<usize>,
    /// The path without backslashes.
    pub(crate) path: String,
}

/// All places that name a path.
pub(crate) fn find(text: &str, syntax: Syntax, marks: &Marks) -> Vec<Named> {
    let (mut found, mut behind) = (Vec::new(), 0);
    for (at, _) in text.match_indices('@') {
        let is_word = text[..at].chars().next_back().is_none_or(char::is_whitespace);
        if !is_word || at < behind || marks.is_code(at) {
            continue;
        }
        let rest = &text[at + 1..];
        let (length, path) = match syntax {
            Syntax::Claude => escaped(rest),
            Syntax::Gemini => {
                let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
                (end, rest[..end].to_owned())
            }
        };
        behind = at + 1 + length;
        if path.len() <= MAX_PATH_BYTES && begins_a_path(&path, syntax) {
            found.push(Named { range: at..behind, path });
        }
    }
    found
}

/// A path up to the next blank that no backslash stands before.
fn escaped(rest: &str) -> (usize, String) {
    let (mut path, mut chars) = (String::new(), rest.char_indices().peekable());
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' if chars.peek().is_some_and(|(_, next)| *next == ' ') => {
                path.push(' ');
                chars.next();
            }
            _ if char.is_whitespace() => return (at, path),
            _ => path.push(char),
        }
    }
    (rest.len(), path)
}

fn begins_a_path(path: &str, syntax: Syntax) -> bool {
    let Some(first) = path.chars().next() else { return false };
    match syntax {
        Syntax::Claude => first.is_alphanumeric() || "./~_-".contains(first),
        Syntax::Gemini => first.is_ascii_alphabetic() || "./".contains(first),
    }
}

/// Whether a word behind `@` that names no file was meant to: a name of somebody has neither dot nor slash.
pub(crate) fn looks_like_a_path(path: &str) -> bool {
    path.contains(['/', '.']) && path.contains(|char| !matches!(char, '/' | '.'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn paths(text: &str, syntax: Syntax) -> Vec<String> {
        find(text, syntax, &Marks::of(text)).into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn places() {
        let text = "@a.md, see @b/c.md and x@y.z `@d` @Design\\ Docs/e.md @\"f g\" @~/h @../i @/j\n```\n@k\n```\n(@l) @";
        assert_eq!(
            paths(text, Syntax::Claude),
            ["a.md,", "b/c.md", "Design Docs/e.md", "~/h", "../i", "/j"]
        );
        assert_eq!(paths(text, Syntax::Gemini), ["a.md,", "b/c.md", "Design\\", "../i", "/j"]);
    }

    proptest! {
        #[test]
        fn places_are_exact(text in "[@a./~\\\\ \n`é\"-]{0,60}") {
            for syntax in [Syntax::Claude, Syntax::Gemini] {
                let mut before = 0;
                for one in find(&text, syntax, &Marks::of(&text)) {
                    prop_assert!(one.range.start >= before);
                    before = one.range.end;
                    let stands = &text[one.range];
                    prop_assert!(stands.starts_with('@'));
                    prop_assert_eq!(&stands[1..].replace("\\ ", " "), &one.path);
                    prop_assert!(syntax == Syntax::Claude || !one.path.contains(char::is_whitespace));
                }
            }
        }

        #[test]
        fn any_text_is_read(text in any::<String>()) {
            find(&text, Syntax::Claude, &Marks::of(&text));
        }
    }
}
