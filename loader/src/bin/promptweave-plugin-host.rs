//! The process that runs one plugin; hosts start it, people do not.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    promptweave_loader::serve()
}
