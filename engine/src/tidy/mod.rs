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

pub(crate) use classic::classic;
pub(crate) use structural::{Level, structural};

/// Tidies a plain text, all of which counts as template text.
pub fn tidy_text(mode: TidyMode, text: impl Into<String>) -> String {
    match mode {
        TidyMode::Structural => structural::structural_text(text),
        TidyMode::Classic => classic::classic_text(text),
        TidyMode::Off => text.into(),
    }
}

/// How a finished text is tidied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TidyMode {
    /// By pieces: idempotent, never inside a value.
    #[default]
    Structural,
    /// The byte-exact chain over the whole text.
    Classic,
    /// Not at all.
    Off,
}

impl TidyMode {
    /// `structural`, `classic` or `off`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Structural => "structural",
            Self::Classic => "classic",
            Self::Off => "off",
        }
    }
}

/// The line feed.
const LF: u8 = b'\n';

/// The longest text that is tidied: offsets have 32 bits, and a text may grow. A longer one is left alone.
const MAX_BYTES: usize = (u32::MAX / 2) as usize;
