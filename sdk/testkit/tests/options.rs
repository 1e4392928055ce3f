//! What an author may say about the checks, and what takes longer than a check.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use promptweave_testkit::{
    Effort, HostProgram, Options, Report, Status, check, fixture, fixture_c, fuzz, measure,
};

fn options(only: &[&str]) -> Options {
    let path = env!("CARGO_BIN_EXE_promptweave-plugin-check").into();
    let mut options = Options::new(HostProgram { path, args: Vec::new() });
    options.only = only.iter().map(|&name| name.to_owned()).collect();
    options.effort = Effort { calls: 500, timed: 50, fuzzed: 500 };
    options
}

/// A broken plugin in a folder of its own, with settings.
fn folder(name: &str, plugin: &str, settings: &str) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken").join(plugin);
    let built = fixture_c(source, &["-std=gnu99"])?;
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("options").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::copy(&built, folder.join(built.file_name().unwrap())).unwrap();
    fs::write(folder.join("validate.toml"), settings).unwrap();
    Some(folder)
}

fn one<'r>(report: &'r Report, name: &str) -> (Status, &'r str) {
    let one = report.checked.iter().find(|one| one.name == name).unwrap();
    (one.status, &one.why)
}

#[test]
fn checks_are_switched_off_with_a_reason() {
    let off = "[off]\ncall-null = \"our host never sends it\"\n";
    let Some(folder) = folder("off", "call-null.c", off) else { return };
    let report = check(&folder, &options(&["call-null", "call-utf8"])).unwrap();
    assert_eq!(report.checked.len(), 2);
    assert_eq!(one(&report, "call-null"), (Status::Skip, "off: our host never sends it"));
    assert_eq!(one(&report, "call-utf8"), (Status::Pass, ""));
    for (settings, why) in [
        ("[off]\ncall-null = \" \"\n", "`call-null` is off without a reason"),
        ("[off]\ncall-nil = \"x\"\n", "there is no check `call-nil`"),
        ("[of]\n", "unknown field `of`"),
    ] {
        fs::write(folder.join("validate.toml"), settings).unwrap();
        let error = check(&folder, &options(&[])).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn the_page_shows_settings_that_are_taken() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/plugin-checks.md");
    let page = fs::read_to_string(page).unwrap();
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let (settings, _) = rest.split_once("```").unwrap();
    let Some(folder) = folder("page", "leak-10k.c", settings) else { return };
    let report = check(&folder, &options(&["leak-10k", "object-glibc-floor"])).unwrap();
    assert_eq!(one(&report, "object-glibc-floor"), (Status::Pass, ""));
    let off = (Status::Skip, "off: it keeps an index of at most 20 MB");
    assert_eq!(one(&report, "leak-10k"), off);
}

#[test]
fn names_and_places_that_are_wrong_are_told() {
    let error =
        |target: &str, only| check(target.as_ref(), &options(only)).unwrap_err().to_string();
    assert_eq!(error("/nowhere", &["call-nil"]), "there is no check `call-nil`");
    assert!(error("/nowhere", &[]).starts_with("`/nowhere` cannot be read"));
    let empty = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("options/empty");
    fs::create_dir_all(&empty).unwrap();
    assert!(error(empty.to_str().unwrap(), &[]).ends_with("has no library for this machine"));
}

#[test]
fn a_file_that_is_no_library_is_not_loaded() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("options/junk");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(format!("libjunk{}", std::env::consts::DLL_SUFFIX));
    for (bytes, why) in [
        (&b"no library"[..], "it is no library of Linux, macOS or Windows"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0", "it is broken: "),
        (b"", "it is no library of Linux, macOS or Windows"),
    ] {
        fs::write(&file, bytes).unwrap();
        let report = check(&file, &options(&[])).unwrap();
        let failed: Vec<&str> = report.of(Status::Fail).map(|one| one.name).collect();
        assert_eq!(failed, ["object-target"], "{report}");
        let (status, said) = one(&report, "object-target");
        assert!(status == Status::Fail && said.starts_with(why), "{said}");
        let loading = (Status::Skip, "it cannot be loaded, see `object-target`");
        assert_eq!(one(&report, "load-now-local"), loading);
    }
}

#[test]
fn a_plugin_that_always_ends_its_process_is_told_three_times() {
    let Some(folder) = folder("aborts", "aborts.c", "") else { return };
    let report = check(&folder, &options(&[])).unwrap();
    let failed: Vec<&str> = report.of(Status::Fail).map(|one| one.name).collect();
    assert_eq!(failed, ["call-empty-context", "call-missing-key", "call-wrong-type"], "{report}");
    let (status, why) = one(&report, "mode-parity");
    assert!(status == Status::Skip && why.ends_with("mend those first"), "{why}");
}

/// The plugin of this fixture cannot do with the made-up text, and says why its state cannot be made.
#[test]
fn values_come_from_the_author() {
    let checks = ["init-empty-config", "session-repeatable"];
    let library = fixture("promptweave-testkit-acme");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("options/values");
    fs::create_dir_all(&folder).unwrap();
    let copy = folder.join(library.file_name().unwrap());
    fs::copy(&library, &copy).unwrap();
    fs::write(folder.join("validate.toml"), "[config]\ngreeting = 7\n").unwrap();
    let report = check(&copy, &options(&checks)).unwrap();
    let (status, why) = one(&report, "session-repeatable");
    assert_eq!(status, Status::Skip);
    assert!(why.contains("`greeting` is no string"), "{why}");
    fs::write(folder.join("validate.toml"), "[config]\ngreeting = \"Here is\"\n").unwrap();
    assert!(check(&copy, &options(&checks)).unwrap().of(Status::Pass).count() == 2);
    // A context that the component refuses is still the same refusal each time.
    fs::write(folder.join("validate.toml"), "[context]\ncwd = [1]\n[args]\nshout = [1]\n").unwrap();
    assert!(check(&copy, &options(&checks)).unwrap().is_fine());
}

#[test]
fn chance_finds_again_what_it_found() {
    let Some(folder) = folder("chance", "fuzz-short.c", "") else { return };
    let fuzzed = fuzz(&folder, &options(&[]), Duration::from_secs(60)).unwrap();
    let (seed, why) = fuzzed.found.unwrap();
    let again = Options { seed, ..options(&["fuzz-short"]) };
    assert_eq!(one(&check(&folder, &again).unwrap(), "fuzz-short"), (Status::Fail, &*why));
}

#[test]
fn a_plugin_is_measured() {
    let measured = measure(&fixture("promptweave-testkit-acme"), &options(&[])).unwrap();
    let ids: Vec<&str> = measured.items.iter().map(|item| &*item.id).collect();
    assert_eq!(ids, ["workspace", "manners", "on-main", "shout", "answer"]);
    assert!(measured.items.iter().all(|item| item.here.median_us <= item.here.p99_us));
    assert!(measured.load_us > 0.0 && measured.child_us > 0.0);
    let Some(folder) = folder("crash", "load-now-local.c", "") else { return };
    let error = measure(&folder, &options(&[])).unwrap_err().to_string();
    assert!(error.contains("cannot be measured"), "{error}");
}
