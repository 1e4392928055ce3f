//! Everything that must pass before a change lands.

use crate::command;

/// Warnings of the compiler and of rustdoc are errors here.
const STRICT_DOCS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");

/// Where a compiler is missing, what it would have compiled is not skipped but fails.
const COMPILERS: (&str, &str) = ("WEAVE_REQUIRE_CC", "1");
/// The same for the libraries that the gateway is driven by.
const SDKS: (&str, &str) = ("WEAVE_REQUIRE_SDKS", "1");

pub(crate) fn run() -> Result<(), String> {
    run_cargo(&["fmt", "--all", "--check"], &[])?;
    run_cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    let mut environment = vec![("INSTA_UPDATE", "no"), ("INSTA_WORKSPACE_ROOT", crate::root())];
    let is_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    if is_ci {
        environment.extend([COMPILERS, SDKS]);
    }
    let missing = crate::sdks::install().err();
    if let Some(why) = &missing {
        eprintln!("\n{why}");
    }
    run_cargo(&["test", "--workspace"], &environment)?;
    run_cargo(&["doc", "--workspace", "--no-deps"], &[STRICT_DOCS])?;
    match missing {
        Some(why) => eprintln!("\nall of it passed that could be run; {why}"),
        None => eprintln!("\nall of it passed"),
    }
    Ok(())
}

pub(crate) fn bless() -> Result<(), String> {
    if let Err(why) = crate::sdks::install() {
        eprintln!("\n{why}");
    }
    run_cargo(&["test", "--workspace"], &[("INSTA_UPDATE", "always"), ("PROMPTWEAVE_BLESS", "1")])
}

fn run_cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    command("cargo", arguments, environment)
}
