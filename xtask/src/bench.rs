//! Runs the benches and prints what matters: ratios within one run.

use crate::run as run_program;

pub(crate) fn run(filter: &[&str]) -> Result<(), String> {
    let mut arguments =
        vec!["bench", "--package", "promptweave-benches", "--bench", "ratios", "--"];
    arguments.extend(filter);
    run_program("cargo", &arguments, &[])
}
