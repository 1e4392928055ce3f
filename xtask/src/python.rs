//! The wheel for Python: made, installed where nothing else is, tested, measured.
//!
//! In: the workspace, `python.txt`. Out: a wheel below `target/archives`. Never: a version of the tools that is not written down.

use std::fs;
use std::path::{Path, PathBuf};

use crate::package::Profile;
use crate::{command, root, target};

const REQUIREMENTS: &str = "xtask/python.txt";
const CRATE: &str = "bindings/python/Cargo.toml";
/// Where the wheel takes the program from that plugins run in.
const PROGRAMS: &str = "bindings/python/python/promptweave/bin";
const PROGRAM: &str = "promptweave-plugin-host";

/// The tools, installed where they are missing or others.
pub(crate) fn tools() -> Result<PathBuf, String> {
    let folder = target().join("python/tools");
    let wanted = fs::read_to_string(Path::new(root()).join(REQUIREMENTS));
    let wanted = wanted.map_err(|error| format!("`{REQUIREMENTS}` cannot be read: {error}"))?;
    let installed = folder.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|there| there == wanted) {
        return Ok(folder);
    }
    install(&folder, &["--requirement", REQUIREMENTS])?;
    fs::write(&installed, wanted).map_err(|error| format!("{}: {error}", installed.display()))?;
    Ok(folder)
}

/// Makes an environment and installs packages there.
fn install(folder: &Path, packages: &[&str]) -> Result<(), String> {
    let pip = shown(&folder.join("bin/pip"));
    let quiet = ["install", "--quiet", "--disable-pip-version-check"];
    let done = command("python3", &["-m", "venv", "--clear", &shown(folder)], &[])
        .and_then(|()| command(&pip, &[&quiet[..], packages].concat(), &[]));
    done.map_err(|why| {
        format!(
            "{why}\nhelp: the package for Python needs python3 with venv, and the package index or a mirror of it"
        )
    })
}

/// Makes the wheel, for every Python from 3.9.
pub(crate) fn wheel(tools: &Path, profile: Profile) -> Result<PathBuf, String> {
    made(tools, profile, &target().join("archives"), &[])
}

fn made(tools: &Path, profile: Profile, out: &Path, options: &[&str]) -> Result<PathBuf, String> {
    // The bindings beside it, so that both are built of the same.
    let packages = ["--package", "promptweave-bindings", "--package", "promptweave-loader"];
    let build = [&["build", "--profile", profile.name(), "--bin", PROGRAM], &packages[..]].concat();
    command("cargo", &build, &[])?;
    crate::package::copy(&profile.folder().join(PROGRAM), &Path::new(root()).join(PROGRAMS))?;
    for old in wheels(out) {
        fs::remove_file(&old).map_err(|error| format!("{}: {error}", old.display()))?;
    }
    let (maturin, out_shown) = (shown(&tools.join("bin/maturin")), shown(out));
    let build = ["build", "--locked", "--profile", profile.name(), "--manifest-path", CRATE];
    command(&maturin, &[&build[..], &["--out", &out_shown], options].concat(), &[])?;
    wheels(out).pop().ok_or_else(|| format!("there is no wheel in {out_shown}"))
}

fn wheels(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| path.extension().is_some_and(|end| end == "whl")).collect()
}

/// Installs a wheel in a fresh environment, with the tools that its tests or its bench want.
fn installed(wheel: &Path, name: &str) -> Result<PathBuf, String> {
    let folder = target().join("python").join(name);
    install(&folder, &["--requirement", REQUIREMENTS, &shown(wheel)])?;
    Ok(folder.join("bin/python"))
}

/// Tests the wheel where it is installed: its behaviour, its types, its memory, what its documents show.
pub(crate) fn test(tools: &Path) -> Result<(), String> {
    let python = shown(&installed(&wheel(tools, Profile::Dev)?, "venv")?);
    let plugin = ["build", "--package", "promptweave-house-style", "--features", "export"];
    command("cargo", &plugin, &[])?;
    let plugin = shown(&Profile::Dev.folder().join("libpromptweave_house_style.so"));
    let cache = shown(&target().join("python/mypy"));
    let environment = [
        ("PROMPTWEAVE_TEST_PLUGIN", &*plugin),
        ("MYPY_CACHE_DIR", &cache),
        ("PYTHONDONTWRITEBYTECODE", "1"),
    ];
    let runs: [&[&str]; 5] = [
        &["-m", "pytest", "--quiet", "-p", "no:cacheprovider", "bindings/python/tests"],
        &["bindings/python/tests/memory.py", "2000"],
        &["-m", "mypy", "--strict", "--package", "promptweave"],
        &["-m", "mypy", "--strict", "bindings/python/tests/typed.py", "bindings/python/examples"],
        &["-m", "mypy.stubtest", "promptweave"],
    ];
    runs.iter().try_for_each(|run| command(&python, run, &environment))
}

/// Measures the wheel, with what it is compared with inside.
pub(crate) fn bench(filter: &[&str]) -> Result<(), String> {
    let out = target().join("python/bench");
    let wheel = made(&tools()?, Profile::Release, &out, &["--features", "bench"])?;
    let python = shown(&installed(&wheel, "bench-venv")?);
    let script = ["-I", "bindings/python/benches/languages.py"];
    command(&python, &[&script[..], filter].concat(), &crate::bench::KEEP_MEMORY)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
