//! Installs the official libraries that the gateway is driven by, below `target/sdk`; what is there already stays.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{command, root};

const SOURCES: &str = "gateway/tests/sdk";
/// Says which versions are installed: a copy of the file that pins them.
const STAMP: &str = "installed";

/// Installs both, and says what could not be.
pub(crate) fn install() -> Result<(), String> {
    let why = |what: &str| {
        format!(
            "the gateway cannot be driven by the library for {what}, which cannot be installed; \
             `python3` with `venv`, `node` and `npm` are needed, and their registries"
        )
    };
    let python = once("python", "requirements.txt", python).map_err(|_| why("Python"));
    let node = once("node", "package-lock.json", node).map_err(|_| why("Node"));
    python.and(node)
}

/// Installs unless the same versions are there.
fn once(
    language: &str,
    pins: &str,
    install: fn(&str, &str) -> Result<(), String>,
) -> Result<(), String> {
    let source = format!("{SOURCES}/{language}");
    let folder = format!("target/sdk/{language}");
    let path = |below: &str| PathBuf::from(root()).join(below);
    let pinned = fs::read(path(&source).join(pins)).map_err(|error| error.to_string())?;
    let stamp = path(&folder).join(STAMP);
    if fs::read(&stamp).is_ok_and(|stamp| stamp == pinned) {
        return Ok(());
    }
    fs::create_dir_all(path(&folder)).map_err(|error| error.to_string())?;
    install(&source, &folder)?;
    fs::write(stamp, pinned).map_err(|error| error.to_string())
}

fn python(source: &str, folder: &str) -> Result<(), String> {
    command("python3", &["-m", "venv", folder], &[])?;
    let pip = format!("{folder}/bin/pip");
    let pins = format!("{source}/requirements.txt");
    command(&pip, &["install", "--quiet", "--disable-pip-version-check", "-r", &pins], &[])
}

fn node(source: &str, folder: &str) -> Result<(), String> {
    for file in ["package.json", "package-lock.json", ".npmrc"] {
        let (from, to) = (Path::new(root()).join(source), Path::new(root()).join(folder));
        fs::copy(from.join(file), to.join(file)).map_err(|error| error.to_string())?;
    }
    command("npm", &["ci", "--prefix", folder, "--no-audit", "--no-fund", "--silent"], &[])
}
