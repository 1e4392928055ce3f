//! The process that checks one plugin; test kits start it, people do not.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    promptweave_testkit::serve()
}
