//! The package for Node.js.
//!
//! In: the workspace. Out: an npm tarball with everything inside, and its tests, run where it is installed. Never: a script
//! that runs on install.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::package::{Profile, copy};
use crate::{command, root, sdks, target};

/// Where the compiler of TypeScript and the libraries of the tests are, as `sdks` installs them.
const TOOLS: &str = "target/sdk/npm";

/// What comes along as it is: where it lies in the workspace.
const FILES: &[&str] =
    &["bindings/node/package.json", "bindings/node/README.md", "LICENSE-MIT", "LICENSE-APACHE"];

/// Modules whose types only the package itself needs.
const INNER: &[&str] = &["background", "host", "input", "known", "native"];

/// What an addon can do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// What is shipped.
    Shipped,
    /// It can also time the same work in Rust.
    Bench,
}

/// What the attributes of the addon wrote while it was compiled, and the types that are kept.
const WRITTEN: &str = "napi-types/promptweave-node";
const TYPES: &str = "bindings/node/js/addon.d.cts";

/// Makes the tarball, and tries it out on a machine without a compiler: only `node` and `npm` can be found.
pub(crate) fn package(profile: Profile) -> Result<PathBuf, String> {
    let archives = target().join("archives");
    let package = archives.join("npm");
    lay_out(&package, profile, Kind::Shipped)?;
    let (from, into) = (package.to_string_lossy(), archives.to_string_lossy());
    command("npm", &["pack", &from, "--pack-destination", &into, "--silent"], &[])?;
    let tarball = archives.join(format!("promptweave-{}.tgz", env!("CARGO_PKG_VERSION")));
    try_out(&tarball, &archives.join("npm-clean"))?;
    eprintln!("\n{}", tarball.display());
    Ok(tarball)
}

/// Runs the tests of the package where it is installed: its types, its examples, what its documents show.
pub(crate) fn test() -> Result<(), String> {
    let tarball = package(Profile::Dev)?;
    command(
        "cargo",
        &["build", "--package", "promptweave-house-style", "--features", "export"],
        &[],
    )?;
    let folder = Path::new(root()).join(TOOLS).join("try");
    fresh(&folder)?;
    let source = Path::new(root()).join("bindings/node");
    for part in ["tests", "examples"] {
        copy_folder(&source.join(part), &folder.join(part))?;
    }
    copy(&source.join("README.md"), &folder.join("docs"))?;
    copy(&Path::new(root()).join("docs/node.md"), &folder.join("docs"))?;
    install(&tarball, &folder, &[])?;
    let plugin = target().join("debug/libpromptweave_house_style.so");
    let cases = Path::new(root()).join("tests/conformance");
    let environment =
        [("PROMPTWEAVE_PLUGIN", plugin.as_path()), ("PROMPTWEAVE_CASES", cases.as_path())];
    run(&folder, "node", &["tests/snippets.mjs", "docs", "snippets"], &[])?;
    run(&folder, "node", &["../node_modules/.bin/tsc", "-p", "tests"], &[])?;
    let tests = tests(&folder.join("out/tests"))?;
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    run(&folder, "node", &[&["--test"], &tests[..]].concat(), &environment)
}

/// The files with tests, sorted.
fn tests(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let paths = entries.flatten().map(|entry| entry.path().to_string_lossy().into_owned());
    let mut tests: Vec<String> = paths.filter(|path| path.ends_with(".test.mjs")).collect();
    tests.sort();
    Ok(tests)
}

/// Takes the types of the addon as they are now.
pub(crate) fn bless() -> Result<(), String> {
    build(Profile::Dev, Kind::Shipped)?;
    types(&["bless"])
}

/// Measures it against Rust, against an empty call, and against another package.
pub(crate) fn bench(filter: &[&str]) -> Result<(), String> {
    let folder = Path::new(root()).join(TOOLS).join("bench");
    lay_out(&folder.join("node_modules/promptweave"), Profile::Release, Kind::Bench)?;
    copy(&Path::new(root()).join("bindings/node/benches/languages.mjs"), &folder)?;
    run(&folder, "node", &[&["languages.mjs"], filter].concat(), &[])
}

/// Puts everything that is in the package into a folder.
fn lay_out(package: &Path, profile: Profile, kind: Kind) -> Result<(), String> {
    sdks::install_only("npm")?;
    fresh(package)?;
    build(profile, kind)?;
    if kind == Kind::Shipped {
        types(&[])?;
    }
    for file in FILES {
        copy(&Path::new(root()).join(file), package)?;
    }
    let prebuilt = package.join("prebuilt").join(platform());
    copy(&profile.folder().join("promptweave-plugin-host"), &prebuilt)?;
    let addon = profile.folder().join("libpromptweave_node.so");
    fs::copy(&addon, prebuilt.join("promptweave.node"))
        .map_err(|error| format!("{}: {error}", addon.display()))?;
    compile(&package.join("dist"))
}

/// Compiles the addon and the program that plugins run in.
fn build(profile: Profile, kind: Kind) -> Result<(), String> {
    let written = target().join(WRITTEN);
    let folder = written.with_file_name("").to_string_lossy().into_owned();
    let packages = ["--package", "promptweave-node", "--package", "promptweave-loader"];
    let build = [&["build", "--profile", profile.name()], &packages[..]].concat();
    match kind {
        Kind::Bench => {
            command("cargo", &[&build[..], &["--features", "promptweave-node/bench"]].concat(), &[])
        }
        Kind::Shipped => {
            fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            if !written.exists() {
                touch(&Path::new(root()).join("bindings/node/src/lib.rs"))?;
            }
            command("cargo", &build, &[("NAPI_TYPE_DEF_TMP_FOLDER", &folder)])
        }
    }
}

/// Lets cargo compile a file again: only then its attributes write the types.
fn touch(file: &Path) -> Result<(), String> {
    fs::File::options()
        .append(true)
        .open(file)
        .and_then(|open| open.set_modified(SystemTime::now()))
        .map_err(|error| format!("{}: {error}", file.display()))
}

/// Compares the types of the addon with what its attributes wrote, or writes them anew.
fn types(bless: &[&str]) -> Result<(), String> {
    let written = target().join(WRITTEN).to_string_lossy().into_owned();
    let arguments = ["bindings/node/tests/addon.mjs", &written, TYPES];
    command("node", &[&arguments[..], bless].concat(), &[])
}

/// Compiles what is written in TypeScript.
fn compile(dist: &Path) -> Result<(), String> {
    let source = Path::new(root()).join(TOOLS).join("js");
    fresh(&source)?;
    copy_folder(&Path::new(root()).join("bindings/node/js"), &source)?;
    let (tsc, from) = (format!("{TOOLS}/node_modules/.bin/tsc"), format!("{TOOLS}/js"));
    command(&tsc, &["-p", &from, "--outDir", &dist.to_string_lossy(), "--stripInternal"], &[])?;
    for inner in INNER {
        let types = dist.join(format!("{inner}.d.cts"));
        fs::remove_file(&types).map_err(|error| format!("{}: {error}", types.display()))?;
    }
    Ok(())
}

/// Installs it where nothing but `node` and `npm` is found, and builds a prompt from both kinds of modules.
fn try_out(tarball: &Path, folder: &Path) -> Result<(), String> {
    fresh(folder)?;
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).map_err(|error| error.to_string())?;
    for program in ["node", "npm"] {
        let found = which(program)?;
        symlink(&found, bin.join(program)).map_err(|error| format!("{program}: {error}"))?;
    }
    let bare = [("PATH", bin.as_path()), ("HOME", folder)];
    install(tarball, folder, &bare)?;
    let ask = "new Engine().prompt({ model: { id: 'claude-sonnet-4-5' } }).text.length > 0 || process.exit(1)";
    let common = format!("const {{ Engine }} = require('promptweave'); {ask}");
    let module = format!("import {{ Engine }} from 'promptweave'; {ask}");
    run(folder, "node", &["-e", &common], &bare)?;
    run(folder, "node", &["--input-type=module", "-e", &module], &bare)
}

fn install(tarball: &Path, folder: &Path, bare: &[(&str, &Path)]) -> Result<(), String> {
    fs::write(folder.join("package.json"), r#"{ "private": true }"#)
        .map_err(|error| error.to_string())?;
    let tarball = tarball.to_string_lossy();
    run(
        folder,
        "npm",
        &["install", &tarball, "--offline", "--no-audit", "--no-fund", "--silent"],
        bare,
    )
}

/// Runs a program in a folder; with a `PATH` it finds nothing else.
fn run(
    folder: &Path,
    program: &str,
    arguments: &[&str],
    environment: &[(&str, &Path)],
) -> Result<(), String> {
    let shown = format!("{program} {}", arguments.join(" "));
    eprintln!("\n$ {shown}");
    let path = environment.iter().find(|(name, _)| *name == "PATH");
    let mut command = Command::new(path.map_or(program.into(), |(_, path)| path.join(program)));
    if path.is_some() {
        command.env_clear();
    }
    command.args(arguments).current_dir(folder).envs(environment.iter().copied());
    let status =
        command.status().map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` failed in {}", folder.display())) }
}

/// The platform as Node names it.
fn platform() -> String {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}-{machine}", std::env::consts::OS)
}

fn which(program: &str) -> Result<PathBuf, String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&paths).map(|path| path.join(program)).find(|path| path.is_file());
    found.ok_or_else(|| format!("`{program}` is not installed"))
}

/// An empty folder.
fn fresh(folder: &Path) -> Result<(), String> {
    let gone = if folder.exists() { fs::remove_dir_all(folder) } else { Ok(()) };
    gone.and_then(|()| fs::create_dir_all(folder))
        .map_err(|error| format!("{}: {error}", folder.display()))
}

/// Copies the files of a folder, without folders below.
fn copy_folder(from: &Path, into: &Path) -> Result<(), String> {
    let entries = fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))?;
    for entry in entries.flatten().filter(|entry| entry.path().is_file()) {
        copy(&entry.path(), into)?;
    }
    Ok(())
}
