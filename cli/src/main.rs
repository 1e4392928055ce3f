//! The command line of promptweave.
//!
//! In: arguments, files, standard input. Out: the result on standard output, diagnostics on standard
//! error, an exit status. Never: decides what a prompt says; that is the engine's.
#![forbid(unsafe_code)]

mod args;
mod console;
mod context;
mod draw;
mod failure;
mod files;
mod packs;
mod payload;
mod plugins;
mod select;
mod table;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // Before anything else: this process may exist to run a plugin.
    if std::env::args_os().nth(1).is_some_and(|verb| verb == plugins::HOST_VERB) {
        return promptweave_loader::serve();
    }
    let args = args::Args::parse();
    let console = console::Console::new(args.json, args.verbose);
    match args.verb.run(&console) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell(&console);
            ExitCode::from(failure.status())
        }
    }
}
