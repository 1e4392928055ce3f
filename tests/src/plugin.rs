//! Plugins for tests: built, sealed into a folder, and the program that runs them.
//!
//! In: names of packages. Out: files that a host can load. Never: loads one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use promptweave_loader::{Digest, HostProgram, MANIFEST_FILE, host_target};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::pack::root;

/// Builds a plugin's package as a library.
///
/// # Panics
/// When it does not build.
pub fn library(package: &str) -> PathBuf {
    let files = build(&["--package", package, "--lib", "--features", "export"]);
    let library = files.into_iter().find(|file| {
        file.extension().is_some_and(|extension| extension == std::env::consts::DLL_EXTENSION)
    });
    library.expect("a shared library")
}

/// Builds the program that runs plugins.
///
/// # Panics
/// When it does not build.
pub fn program() -> HostProgram {
    binary("promptweave-loader", "promptweave-plugin-host")
}

/// Builds the program that checks plugins.
///
/// # Panics
/// When it does not build.
pub fn checker() -> HostProgram {
    binary("promptweave-testkit", "promptweave-plugin-check")
}

fn binary(package: &str, name: &str) -> HostProgram {
    let files = build(&["--package", package, "--bin", name]);
    let path = files.into_iter().find(|file| file.file_stem().is_some_and(|stem| stem == name));
    HostProgram { path: path.expect("a program"), args: Vec::new() }
}

/// A folder as a release has it: the library, and the manifest with the library's digest.
///
/// # Panics
/// When the package does not build, or the disk takes nothing.
pub fn sealed(package: &str, manifest: &Path) -> TempDir {
    let library = library(package);
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = std::fs::read(&library).expect("the library");
    let name = library.file_name().expect("a name").to_string_lossy().into_owned();
    let manifest = std::fs::read_to_string(manifest).expect("the manifest");
    let (target, sha256) = (host_target(), Digest::of(&bytes));
    let sealed =
        format!("{manifest}\n[library.{target}]\nfile = \"{name}\"\nsha256 = \"{sha256}\"\n");
    std::fs::write(folder.path().join(&name), bytes).expect("room");
    std::fs::write(folder.path().join(MANIFEST_FILE), sealed).expect("room");
    folder
}

/// Runs `cargo build`, which waits for no lock while tests run, and gives the files that it made.
fn build(arguments: &[&str]) -> Vec<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(["build", "--locked", "--message-format=json-render-diagnostics"]);
    let done = command.args(arguments).current_dir(root()).stderr(Stdio::inherit()).output();
    let done = done.expect("cargo");
    assert!(done.status.success(), "`cargo build {}` failed", arguments.join(" "));
    let messages = String::from_utf8_lossy(&done.stdout).into_owned();
    let messages = messages.lines().filter_map(|line| serde_json::from_str::<Json>(line).ok());
    let made = messages.filter(|message| message["reason"] == "compiler-artifact");
    let name = |message: &Json| arguments[1] == package_of(message);
    let made = made.filter(name).flat_map(|message| {
        let files = message["filenames"].as_array().cloned().unwrap_or_default();
        files.into_iter().filter_map(|file| file.as_str().map(PathBuf::from))
    });
    made.collect()
}

/// The name within `path+file:///…/loader#promptweave-loader@0.1.0`.
fn package_of(message: &Json) -> String {
    let id = message["package_id"].as_str().unwrap_or_default();
    let (path, name) = id.rsplit_once('#').unwrap_or_default();
    match name.split_once('@') {
        Some((name, _)) => name.into(),
        None => path.rsplit('/').next().unwrap_or_default().into(),
    }
}
