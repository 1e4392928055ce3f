//! Closes gaps by what stands in them: template text, tags and values.
//!
//! In: a text with its pieces. Out: the same text without lines that came out empty, headings without content,
//! doubled separators and doubled blank lines.
//! Never: changes a byte of a value, except that a heading takes the values on its line along; changes a text
//! that it has tidied before.

mod hinges;
mod layout;
mod line;
mod plan;
mod scan;

use std::borrow::Cow;

use super::edit::{self, Edits};
use crate::trace::Traced;
use layout::Layout;

/// Which text is tidied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// The base template with its sections: a section counts as a value, and lines of `=` separate.
    Base,
    /// One component's own text: a line of `=` is content, it may belong to the example of a diff.
    Component,
}

/// Tidies a text with pieces and marks.
pub(crate) fn structural(mut traced: Traced, level: Level) -> Traced {
    let layout = Layout::of(&traced, level);
    let mut records = scan::scan(&layout);
    let hinges = hinges::settled(&layout, &records, &traced.marks);
    let edits = plan::plan(&layout, &mut records);
    for (mark, at) in super::marks::hinges(&mut traced.marks).zip(hinges) {
        mark.at = at as u32;
    }
    edits.apply(&mut traced);
    edit::drop_empty(&mut traced.pieces);
    traced
}

/// Tidies a plain text, all of which counts as text of the base template.
pub(crate) fn structural_text(text: &str) -> Cow<'_, str> {
    let layout = Layout::of_text(text);
    let edits: Edits = plan::plan(&layout, &mut scan::scan(&layout));
    if edits.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(edits.text(text)) }
}
