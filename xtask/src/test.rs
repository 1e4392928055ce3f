//! Everything that must pass before a change lands.

use crate::command;

/// Warnings of the compiler and of rustdoc are errors here.
const STRICT_DOCS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");

pub(crate) fn run() -> Result<(), String> {
    run_cargo(&["fmt", "--all", "--check"], &[])?;
    run_cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    run_cargo(
        &["test", "--workspace"],
        &[("INSTA_UPDATE", "no"), ("INSTA_WORKSPACE_ROOT", crate::root())],
    )?;
    run_cargo(&["doc", "--workspace", "--no-deps"], &[STRICT_DOCS])?;
    eprintln!("\nall of it passed");
    Ok(())
}

pub(crate) fn bless() -> Result<(), String> {
    run_cargo(&["test", "--workspace"], &[("INSTA_UPDATE", "always"), ("PROMPTWEAVE_BLESS", "1")])
}

fn run_cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    command("cargo", arguments, environment)
}
