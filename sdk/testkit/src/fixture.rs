//! Builds plugins from inside a test.
//!
//! In: a package of the workspace, or a C or C++ file. Out: the path of a library. Never: in the target folder that
//! the test's own cargo works in; silent when there is no compiler.

use std::collections::BTreeMap;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::{env, fs, io};

use serde::Deserialize;

/// Where the header lies in this repository.
const INCLUDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../include");

/// Builds the library of a package of this workspace, once per test process, and says where it is.
///
/// It calls the cargo that runs the test (`CARGO`), with `--locked` and a target folder of its own, so the first
/// build of a machine takes longer than the next ones (about 50 ms).
///
/// ```no_run
/// let library = promptweave_testkit::fixture("acme-plugin");
/// assert!(library.is_file());
/// ```
///
/// # Panics
/// The package does not build, or has no `cdylib`; the compiler's words are on standard error.
#[track_caller]
pub fn fixture(package: &str) -> PathBuf {
    type Built = Mutex<BTreeMap<String, Arc<OnceLock<PathBuf>>>>;
    static BUILT: Built = Mutex::new(BTreeMap::new());
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let own = Arc::clone(built.entry(package.to_owned()).or_default());
    drop(built);
    own.get_or_init(|| match build(package) {
        Ok(path) => path,
        Err(why) => panic!("the fixture `{package}` cannot be had: {why}"),
    })
    .clone()
}

/// Compiles a C or C++ file to a library: `$CC` or `cc`, for `.cc`, `.cpp` and `.cxx` `$CXX` or `c++`.
///
/// The flags come after `-shared -fPIC -fvisibility=hidden -I<the header's folder>`. None where the compiler does not
/// start, which is told on standard error; with `WEAVE_REQUIRE_CC=1` that is a panic.
///
/// ```no_run
/// # use promptweave_testkit::{TestPlugin, fixture_c};
/// if let Some(library) = fixture_c("tests/hello.c", &["-std=c99", "-Wall"]) {
///     let plugin = TestPlugin::open(library)?;
/// }
/// # Ok::<(), String>(())
/// ```
///
/// # Panics
/// The file does not compile; the compiler's words are the panic's.
#[track_caller]
pub fn fixture_c(source: impl AsRef<Path>, flags: &[&str]) -> Option<PathBuf> {
    let source = source.as_ref();
    let ending = source.extension().unwrap_or_default().to_string_lossy().into_owned();
    let (variable, usual) = match ending.as_str() {
        "cc" | "cpp" | "cxx" => ("CXX", "c++"),
        _ => ("CC", "cc"),
    };
    let compiler = compiler(variable, usual)?;
    let stem = source.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
    let folder = folder().join("c");
    let library = folder.join(format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}"));
    // Threads and processes that build the same file see a whole library or the one before.
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!(".{stem}-{}-{number}", std::process::id()));
    let compiled = fs::create_dir_all(&folder).and_then(|()| {
        let mut command = Command::new(&compiler);
        command.args(["-shared", "-fPIC", "-fvisibility=hidden", "-I", INCLUDE]).args(flags);
        let output = command.arg("-o").arg(&unfinished).arg(source).output()?;
        if output.status.success() {
            fs::rename(&unfinished, &library)?;
        }
        Ok(output)
    });
    match compiled {
        Ok(output) if output.status.success() => Some(library),
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            panic!("`{}` does not compile:\n{said}", source.display())
        }
        Err(error) => panic!("`{}` cannot be compiled: {error}", source.display()),
    }
}

fn compiler(variable: &str, usual: &str) -> Option<PathBuf> {
    let program = env::var_os(variable).unwrap_or_else(|| usual.into());
    let starts = Command::new(&program).arg("--version").stdout(Stdio::null()).status();
    if starts.is_ok_and(|status| status.success()) {
        return Some(program.into());
    }
    let program = program.to_string_lossy().into_owned();
    let required = env::var("WEAVE_REQUIRE_CC").is_ok_and(|value| value == "1");
    assert!(!required, "`{program}` does not start: install a compiler, or set `{variable}`");
    let line = format!("SKIPPED: `{program}` does not start; set `{variable}` to a compiler\n");
    // Written past the test's capture; where nobody listens the skip goes unseen.
    let _ = io::stderr().write_all(line.as_bytes());
    None
}

/// A folder beside those that cargo builds this test in.
fn folder() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    program.ancestors().nth(3).map_or_else(env::temp_dir, Path::to_owned).join("fixtures")
}

/// A line of cargo's messages, as far as it matters.
#[derive(Deserialize)]
struct Message {
    reason: String,
    #[serde(default)]
    package_id: String,
    #[serde(default)]
    filenames: Vec<PathBuf>,
    target: Option<BuiltTarget>,
}

#[derive(Deserialize)]
struct BuiltTarget {
    kind: Vec<String>,
}

fn build(package: &str) -> Result<PathBuf, String> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let output = Command::new(cargo)
        .args(["build", "--locked", "--message-format=json-render-diagnostics"])
        .args(["-p", package, "--target-dir"])
        .arg(folder())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cargo does not start: {error}"))?;
    if !output.status.success() {
        return Err("it does not build".into());
    }
    library(&output.stdout, package).ok_or_else(|| "it has no `cdylib`".into())
}

/// The library that the last built `cdylib` of the package made.
fn library(messages: &[u8], package: &str) -> Option<PathBuf> {
    let lines = messages.split(|&byte| byte == b'\n');
    let read = lines.filter_map(|line| serde_json::from_slice::<Message>(line).ok());
    let own = read.filter(|message| {
        let kind =
            message.target.as_ref().is_some_and(|it| it.kind.iter().any(|it| it == "cdylib"));
        message.reason == "compiler-artifact" && kind && is_of(&message.package_id, package)
    });
    let mut files = own.flat_map(|message| message.filenames);
    files.rfind(|file| file.to_string_lossy().ends_with(DLL_SUFFIX))
}

/// Ids are `path+file:///…/folder#name@1.0.0`, `…/name#1.0.0`, of old `name 1.0.0 (…)`.
fn is_of(id: &str, package: &str) -> bool {
    let (front, back) = id.rsplit_once('#').unwrap_or((id, id));
    let name = match back.split_once('@') {
        Some((name, _)) => name,
        None if back == id => id.split(' ').next().unwrap_or_default(),
        None => front.rsplit('/').next().unwrap_or_default(),
    };
    name == package
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        let line = |id: &str, kind: &str, file: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{id}","target":{{"kind":["{kind}"]}},"filenames":["{file}"]}}"#
            )
        };
        let wanted = format!("/t/liba{DLL_SUFFIX}");
        let messages = [
            line("path+file:///w/other#1.0.0", "cdylib", "/t/libother.so"),
            line("path+file:///w/folder#a@1.0.0", "cdylib", &wanted),
            line("path+file:///w/a#1.0.0", "lib", "/t/liba.rlib"),
            r#"{"reason":"build-finished","success":true}"#.into(),
        ];
        assert_eq!(library(messages.join("\n").as_bytes(), "a"), Some(wanted.into()));
        assert_eq!(library(messages.join("\n").as_bytes(), "b"), None);
        assert!(is_of("path+file:///w/a#1.0.0", "a") && is_of("a 1.0.0 (path+x)", "a"));
    }
}
