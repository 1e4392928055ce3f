//! Runs the benches and prints what matters: ratios within one run.

use crate::{command, node, python};

/// Large blocks stay in the program between two calls: else the C library would give them back, and what
/// is measured is how long the system takes to hand out fresh pages.
pub(crate) const KEEP_MEMORY: [(&str, &str); 2] =
    [("MALLOC_MMAP_THRESHOLD_", "1000000000"), ("MALLOC_TRIM_THRESHOLD_", "1000000000")];

/// The benches that print ratios, by their packages.
const BENCHES: &[(&str, &[&str])] = &[
    (
        "promptweave-benches",
        &[
            "ratios",
            "sessions",
            "payloads",
            "cache",
            "plugins",
            "instructions",
            "outside",
            "replies",
            "streams",
            "serve",
            "gateway",
        ],
    ),
    ("promptweave-c", &["languages"]),
];

/// Builds the programs first: some of the ratios are about their start.
pub(crate) fn run(filter: &[&str]) -> Result<(), String> {
    let programs = ["--package", "promptweave-cli", "--package", "promptweave-loader", "--bins"];
    command("cargo", &[&["build", "--release"][..], &programs].concat(), &[])?;
    let mut outcome = Ok(());
    let all =
        BENCHES.iter().flat_map(|(package, benches)| benches.iter().map(move |it| (package, it)));
    for (package, bench) in all {
        let bench = ["bench", "--package", package, "--bench", bench, "--"];
        outcome = outcome.and(command("cargo", &[&bench[..], filter].concat(), &KEEP_MEMORY));
    }
    outcome.and(python::bench(filter)).and(node::bench(filter))
}
