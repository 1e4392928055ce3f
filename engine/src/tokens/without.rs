//! Stands in for exact counts where the feature `tokens` is off.

use crate::facts::Encoding;

/// None: there is no vocabulary.
pub(super) fn count(_: Encoding, _: &str) -> Option<usize> {
    None
}
