//! The chain of replacements that packs written for the classic host expect, byte for byte.
//!
//! In: any text, values and verbatim parts included. Out: what eleven regular expressions with JavaScript's
//! semantics would leave of it, in time linear in the text.
//! Never: runs a regular expression; each step finds its edits by scanning.

mod diff;
mod hinges;
mod steps;
mod white;

use std::borrow::Cow;

use super::edit::{self, Edits};
use crate::trace::Traced;

/// A replacement of the chain.
struct Step {
    find: fn(&[u8], &mut Edits),
    /// Whether it looks for traces of a diff around each place that it might edit.
    windowed: bool,
}

impl Step {
    const fn new(find: fn(&[u8], &mut Edits)) -> Self {
        Self { find, windowed: false }
    }

    const fn windowed(find: fn(&[u8], &mut Edits)) -> Self {
        Self { find, windowed: true }
    }
}

/// The chain. Its seventh replacement (`/\n##\s*$[\r\n]*/gm`) is not here: the sixth leaves nothing to it.
const STEPS: [Step; 10] = [
    Step::new(steps::collapse_blank_lines),
    Step::new(steps::trim),
    Step::new(steps::drop_last_separator),
    Step::new(steps::join_separator_lines),
    Step::new(steps::join_separators),
    Step::new(steps::drop_empty_headings),
    Step::windowed(steps::space_after_separators),
    Step::windowed(steps::space_before_separators),
    Step::new(steps::collapse_blank_lines),
    Step::new(steps::trim),
];

/// Runs the chain over a text with pieces and marks.
pub(crate) fn classic(mut traced: Traced) -> Traced {
    let mut edits = Edits::default();
    for step in &STEPS {
        hinges::move_back(traced.text.as_bytes(), &mut traced.marks, step.windowed);
        edits.clear();
        (step.find)(traced.text.as_bytes(), &mut edits);
        edits.apply(&mut traced);
    }
    edit::drop_empty(&mut traced.pieces);
    traced
}

/// Runs the chain over a plain text.
pub(crate) fn classic_text(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    let mut edits = Edits::default();
    for step in &STEPS {
        edits.clear();
        (step.find)(text.as_bytes(), &mut edits);
        if !edits.is_empty() {
            text = Cow::Owned(edits.text(&text));
        }
    }
    text
}
