//! `completions`: the definitions of this help, for a shell.

use clap::{Args, CommandFactory};

use crate::console::Console;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  promptweave completions bash > ~/.local/share/bash-completion/completions/promptweave
  promptweave completions fish > ~/.config/fish/completions/promptweave.fish";

/// Print completions for a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: clap_complete::Shell,
}

impl Completions {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let mut command = crate::args::Args::command();
        let name = command.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        console.out(script)
    }
}
