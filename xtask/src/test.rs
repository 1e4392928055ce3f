//! Everything that must pass before a change lands.

use std::process::{Command, Stdio};

use crate::package::{self, Profile};
use crate::{command, node, page, python};

/// Warnings of the compiler and of rustdoc are errors here.
const STRICT_DOCS: (&str, &str) = ("RUSTDOCFLAGS", "-D warnings");

/// Where a compiler is missing, what it would have compiled is not skipped but fails.
const COMPILERS: (&str, &str) = ("WEAVE_REQUIRE_CC", "1");
/// The same for the libraries that servers are driven by.
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
    install("valgrind");
    run_cargo(&["test", "--workspace"], &environment)?;
    package::c(Profile::Dev)?;
    let python = match python::tools() {
        Ok(tools) => python::test(&tools).map(|()| None)?,
        Err(why) if is_ci => return Err(why),
        Err(why) => Some(why),
    };
    // Where its tools are missing, that was said, and is said again at the end.
    if crate::sdks::install_only("npm").is_ok() {
        node::test()?;
    }
    crate::schemathesis::run(None)?;
    run_cargo(&["doc", "--workspace", "--no-deps"], &[STRICT_DOCS])?;
    page::run()?;
    match missing.or(python) {
        Some(why) => eprintln!("\nall of it passed that could be run; {why}"),
        None => eprintln!("\nall of it passed"),
    }
    Ok(())
}

pub(crate) fn bless() -> Result<(), String> {
    if let Err(why) = crate::sdks::install() {
        eprintln!("\n{why}");
    }
    run_cargo(&["test", "--workspace"], &[("INSTA_UPDATE", "always"), ("PROMPTWEAVE_BLESS", "1")])?;
    node::bless()
}

/// Gets a tool that some tests want, where that can be done without asking; they say so themselves where it is missing.
fn install(tool: &str) {
    let starts = |program: &str, arguments: &[&str]| {
        let quiet = Command::new(program).args(arguments).stdout(Stdio::null()).status();
        quiet.is_ok_and(|status| status.success())
    };
    let id = Command::new("id").arg("-u").output();
    let is_root = id.is_ok_and(|id| id.stdout.trim_ascii() == b"0");
    if is_root && !starts(tool, &["--version"]) {
        let _ = starts("apt-get", &["install", "--yes", tool]);
    }
}

fn run_cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    command("cargo", arguments, environment)
}
