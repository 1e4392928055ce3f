//! Colours of results, where standard output takes them.
//!
//! In: texts. Out: the same texts, perhaps between escapes. Never: says by colour alone what is not said in words.

use std::io;

use clap::builder::styling::{AnsiColor, Style};
use promptweave::CacheClass;

/// Whether results are coloured: on a terminal that can, without `NO_COLOR`; `CLICOLOR_FORCE` colours a pipe too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paint {
    Plain,
    Coloured,
}

/// What a colour stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hue {
    Class(CacheClass),
    Added,
    Removed,
    /// Where a piece of a difference stands.
    Place,
    Head,
}

impl Paint {
    /// What standard output takes.
    pub(crate) fn of_stdout() -> Self {
        Self::of(anstream::AutoStream::choice(&io::stdout()))
    }

    /// What standard error takes.
    pub(crate) fn of_stderr() -> Self {
        Self::of(anstream::AutoStream::choice(&io::stderr()))
    }

    fn of(choice: anstream::ColorChoice) -> Self {
        match choice {
            anstream::ColorChoice::Never => Self::Plain,
            anstream::ColorChoice::Auto
            | anstream::ColorChoice::Always
            | anstream::ColorChoice::AlwaysAnsi => Self::Coloured,
        }
    }

    /// A text in a colour.
    pub(crate) fn on(self, hue: Hue, text: &str) -> String {
        match self {
            Self::Plain => text.into(),
            Self::Coloured => {
                let style = hue.style();
                format!("{style}{text}{style:#}")
            }
        }
    }
}

impl Hue {
    fn style(self) -> Style {
        let colour = |colour: AnsiColor| colour.on_default();
        match self {
            Self::Class(CacheClass::Static) | Self::Added => colour(AnsiColor::Green),
            Self::Class(CacheClass::Session) => colour(AnsiColor::Yellow),
            Self::Class(CacheClass::Volatile) | Self::Removed => colour(AnsiColor::Red),
            Self::Place => colour(AnsiColor::Cyan),
            Self::Head => Style::new().bold(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_is_the_text_and_colours_end() {
        assert_eq!(Paint::Plain.on(Hue::Added, "a"), "a");
        assert_eq!(Paint::Coloured.on(Hue::Added, "a"), "\u{1b}[32ma\u{1b}[0m");
    }
}
