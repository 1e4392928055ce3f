//! Installs the official libraries that servers are driven by, below `target/sdk`; what is there already stays.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{command, root};

/// Says which versions are installed: a copy of the file that pins them.
const STAMP: &str = "installed";

/// Libraries in one folder: its name below `target/sdk`, where they are pinned and by which file, how they are installed.
struct Sdk {
    name: &'static str,
    source: &'static str,
    pins: &'static str,
    install: fn(source: &str, folder: &str) -> Result<(), String>,
}

const SDKS: [Sdk; 4] = [
    Sdk {
        name: "python",
        source: "gateway/tests/sdk/python",
        pins: "requirements.txt",
        install: python,
    },
    Sdk {
        name: "node",
        source: "gateway/tests/sdk/node",
        pins: "package-lock.json",
        install: node,
    },
    Sdk { name: "mcp", source: "mcp/tests/sdk/node", pins: "package-lock.json", install: node },
    Sdk {
        name: "npm",
        source: "bindings/node/tests/packages",
        pins: "package-lock.json",
        install: node,
    },
];

/// Installs all of them, and says what could not be.
pub(crate) fn install() -> Result<(), String> {
    SDKS.iter().map(told).fold(Ok(()), Result::and)
}

/// Installs those of one name.
pub(crate) fn install_only(name: &str) -> Result<(), String> {
    SDKS.iter().filter(|sdk| sdk.name == name).map(told).fold(Ok(()), Result::and)
}

/// Installs one, or says what cannot be done without it.
fn told(sdk: &Sdk) -> Result<(), String> {
    once(sdk).map_err(|_| {
        format!(
            "nothing can be driven by the libraries of `{}`, which cannot be installed; `python3` with `venv`, \
             `node` and `npm` are needed, and their registries",
            sdk.source
        )
    })
}

/// Installs unless the same versions are there.
fn once(sdk: &Sdk) -> Result<(), String> {
    let folder = format!("target/sdk/{}", sdk.name);
    let path = |below: &str| PathBuf::from(root()).join(below);
    let pinned = fs::read(path(sdk.source).join(sdk.pins)).map_err(|error| error.to_string())?;
    let stamp = path(&folder).join(STAMP);
    if fs::read(&stamp).is_ok_and(|stamp| stamp == pinned) {
        return Ok(());
    }
    fs::create_dir_all(path(&folder)).map_err(|error| error.to_string())?;
    (sdk.install)(sdk.source, &folder)?;
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
