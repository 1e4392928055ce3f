//! The archives that hosts in other languages take.
//!
//! In: the workspace. Out: a folder as it is installed, tried out by the examples, and an archive of it. Never: leaves out a
//! licence.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{command, node, python, root};

/// How the library is compiled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Fast to make: for trying out that everything is in its place.
    Dev,
    /// What is shipped.
    Release,
}

/// What a package for C consists of: where it lies in the workspace, where in the package.
const FILES: &[(&str, &str)] = &[
    ("bindings/c/include/promptweave_engine.h", "include"),
    ("docs/c.md", "share/doc/promptweave"),
    ("LICENSE-MIT", "share/doc/promptweave"),
    ("LICENSE-APACHE", "share/doc/promptweave"),
    ("bindings/c/examples/first.c", "share/doc/promptweave/examples"),
    ("bindings/c/examples/stream.c", "share/doc/promptweave/examples"),
    ("bindings/c/examples/session.cpp", "share/doc/promptweave/examples"),
];
const BUILT: &[(&str, &str)] = &[
    ("libpromptweave_engine.so", "lib"),
    ("libpromptweave_engine.a", "lib"),
    ("promptweave-plugin-host", "bin"),
];

/// What a program that takes the static library links besides.
const SYSTEM: &[&str] = &["-lgcc_s", "-lpthread", "-lm", "-ldl"];

impl Profile {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
        }
    }

    /// Where cargo puts what it makes.
    pub(crate) fn folder(self) -> PathBuf {
        let target = crate::target();
        target.join(match self {
            Self::Dev => "debug",
            Self::Release => "release",
        })
    }
}

/// Makes all archives, below `target/archives`.
pub(crate) fn run(profile: Profile) -> Result<(), String> {
    let made = c(profile)?;
    let name = made.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let above = made.with_file_name("");
    let (archive, above) = (format!("{name}.tar.gz"), above.to_string_lossy());
    command(
        "tar",
        &["--sort=name", "-C", &above, "-czf", &format!("{above}{archive}"), &name],
        &[],
    )?;
    let wheel = python::wheel(&python::tools()?, profile)?;
    eprintln!("\n{above}{archive}\n{}", wheel.display());
    node::package(profile).map(|_| ())
}

/// Lays out the package for C in a fresh folder, and tries it out there.
pub(crate) fn c(profile: Profile) -> Result<PathBuf, String> {
    let packages = ["--package", "promptweave-c", "--package", "promptweave-loader"];
    let build = [&["build", "--profile", profile.name()], &packages[..]].concat();
    command("cargo", &build, &[])?;
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    let name = format!("promptweave-c-{}-{machine}-{system}", env!("CARGO_PKG_VERSION"));
    let package = profile.folder().with_file_name("archives").join(name);
    if package.exists() {
        fs::remove_dir_all(&package).map_err(|error| format!("{}: {error}", package.display()))?;
    }
    for (file, into) in FILES {
        copy(&Path::new(root()).join(file), &package.join(into))?;
    }
    for (file, into) in BUILT {
        copy(&profile.folder().join(file), &package.join(into))?;
    }
    pkg_config(&package)?;
    try_out(&package)?;
    Ok(package)
}

pub(crate) fn copy(file: &Path, into: &Path) -> Result<(), String> {
    let done = fs::create_dir_all(into)
        .and_then(|()| fs::copy(file, into.join(file.file_name().unwrap_or_default())));
    done.map(|_| ()).map_err(|error| format!("{}: {error}", file.display()))
}

/// The file that says how to link, for wherever the package lies.
fn pkg_config(package: &Path) -> Result<(), String> {
    let write = || {
        let template = Path::new(root()).join("bindings/c/promptweave-engine.pc.in");
        let text = fs::read_to_string(template)?
            .replace("@PREFIX@", "${pcfiledir}/../..")
            .replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        let folder = package.join("lib/pkgconfig");
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("promptweave-engine.pc"), text)
    };
    write().map_err(|error| format!("pkg-config file: {error}"))
}

/// Compiles the first example against the package alone, with the shared and with the static library, and runs it.
fn try_out(package: &Path) -> Result<(), String> {
    let path = package.to_string_lossy();
    let example = format!("{path}/share/doc/promptweave/examples/first.c");
    let asked = Command::new("pkg-config")
        .args(["--cflags", "--libs", "promptweave-engine"])
        .env("PKG_CONFIG_PATH", package.join("lib/pkgconfig"))
        .output();
    let told = asked.map_err(|error| format!("pkg-config: {error}"))?.stdout;
    let told = String::from_utf8_lossy(&told);
    let (program, rpath) = (format!("{path}-first"), format!("-Wl,-rpath,{path}/lib"));
    let mut shared = vec![&*example, "-o", &program, &rpath];
    shared.extend(told.split_whitespace());
    let (include, library) =
        (format!("-I{path}/include"), format!("{path}/lib/libpromptweave_engine.a"));
    let mut fixed = vec![&*example, "-o", &program, &include, &library];
    fixed.extend(SYSTEM);
    for arguments in [shared, fixed] {
        command("cc", &arguments, &[])?;
        command(&program, &[], &[])?;
    }
    fs::remove_file(&program).map_err(|error| format!("{program}: {error}"))
}
