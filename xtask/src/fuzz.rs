//! Runs the fuzz targets.

use std::process::Command;

use crate::command;

const TARGETS: &[&str] = &["load", "render"];

/// libFuzzer's instrumentation is behind unstable flags; this lets a stable compiler accept them.
const UNSTABLE: (&str, &str) = ("RUSTC_BOOTSTRAP", "1");

pub(crate) fn run(seconds: &str) -> Result<(), String> {
    seconds.parse::<u32>().map_err(|_| format!("`{seconds}` is not a number of seconds"))?;
    let there = Command::new("cargo").args(["fuzz", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        command("cargo", &["install", "--locked", "cargo-fuzz"], &[])?;
    }
    let limit = format!("-max_total_time={seconds}");
    for target in TARGETS {
        let arguments = [
            "fuzz",
            "run",
            "--sanitizer",
            "none",
            target,
            "--",
            &limit,
            "-timeout=10",
            "-rss_limit_mb=2048",
        ];
        run_target(&arguments)?;
    }
    Ok(())
}

fn run_target(arguments: &[&str]) -> Result<(), String> {
    command("cargo", arguments, &[UNSTABLE])
}
