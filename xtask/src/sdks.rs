//! Installs the official libraries that servers are driven by, below `target/sdk`; what is there already stays.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{command, root};

/// Folders with a `package.json` and what pins it, each with its name below `target/sdk`.
const NODE: &[(&str, &str)] = &[("mcp", "mcp/tests/sdk/node")];
const PINS: &str = "package-lock.json";
/// Says which versions are installed: a copy of the file that pins them.
const STAMP: &str = "installed";

/// Installs all of them, and says what could not be.
pub(crate) fn install() -> Result<(), String> {
    NODE.iter().try_for_each(|(name, source)| {
        once(source, &format!("target/sdk/{name}")).map_err(|_| {
            format!(
                "nothing can be driven by the libraries of `{source}`, which cannot be installed; `node`, `npm` and its \
                 registry are needed"
            )
        })
    })
}

/// Installs unless the same versions are there.
fn once(source: &str, folder: &str) -> Result<(), String> {
    let path = |below: &str| PathBuf::from(root()).join(below);
    let pinned = fs::read(path(source).join(PINS)).map_err(|error| error.to_string())?;
    let stamp = path(folder).join(STAMP);
    if fs::read(&stamp).is_ok_and(|stamp| stamp == pinned) {
        return Ok(());
    }
    fs::create_dir_all(path(folder)).map_err(|error| error.to_string())?;
    copy(&path(source), &path(folder))?;
    command("npm", &["ci", "--prefix", folder, "--no-audit", "--no-fund", "--silent"], &[])?;
    fs::write(stamp, pinned).map_err(|error| error.to_string())
}

fn copy(from: &Path, to: &Path) -> Result<(), String> {
    for file in ["package.json", PINS, ".npmrc"] {
        fs::copy(from.join(file), to.join(file)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
