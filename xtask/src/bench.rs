//! Runs the benches and prints what matters: ratios within one run.

use crate::command;

/// Builds the program first: one of the ratios is about its start.
pub(crate) fn run(filter: &[&str]) -> Result<(), String> {
    command("cargo", &["build", "--release", "--package", "promptweave-cli"], &[])?;
    let mut arguments =
        vec!["bench", "--package", "promptweave-benches", "--bench", "ratios", "--"];
    arguments.extend(filter);
    command("cargo", &arguments, &[])
}
