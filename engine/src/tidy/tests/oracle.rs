//! The classic chain as regular expressions, as slow and as plain as it is defined.

use regex::{Captures, Regex};

/// ECMAScript's `\s`.
const WHITE: &str = r"[\t\n\x0B\x0C\r \u{A0}\u{1680}\u{2000}-\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{FEFF}]";

/// The compiled chain.
pub(super) struct Oracle {
    blank_lines: Regex,
    edges: Regex,
    last_separator: Regex,
    separator_lines: Regex,
    separators: Regex,
    heading: Regex,
    separator_then: Regex,
    then_separator: Regex,
}

impl Oracle {
    pub(super) fn new() -> Self {
        let regex = |pattern: &str| Regex::new(&pattern.replace(r"\s", WHITE)).unwrap();
        Self {
            blank_lines: regex(r"\n\s*\n\s*\n"),
            edges: regex(r"\A\s+|\s+\z"),
            last_separator: regex(r"====+\s*\z"),
            separator_lines: regex(r"\n====+\s*\n+\s*====+\n"),
            separators: regex(r"====\s*\n\s*====\s*\n"),
            heading: regex(r"##\s*"),
            separator_then: regex(r"====+\n([^\n])"),
            then_separator: regex(r"([^\n])\n====+"),
        }
    }

    pub(super) fn run(&self, text: &str) -> String {
        let text = self.blank_lines.replace_all(text, "\n\n");
        let text = self.edges.replace_all(&text, "");
        let text = self.last_separator.replace(&text, "");
        let text = self.separator_lines.replace_all(&text, "\n====\n");
        let text = self.separators.replace_all(&text, "====\n");
        let text = self.drop_headings(&text, false);
        let text = self.drop_headings(&text, true);
        let text = self.space_after(&text);
        let text = self.space_before(&text);
        let text = self.blank_lines.replace_all(&text, "\n\n");
        self.edges.replace_all(&text, "").into_owned()
    }

    /// Steps 6 and 7: `$` holds at the end and before a terminator, the longest `\s*` for which it does is taken.
    fn drop_headings(&self, text: &str, with_lf: bool) -> String {
        let is_terminator = |c: char| matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}');
        let (mut kept, mut from) = (String::new(), 0);
        while let Some(found) = self.heading.find_at(text, from) {
            let before = text[from..found.start()].chars().next_back();
            let starts_line = text[..found.start()].chars().next_back().is_none_or(is_terminator);
            let holds_at = |&at: &usize| text[at..].chars().next().is_none_or(is_terminator);
            let ends =
                (found.start() + 2..=found.end()).rev().filter(|&at| text.is_char_boundary(at));
            let end = ends.clone().find(holds_at);
            let (Some(end), true) = (end, if with_lf { before == Some('\n') } else { starts_line })
            else {
                kept.push_str(&text[from..found.start() + 1]);
                from = found.start() + 1;
                continue;
            };
            kept.push_str(&text[from..found.start() - usize::from(with_lf)]);
            let rest = text[end..].trim_start_matches(['\r', '\n']);
            from = text.len() - rest.len();
        }
        kept + &text[from..]
    }

    fn space_after(&self, text: &str) -> String {
        let replace = |found: &Captures<'_>| {
            let (all, next) = (found.get(0).unwrap(), found.get(1).unwrap());
            match is_diff(text, all.start(), 50, 50) {
                true => all.as_str().to_owned(),
                false => format!("{}\n{}", &text[all.start()..next.start()], next.as_str()),
            }
        };
        self.separator_then.replace_all(text, replace).into_owned()
    }

    fn space_before(&self, text: &str) -> String {
        let replace = |found: &Captures<'_>| {
            let (all, before) = (found.get(0).unwrap(), found.get(1).unwrap());
            match is_diff(text, before.end(), 51, 49) {
                true => all.as_str().to_owned(),
                false => format!("{}\n{}", before.as_str(), &text[before.end()..all.end()]),
            }
        };
        self.then_separator.replace_all(text, replace).into_owned()
    }
}

/// Whether the units around `at` hold a trace of a diff, `back` before it and `ahead` behind.
fn is_diff(text: &str, at: usize, back: usize, ahead: usize) -> bool {
    let mut before: Vec<char> = text[..at].chars().rev().take(back).collect();
    before.reverse();
    let before: Vec<u16> = before.into_iter().collect::<String>().encode_utf16().collect();
    let mut window = before[before.len().saturating_sub(back)..].to_vec();
    window.extend(text[at..].encode_utf16().take(ahead));
    let window = String::from_utf16_lossy(&window);
    ["SEARCH", "REPLACE", "+++++++", "-------"].iter().any(|trace| window.contains(trace))
}
