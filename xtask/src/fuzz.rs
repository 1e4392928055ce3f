//! Runs the fuzz targets, each from its seeds and from what it found before.

use std::process::Command;

use crate::{command, root};

const TARGETS: &[&str] = &["frames", "load", "render", "reply_exact", "reply_robust", "wire"];

/// libFuzzer's instrumentation is behind unstable flags; this lets a stable compiler accept them.
const UNSTABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

pub(crate) fn run(seconds: &str) -> Result<(), String> {
    seconds.parse::<u32>().map_err(|_| format!("`{seconds}` is not a number of seconds"))?;
    let there = Command::new("cargo").args(["fuzz", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        command("cargo", &["install", "--locked", "cargo-fuzz"], &[])?;
    }
    for target in TARGETS {
        fuzz(target, &format!("-max_total_time={seconds}"))?;
    }
    Ok(())
}

fn fuzz(target: &str, limit: &str) -> Result<(), String> {
    let found = format!("fuzz/corpus/{target}");
    // cargo-fuzz makes its own folder only when no other is named.
    let made = std::fs::create_dir_all(format!("{}/{found}", root()));
    made.map_err(|error| format!("`{found}` cannot be made: {error}"))?;
    let seeds = format!("fuzz/seeds/{target}");
    let run = ["fuzz", "run", "--sanitizer", "none", target, &found, &seeds, "--"];
    let limits = [
        limit,
        "-dict=fuzz/words.dict",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-print_final_stats=1",
    ];
    command("cargo", &[&run[..], &limits].concat(), &[UNSTABLE])
}
