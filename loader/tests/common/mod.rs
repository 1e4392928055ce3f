//! Compiles the C sources of these tests.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The source of a library for tests.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects").join(name)
}

/// Compiles a source of `objects/` into a library; none, loudly, where there is no compiler. Its first
/// line may name flags: `/* flags: -Wl,... */`.
pub(crate) fn compile(name: &str, into: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(source(name)).unwrap();
    let flags = text
        .lines()
        .next()
        .and_then(|line| line.strip_prefix("/* flags: ").and_then(|rest| rest.strip_suffix(" */")));
    let library = into.join(format!("lib{}.so", name.trim_end_matches(".c")));
    let cc = std::env::var("CC").unwrap_or_else(|_| "cc".into());
    let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/objects");
    let built = Command::new(&cc)
        .args(["-shared", "-fPIC", "-w", "-I"])
        .arg(include)
        .arg(source(name))
        .args(flags.into_iter().flat_map(str::split_whitespace))
        .arg("-o")
        .arg(&library)
        .output();
    match built {
        Ok(built) if built.status.success() => Some(library),
        Ok(built) => panic!("{name}: {}", String::from_utf8_lossy(&built.stderr)),
        Err(error) => {
            assert!(std::env::var_os("WEAVE_REQUIRE_CC").is_none(), "no `{cc}`: {error}");
            eprintln!("SKIPPED: `{cc}` cannot be run: {error}");
            None
        }
    }
}
