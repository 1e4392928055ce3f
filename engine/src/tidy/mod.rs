//! Closes the gaps that conditional parts leave in a finished text.
//!
//! In: [`Traced`](crate::trace::Traced) text as it was rendered, or a plain string. Out: the same text without some
//! of its bytes and with some line feeds more; pieces and marks are carried along.
//! Never: rewrites a byte that it keeps, moves text, looks at what made a value.

mod classic;
mod edit;
mod marks;
mod structural;
#[cfg(test)]
mod tests;

pub(crate) use classic::{classic, classic_text};
pub(crate) use structural::{Level, structural, structural_text};

/// The line feed.
const LF: u8 = b'\n';

/// The longest text that is tidied: offsets have 32 bits, and a text may grow. A longer one is left alone.
const MAX_BYTES: usize = (u32::MAX / 2) as usize;
