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

use super::edit::Spare;
use super::{MAX_BYTES, marks};
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
    if traced.text.len() > MAX_BYTES {
        return traced;
    }
    if layout::is_all_value(&traced) {
        traced.drop_empty_pieces();
        return traced;
    }
    let layout = Layout::of(&traced, level);
    let mut records = scan::scan(&layout);
    let hinges = hinges::settled(&layout, &records, &traced.marks);
    let edits = plan::plan(&layout, &mut records);
    for (mark, at) in marks::hinges(&mut traced.marks).zip(hinges) {
        mark.at = at as u32;
    }
    edits.apply(&mut traced, &mut Spare::default());
    traced.drop_empty_pieces();
    traced
}

/// Tidies a plain text, all of which counts as text of the base template.
pub(crate) fn structural_text(text: impl Into<String>) -> String {
    structural(Traced { text: text.into(), ..Traced::default() }, Level::Base).text
}
