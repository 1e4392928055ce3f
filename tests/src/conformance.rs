//! Finds the data that was made by running other programs.
//!
//! In: the environment variable `PROMPTWEAVE_CONFORMANCE`, else the folder `shared/conformance` beside the
//! checkout. Out: rows and files. Never: fails because the data is absent; it says so, and the test passes.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The environment variable that names the folder.
pub const VARIABLE: &str = "PROMPTWEAVE_CONFORMANCE";

/// The folder or file `name` of the data; without it a loud line, and none.
pub fn find(name: &str) -> Option<PathBuf> {
    let beside = || crate::pack::root().join("../shared/conformance");
    let folder = std::env::var_os(VARIABLE).map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!(
        "\n!!! NOT TESTED: {} is absent; set {VARIABLE} to the folder that holds it\n",
        path.display()
    );
    None
}

/// The rows of a file of JSON lines. Lines end with LF alone: strings hold other line ends.
///
/// # Panics
/// When the file cannot be read, or a row is not what the test takes it for.
pub fn rows<T: DeserializeOwned>(path: &Path) -> Vec<T> {
    let text = read(path);
    let lines = text.split('\n').filter(|line| !line.is_empty());
    lines.map(|line| serde_json::from_str(line).expect("a row of the expected shape")).collect()
}

/// A file's text.
///
/// # Panics
/// When it cannot be read.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files of a folder with that ending, sorted.
///
/// # Panics
/// When the folder cannot be read.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder of conformance data");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|own| own == ending)).collect();
    paths.sort();
    paths
}
