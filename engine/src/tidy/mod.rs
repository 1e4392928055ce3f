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

use crate::model::TidyMode;

pub(crate) use classic::{classic, classic_text};
pub(crate) use structural::{Level, structural, structural_text};

/// Tidies a text, all of which counts as template text.
pub fn tidy_text(mode: TidyMode, text: &str) -> String {
    match mode {
        TidyMode::Structural => structural_text(text).into_owned(),
        TidyMode::Classic => classic_text(text).into_owned(),
        TidyMode::Off => text.into(),
    }
}

/// The line feed.
const LF: u8 = b'\n';
