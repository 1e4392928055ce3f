//! Finds forged markup and phrases.
//!
//! In: rules, a text, the hidden characters in it. Out: findings. Never: lets a hidden character break up a word that it
//! looks for.

use std::borrow::Cow;
use std::ops::Range;

use crate::hidden::is_ignorable;
use crate::rules::Rules;
use crate::{Action, Finding, Place};

/// Adds what the patterns find in a text as it is seen.
pub(crate) fn find(rules: &Rules, visible: &Visible<'_>, findings: &mut Vec<Finding>) {
    for rule in rules.finding(&visible.text) {
        for found in rule.pattern.find_iter(visible.text.as_bytes()) {
            findings.push(Finding {
                rule: rule.id.clone(),
                kind: rule.kind,
                range: visible.range(whole(&visible.text, found.range())),
                place: Place::Prose,
                action: Action::Allow,
                detail: String::new(),
            });
        }
    }
}

/// The same with all of the characters at its ends: patterns see bytes.
fn whole(text: &str, Range { mut start, mut end }: Range<usize>) -> Range<usize> {
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// A text as a reader sees it, without the characters that show nothing.
pub(crate) struct Visible<'t> {
    text: Cow<'t, str>,
    /// Positions in the visible text, each with the number of bytes that were left out before it, in order.
    left_out: Vec<(usize, usize)>,
}

impl<'t> Visible<'t> {
    /// A text that has none of them.
    pub(crate) fn whole(text: &'t str) -> Self {
        Self { text: Cow::Borrowed(text), left_out: Vec::new() }
    }

    /// A text that may.
    pub(crate) fn of(text: &str) -> Self {
        let (mut visible, mut left_out, mut bytes) = (String::with_capacity(text.len()), vec![], 0);
        for character in text.chars() {
            if is_ignorable(character) {
                bytes += character.len_utf8();
                left_out.push((visible.len(), bytes));
            } else {
                visible.push(character);
            }
        }
        Self { text: Cow::Owned(visible), left_out }
    }

    fn range(&self, seen: Range<usize>) -> Range<usize> {
        // What was left out at a border belongs neither to the end nor to the start.
        let before = |at: usize| self.left_out.partition_point(|(place, _)| *place < at);
        let bytes = |count: usize| count.checked_sub(1).map_or(0, |last| self.left_out[last].1);
        let start = self.left_out.partition_point(|(place, _)| *place <= seen.start);
        seen.start + bytes(start)..seen.end + bytes(before(seen.end))
    }
}
