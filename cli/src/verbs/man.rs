//! `man`: the definitions of this help, as manual pages.

use std::fs;
use std::io;
use std::path::PathBuf;

use clap::{Args, CommandFactory};

use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave man | man -l -
  promptweave man ~/.local/share/man/man1";

/// Print the manual page, or write the pages of all verbs to a folder
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Where `promptweave.1`, `promptweave-build.1` and so on are written
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let command = crate::args::Args::command();
        let Some(dir) = &self.dir else {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page).map_err(|error| unwritten(&error))?;
            return console.out(page);
        };
        let written = fs::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
        written.map_err(|error| unwritten(&error))
    }
}

fn unwritten(error: &io::Error) -> Failure {
    Failure::input(
        format!("the pages cannot be written: {error}"),
        "name a folder that can be written to",
    )
}
