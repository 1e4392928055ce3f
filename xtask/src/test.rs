//! Everything that must pass before a change lands.

use crate::{command, page};

/// Warnings of the compiler and of rustdoc are errors here.
const STRICT_DOCS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");

/// Where a compiler is missing, what it would have compiled is not skipped but fails.
const COMPILERS: (&str, &str) = ("WEAVE_REQUIRE_CC", "1");

pub(crate) fn run() -> Result<(), String> {
    run_cargo(&["fmt", "--all", "--check"], &[])?;
    run_cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    let mut environment = vec![("INSTA_UPDATE", "no"), ("INSTA_WORKSPACE_ROOT", crate::root())];
    if std::env::var("CI").is_ok_and(|ci| ci == "true") {
        environment.push(COMPILERS);
    }
    run_cargo(&["test", "--workspace"], &environment)?;
    crate::schemathesis::run(None)?;
    run_cargo(&["doc", "--workspace", "--no-deps"], &[STRICT_DOCS])?;
    page::run()?;
    eprintln!("\nall of it passed");
    Ok(())
}

pub(crate) fn bless() -> Result<(), String> {
    run_cargo(&["test", "--workspace"], &[("INSTA_UPDATE", "always"), ("PROMPTWEAVE_BLESS", "1")])
}

fn run_cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    command("cargo", arguments, environment)
}
