//! Libraries in C and C++ for the tests, compiled on the machine that runs them.
//!
//! In: the folder of a case below `tests/plugins`, with a `plugin.c`, a `plugin.cpp` or a crate. Out: its library, compiled once per run
//! of a test program. Never: goes on in silence without a compiler.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The languages that a library can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// C99.
    C,
    /// C++11.
    Cxx,
}

impl Language {
    /// The variable that names the compiler, the usual one, and what a source file is called.
    fn facts(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::C => ("CC", "cc", "-std=c99", "plugin.c"),
            Self::Cxx => ("CXX", "c++", "-std=c++11", "plugin.cpp"),
        }
    }

    /// The compiler; none if it does not start, which is an error where `WEAVE_REQUIRE_CC` is 1.
    fn compiler(self) -> Option<String> {
        static FOUND: Mutex<BTreeMap<Language, Option<String>>> = Mutex::new(BTreeMap::new());
        let mut found = FOUND.lock().unwrap_or_else(PoisonError::into_inner);
        found.entry(self).or_insert_with(|| self.find()).clone()
    }

    fn find(self) -> Option<String> {
        let (variable, usual, ..) = self.facts();
        let program = std::env::var(variable).unwrap_or_else(|_| usual.to_owned());
        let starts = Command::new(&program).arg("--version").stdout(Stdio::null()).status();
        if starts.is_ok_and(|status| status.success()) {
            return Some(program);
        }
        let required = std::env::var("WEAVE_REQUIRE_CC").is_ok_and(|value| value == "1");
        assert!(!required, "`{program}` does not start: install a compiler, or set `{variable}`");
        skipped(&format!("`{program}` does not start; set `{variable}` to a compiler"));
        None
    }
}

/// Says that something was not tested.
pub fn skipped(why: &str) {
    say(&format!("\n!!! SKIPPED: {why}\n"));
}

/// Writes to the real standard error; what the macros write is kept back while a test passes.
pub fn say(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// The folder of a case.
pub fn folder(case: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("plugins").join(case)
}

/// The library of a case in any language; none, loudly, without a compiler for it.
///
/// # Panics
/// When it does not compile.
pub fn library(case: &str) -> Option<PathBuf> {
    if folder(case).join("Cargo.toml").exists() {
        let package = format!("promptweave-fixture-{case}");
        return Some(crate::cli::artifact(&["--package", &package], &package.replace('-', "_")));
    }
    built(&folder(case), case, &[])
}

/// The library of any folder with a source file, compiled with further options; `name` must be the folder's and the options' own.
///
/// # Panics
/// When it does not compile.
pub fn built(folder: &Path, name: &str, options: &[&str]) -> Option<PathBuf> {
    type Built = Arc<OnceLock<Option<PathBuf>>>;
    static BUILT: Mutex<BTreeMap<String, Built>> = Mutex::new(BTreeMap::new());
    let cell = {
        let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(built.entry(name.to_owned()).or_default())
    };
    cell.get_or_init(|| compile(folder, name, options)).clone()
}

fn compile(folder: &Path, name: &str, options: &[&str]) -> Option<PathBuf> {
    let is_cxx = folder.join(Language::Cxx.facts().3).exists();
    let language = if is_cxx { Language::Cxx } else { Language::C };
    let (_, _, standard, source) = language.facts();
    let library = scratch().join(format!("lib{name}.so"));
    let unfinished = library.with_extension(std::process::id().to_string());
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(language.compiler()?)
        .args([standard, "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"])
        .args(["-D_GNU_SOURCE", "-pthread"])
        .args(options)
        .arg("-I")
        .arg(own.join("plugins"))
        .arg("-I")
        .arg(own.join("../sdk/include"))
        .arg("-o")
        .args([&unfinished, &folder.join(source)])
        .arg("-ldl")
        .output()
        .expect("a compiler that starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", folder.display());
    std::fs::rename(unfinished, &library).expect("the library");
    Some(library)
}

/// The folder of this test program's libraries: beside the program, so that it goes with the target folder.
///
/// # Panics
/// When it cannot be made.
pub fn scratch() -> PathBuf {
    let folder = std::env::current_exe().expect("a program").with_extension("plugins");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}
