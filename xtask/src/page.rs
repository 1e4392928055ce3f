//! The preview's page: its types, its built files, its tests in a real browser.
//!
//! In: the sources in `preview/page`. Out: whether `dist` is what they build, and whether the page does
//! what it promises. Never: changes a committed file, unless asked to build or to bless.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{command, root};

/// Where npm finds the page, from the workspace's root.
const PAGE: &str = "preview/page";

/// Where a fresh build goes, seen from the page: nothing there is committed.
const FRESH: &str = "../../target/page-dist";

/// Debian's browser, and the fonts of the pictures.
const PACKAGES: [&str; 2] = ["chromium", "fonts-dejavu-core"];
const CHROMIUM: &str = "/usr/bin/chromium";

/// The variable by which the tests take what they see as the new pictures.
const UPDATE: (&str, &str) = ("UPDATE", "1");

pub(crate) fn run() -> Result<(), String> {
    prepare()?;
    npm(&["run", "check"], &[])?;
    npm(&["run", "build", "--", "--outDir", FRESH, "--emptyOutDir"], &[])?;
    compare()?;
    tests(&[])
}

/// Builds the files that the server embeds.
pub(crate) fn build() -> Result<(), String> {
    install()?;
    npm(&["run", "build"], &[])
}

/// Takes what the browser shows as the pictures of the docs.
pub(crate) fn bless() -> Result<(), String> {
    prepare()?;
    tests(&[UPDATE])
}

fn tests(environment: &[(&str, &str)]) -> Result<(), String> {
    command("cargo", &["build", "-p", "promptweave-cli"], &[])?;
    npm(&["test"], environment)
}

fn prepare() -> Result<(), String> {
    install()?;
    browser()
}

/// Exactly what the lockfile names.
fn install() -> Result<(), String> {
    if !answers("npm", &["--version"]) {
        return Err("the page needs Node 20.19 or newer, with npm, and `npm` cannot be run\n  help: install Node, then run this again".into());
    }
    npm(&["ci"], &[]).map_err(|why| {
        format!("{why}\n  help: it gets what `{PAGE}/package-lock.json` names from npm's registry, so it needs a network or a filled cache")
    })
}

/// The browser that the tests drive; Debian's is installed where it is missing and that is possible.
fn browser() -> Result<(), String> {
    if std::env::var_os("CHROMIUM").is_some() || Path::new(CHROMIUM).exists() {
        return Ok(());
    }
    if !answers("apt-get", &["--version"]) || !is_root() {
        let packages = PACKAGES.join(" ");
        return Err(format!(
            "the page's tests need a browser, and `{CHROMIUM}` is missing\n  help: `apt-get install {packages}` as root, or name a chromium by the variable CHROMIUM"
        ));
    }
    command("apt-get", &["update"], &[])?;
    let mut words = vec!["install", "--yes", "--no-install-recommends"];
    words.extend(PACKAGES);
    command("apt-get", &words, &[("DEBIAN_FRONTEND", "noninteractive")])
}

fn npm(words: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    command("npm", &[&["--prefix", PAGE], words].concat(), environment)
}

/// Whether a program is there at all.
fn answers(program: &str, arguments: &[&str]) -> bool {
    let (quiet, silent) = (Stdio::null(), Stdio::null());
    Command::new(program).args(arguments).stdout(quiet).stderr(silent).status().is_ok()
}

fn is_root() -> bool {
    let said = Command::new("id").arg("-u").output();
    said.is_ok_and(|said| said.stdout.trim_ascii() == b"0")
}

/// Byte by byte: names hold a digest of the content, so a stale file is one of another name too.
fn compare() -> Result<(), String> {
    let page = Path::new(root()).join(PAGE);
    let (committed, fresh) = (files(&page.join("dist"))?, files(&page.join(FRESH))?);
    if committed == fresh {
        return Ok(());
    }
    let names = committed.keys().chain(fresh.keys());
    let mut stale: Vec<String> = names
        .filter(|name| committed.get(*name) != fresh.get(*name))
        .map(|name| format!("`{}`", name.display()))
        .collect();
    stale.dedup();
    let stale = stale.join(", ");
    Err(format!(
        "`{PAGE}/dist` is not what its sources build: {stale}\n  help: `cargo xtask page build`, then commit it"
    ))
}

/// All files below a folder, by their paths in it.
fn files(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let told = |error| format!("`{}` cannot be read: {error}", next.display());
        for entry in fs::read_dir(&next).map_err(told)? {
            let path = entry.map_err(told)?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let inside = path.strip_prefix(folder).unwrap_or(&path).to_path_buf();
            found.insert(inside, fs::read(&path).map_err(told)?);
        }
    }
    Ok(found)
}
