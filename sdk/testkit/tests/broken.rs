//! Each check is seen failing: for each there is a plugin that breaks one promise and keeps all others.
//!
//! In: `tests/broken/`: for a check `x`, `x.c` (else `plain.c`), and where they matter `x.toml` (its `plugin.toml`),
//! `x.validate.toml`, `x.minisig`. Out: the checks that do not pass. Never: a fixture that fails more than is listed
//! here, with the reason.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use promptweave_loader::{Digest, host_target};
use promptweave_testkit::{
    Effort, HostProgram, Keys, Options, Report, Status, check, checks, fixture, fixture_c,
};

/// The checks that only warn.
const WARN: &[&str] = &["object-calls-exit"];
/// The key of `signature.minisig`.
const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
/// Where the machine of an ELF file is named.
const MACHINE_AT: usize = 18;
/// Compilers' options: any warning fails.
const FLAGS: [&str; 5] = ["-std=gnu99", "-O0", "-Wall", "-Wextra", "-Werror"];

fn options() -> Options {
    let program = env!("CARGO_BIN_EXE_promptweave-plugin-check").into();
    let mut options = Options::new(HostProgram { path: program, args: Vec::new() });
    options.timeout = Duration::from_secs(3);
    options.effort = Effort { calls: 2_000, timed: 200, fuzzed: 2_000 };
    options.keys = Keys::default();
    options.keys.pin("broken", KEY).unwrap();
    options
}

fn broken(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken").join(name)
}

/// Compiles a fixture and lays out its folder; none without a compiler.
///
/// A fixture without a C file of its own is `plain.c`, with which nothing is wrong.
fn prepare(name: &str) -> Option<PathBuf> {
    let own = broken(&format!("{name}.c"));
    let source = if own.is_file() { own } else { broken("plain.c") };
    let text = fs::read_to_string(&source).unwrap();
    let more =
        text.lines().next().and_then(|line| line.strip_prefix("// cc: ")).unwrap_or_default();
    let flags: Vec<&str> = FLAGS.into_iter().chain(more.split_whitespace()).collect();
    let built = fixture_c(&source, &flags)?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("broken").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let file = built.file_name().unwrap().to_str().unwrap();
    let mut bytes = fs::read(&built).unwrap();
    if name == "object-target" {
        bytes[MACHINE_AT] ^= 0xff;
    }
    let digest = Digest::of(&bytes).to_string();
    fs::write(folder.join(file), bytes).unwrap();
    for (from, to) in [
        ("toml", "plugin.toml"),
        ("validate.toml", "validate.toml"),
        ("minisig", "plugin.toml.minisig"),
    ] {
        if let Ok(text) = fs::read_to_string(broken(&format!("{name}.{from}"))) {
            let text = text.replace("@target@", &host_target());
            let text = text.replace("@file@", file).replace("@sha256@", &digest);
            fs::write(folder.join(to), text).unwrap();
        }
    }
    Some(folder)
}

fn names(report: &Report, status: Status) -> BTreeSet<&str> {
    report.of(status).map(|one| one.name).collect()
}

/// What is wrong with a fixture's report.
fn verdict(name: &str, report: &Report) -> Result<(), String> {
    let (fail, warn) = (names(report, Status::Fail), names(report, Status::Warn));
    let (wanted, other) = if WARN.contains(&name) { (&warn, &fail) } else { (&fail, &warn) };
    let alone = wanted.iter().eq([&name]) && other.is_empty();
    if alone { Ok(()) } else { Err(format!("{name}: {report}")) }
}

/// One fixture for each check, and the others, `x+more.c`, that break a check in another way.
fn fixtures() -> Vec<String> {
    let mut names: Vec<String> = checks().iter().map(|check| check.name.into()).collect();
    for entry in fs::read_dir(broken("")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some((check, _)) = name.split_once('+') {
            assert!(names.iter().any(|name| name == check), "there is no check `{check}`");
            names.push(name.strip_suffix(".c").unwrap().into());
        }
    }
    names
}

#[test]
fn each_check_is_failed_alone() {
    let next = Mutex::new(fixtures().into_iter());
    let wrong = Mutex::new(Vec::new());
    let work = || {
        while let Some(fixture) = { next.lock().unwrap().next() } {
            let Some(folder) = prepare(&fixture) else { continue };
            let name = fixture.split('+').next().unwrap();
            let start = Instant::now();
            let report = check(&folder, &options()).unwrap();
            let took = start.elapsed();
            if let Err(why) = verdict(name, &report) {
                wrong.lock().unwrap().push(why);
            }
            for one in report.checked.iter().filter(|one| one.name == name) {
                println!("{fixture} ({} ms): {}", took.as_millis(), one.why);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(work);
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(
        wrong.is_empty(),
        "{} fixtures are not as they should be:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn sound_plugins_pass() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let c = fixture_c(examples.join("c-plugin/workspace.c"), &["-std=c99"]).map(|library| {
        let manifest = fs::read_to_string(examples.join("c-plugin/plugin.toml")).unwrap();
        released(&library, &manifest)
    });
    let cxx = fixture_c(examples.join("cpp-plugin/distribution.cpp"), &["-std=c++11"]);
    let rust = Some(fixture("promptweave-testkit-acme"));
    for target in
        [c, cxx, rust, prepare("sound"), prepare("plain"), prepare("grown")].into_iter().flatten()
    {
        let report = check(&target, &options()).unwrap();
        assert!(report.is_fine(), "{report}");
        println!("{report}");
    }
}

/// The folder of a plugin as it is shipped: its `plugin.toml` lists the library.
fn released(library: &Path, manifest: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("released");
    let file = library.file_name().unwrap().to_str().unwrap();
    fs::create_dir_all(&folder).unwrap();
    fs::copy(library, folder.join(file)).unwrap();
    let (target, digest) = (host_target(), Digest::of(&fs::read(library).unwrap()));
    let listed = format!("[library.{target}]\nfile = \"{file}\"\nsha256 = \"{digest}\"\n");
    fs::write(folder.join("plugin.toml"), format!("{manifest}\n{listed}")).unwrap();
    folder
}
