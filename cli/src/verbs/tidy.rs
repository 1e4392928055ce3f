//! `tidy`: closes the gaps in a text.

use std::path::Path;

use clap::{Args, ValueEnum};
use promptweave::TidyMode;

use crate::console::Console;
use crate::failure::Failure;
use crate::files;

const EXAMPLES: &str = "\
Examples:
  promptweave tidy < prompt.md
  promptweave tidy --mode classic < prompt.md > tidied.md";

/// Tidy the text on standard input: all of it counts as template text
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tidy {
    /// How
    #[arg(long, value_enum, default_value_t)]
    mode: Mode,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Mode {
    /// Drops headings and separators without content, and blank lines in excess
    #[default]
    Structural,
    /// The chain of replacements that packs written for it expect, byte for byte
    Classic,
}

impl Tidy {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let text = files::read_exact(Path::new(files::STDIN))?;
        let mode = match self.mode {
            Mode::Structural => TidyMode::Structural,
            Mode::Classic => TidyMode::Classic,
        };
        console.out(promptweave::tidy_text(mode, text).as_bytes())
    }
}
