//! Counts of tokens as providers tell them, within bounds.
//!
//! In: a provider's counts. Out: whole numbers from 0 to [`MAX_TOKENS`]. Never: a count that overflows a sum, or that a reader of JSON
//! would round.

use std::cell::Cell;

use serde_json::Value as Json;

use crate::event::Usage;
use crate::note::NoteCode;
use crate::piece::Piece;

/// No answer has more.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// The counts of one object, and whether they can be.
pub(super) struct Counts<'j> {
    usage: &'j Json,
    clamped: Cell<u32>,
}

impl<'j> Counts<'j> {
    pub(super) fn of(usage: &'j Json) -> Self {
        Self { usage, clamped: Cell::new(0) }
    }

    /// The count at the end of a path; one that cannot be becomes the nearest that can.
    pub(super) fn at(&self, path: &[&str]) -> Option<u64> {
        let told = path.iter().try_fold(self.usage, |at, key| at.get(key))?;
        self.count(told)
    }

    /// A number as a count.
    pub(super) fn count(&self, told: &Json) -> Option<u64> {
        let told = told.as_number()?;
        // The conversion saturates: what is below 0 becomes 0.
        let nearest = told.as_u64().or_else(|| told.as_f64().map(|number| number as u64))?;
        let count = nearest.min(MAX_TOKENS);
        if told.as_u64() != Some(count) {
            self.clamped.set(self.clamped.get() + 1);
        }
        Some(count)
    }

    /// Tells what was made of them.
    pub(super) fn tell(self, usage: Usage, out: &mut Vec<Piece>) {
        out.push(Piece::Usage(usage));
        out.extend((0..self.clamped.get()).map(|_| Piece::Note(NoteCode::UsageClamped)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_that_cannot_be_become_the_nearest() {
        let usage = json!({ "a": 5, "b": -1, "c": 2.7, "d": u64::MAX, "e": 1e300, "f": "5", "g": null, "h": { "i": 3.0 } });
        let counts = Counts::of(&usage);
        let found = ["a", "b", "c", "d", "e", "f", "g"].map(|key| counts.at(&[key]));
        let most = Some(MAX_TOKENS);
        assert_eq!(found, [Some(5), Some(0), Some(2), most, most, None, None]);
        assert_eq!(counts.at(&["h", "i"]), Some(3));
        assert_eq!(counts.clamped.get(), 5);
    }
}
