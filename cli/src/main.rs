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
mod paint;
mod payload;
mod plugins;
mod revision;
mod select;
mod served;
mod session;
mod table;
mod verbs;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    // Before anything else: this process may exist to run a plugin.
    let verb = std::env::args_os().nth(1);
    if verb.as_ref().is_some_and(|verb| verb == plugins::HOST_VERB) {
        return promptweave_loader::serve();
    }
    if verb.is_some_and(|verb| verb == plugins::CHECK_VERB) {
        return promptweave_testkit::serve();
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
