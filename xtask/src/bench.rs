//! Runs the benches and prints what matters: ratios within one run.

use crate::command;

/// Large blocks stay in the program between two calls: else the C library would give them back, and what
/// is measured is how long the system takes to hand out fresh pages.
const KEEP_MEMORY: [(&str, &str); 2] =
    [("MALLOC_MMAP_THRESHOLD_", "1000000000"), ("MALLOC_TRIM_THRESHOLD_", "1000000000")];

/// Builds the program first: one of the ratios is about its start.
pub(crate) fn run(filter: &[&str]) -> Result<(), String> {
    command("cargo", &["build", "--release", "--package", "promptweave-cli"], &[])?;
    let mut missed = Vec::new();
    for table in ["ratios", "replies"] {
        let bench = ["bench", "--package", "promptweave-benches", "--bench", table, "--"];
        // A goal that is missed in one table is no reason not to see the other.
        missed.extend(command("cargo", &[&bench[..], filter].concat(), &KEEP_MEMORY).err());
    }
    if missed.is_empty() { Ok(()) } else { Err(missed.join("\n")) }
}
