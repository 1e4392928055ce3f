//! Moves hinges back to where the step to come cannot tell what stands behind them.
//!
//! In: the text that enters a step, and its marks. Out: the hinges moved; boundaries stay.
//! Never: looks at anything behind a hinge.

use super::diff::REACH;
use super::white::{is_ascii_white, units_before, white_before};
use crate::tidy::marks::{Back, hinges};
use crate::trace::Mark;

/// Moves each hinge back over white space, `=` and `#`, which the steps read as one thing. Before a
/// windowed step also as far as its windows reach, and then over those characters again.
///
/// Two texts that agree up to a hinge then get the same edits before it. Cutting the finished text
/// instead is wrong: an edit near the hinge shifts what stands before it.
pub(super) fn move_back(bytes: &[u8], marks: &mut [Mark], windowed: bool) {
    let mut soft = Back::default();
    let mut window = (0, 0);
    let mut soft_before_window = Back::default();
    for mark in hinges(marks) {
        let mut at = soft.walk(mark.at as usize, |at| soft_before(bytes, at));
        if windowed {
            if window.0 != at {
                window = (at, units_before(bytes, at, REACH));
            }
            at = soft_before_window.walk(window.1, |at| soft_before(bytes, at));
        }
        mark.at = at as u32;
    }
}

/// The length of the white space, `=` or `#` that ends at `end`, else 0.
fn soft_before(bytes: &[u8], end: usize) -> usize {
    match end.checked_sub(1).map(|last| bytes[last]) {
        Some(byte) if byte == b'=' || byte == b'#' || is_ascii_white(byte) => 1,
        Some(0x80..) => white_before(bytes, end),
        Some(_) | None => 0,
    }
}
