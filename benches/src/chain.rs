//! The plain way to tidy: a chain of regular expressions, one copy of the text for each.
//!
//! In: a text. Out: the same bytes as classic tidying, for texts whose white space is ASCII.
//! Never: fast, linear for every text, or aware of where a byte comes from.

use std::sync::LazyLock;

use regex::{Captures, Regex};

/// How far around a separator signs of a diff are looked for, in characters.
const WINDOW: usize = 50;
const DIFF_SIGNS: [&str; 4] = ["SEARCH", "REPLACE", "+++++++", "-------"];

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("a pattern that compiles")
}

macro_rules! patterns {
    ($($name:ident $pattern:literal)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    BLANK_LINES r"\n\s*\n\s*\n"
    LAST_SEPARATOR r"====+\s*$"
    EMPTY_SECTIONS r"\n====+\s*\n+\s*====+\n"
    EMPTY_PAIRS r"====\s*\n\s*====\s*\n"
    EMPTY_HEADINGS r"(?m)^##\s*$[\r\n]*"
    EMPTY_HEADINGS_AGAIN r"(?m)\n##\s*$[\r\n]*"
    SEPARATOR_BEFORE r"====+\n([^\n])"
    SEPARATOR_BEHIND r"([^\n])\n====+"
}

/// Tidies a text.
pub fn classic(text: &str) -> String {
    let text = BLANK_LINES.replace_all(text, "\n\n");
    let text = LAST_SEPARATOR.replace(text.trim(), "");
    let text = EMPTY_SECTIONS.replace_all(&text, "\n====\n");
    let text = EMPTY_PAIRS.replace_all(&text, "====\n");
    let text = EMPTY_HEADINGS.replace_all(&text, "");
    let text = EMPTY_HEADINGS_AGAIN.replace_all(&text, "");
    let text = SEPARATOR_BEFORE.replace_all(&text, |found: &Captures<'_>| {
        let whole = &found[0];
        let at = found.get(0).map_or(0, |whole| whole.start());
        if is_diff(&text, at) { whole.to_owned() } else { whole.replacen('\n', "\n\n", 1) }
    });
    let text = SEPARATOR_BEHIND.replace_all(&text, |found: &Captures<'_>| {
        let whole = &found[0];
        let at = found.get(0).map_or(0, |whole| whole.start());
        if is_diff(&text, at) { whole.to_owned() } else { whole.replacen('\n', "\n\n", 1) }
    });
    BLANK_LINES.replace_all(&text, "\n\n").trim().to_owned()
}

fn is_diff(text: &str, at: usize) -> bool {
    let before = text[..at].char_indices().rev().nth(WINDOW - 1).map_or(0, |(at, _)| at);
    let behind = text[at..].char_indices().nth(WINDOW).map_or(text.len(), |(more, _)| at + more);
    DIFF_SIGNS.iter().any(|sign| text[before..behind].contains(sign))
}
