//! `plugin check` and `plugin bench` on libraries that are compiled here.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use promptweave_testkit::fixture_c;
use serde_json::Value as Json;

fn run(args: &[&str], target: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_promptweave"));
    command.arg("plugin").args(&args[..1]).arg(target).args(&args[1..]);
    let home = env!("CARGO_TARGET_TMPDIR");
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("XDG_DATA_HOME");
    command.output().unwrap()
}

fn json(output: &Output) -> Json {
    let errors = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

fn compiled(path: &str) -> Option<PathBuf> {
    fixture_c(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path), &["-std=gnu99"])
}

#[test]
fn a_good_plugin_passes() {
    let Some(library) = compiled("examples/c-plugin/workspace.c") else { return };
    let output = run(&["check", "--json"], &library);
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    let checked = report["checked"].as_array().unwrap();
    let passed = checked.iter().filter(|one| one["status"] == "pass").count();
    assert_eq!(checked.len(), promptweave_testkit::checks().len());
    assert!(passed > 45, "{report:#}");
}

#[test]
fn a_broken_plugin_is_told() {
    let Some(library) = compiled("sdk/testkit/tests/broken/call-null.c") else { return };
    let output = run(&["check", "--only", "call-null,call-utf8"], &library);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    let mut lines = said.lines();
    let first = lines.next().unwrap();
    let told = "fail  call-null  component `note` with `null` at `cwd`: it crashed (signal";
    assert!(first.starts_with(told), "{said}");
    assert_eq!(lines.collect::<Vec<_>>(), ["pass  call-utf8"]);
    let summary = "2 checks: 1 passed, 0 skipped, 0 warnings, 1 failed\n";
    assert_eq!(String::from_utf8(output.stderr).unwrap(), summary);
    let output = run(&["check", "--only", "call-utf8", "--in-process", "--json"], &library);
    assert_eq!(json(&output)["checked"][0]["status"], "pass");
    let output = run(&["check", "--only", "call-nil"], &library);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn chance_names_its_seed() {
    let Some(library) = compiled("sdk/testkit/tests/broken/fuzz-short.c") else { return };
    let output = run(&["check", "--fuzz-minutes", "1", "--seed", "5", "--json"], &library);
    assert_eq!((output.status.code(), &json(&output)["found"][0]), (Some(1), &5.into()));
}

#[test]
fn a_plugin_is_measured() {
    let Some(library) = compiled("examples/c-plugin/workspace.c") else { return };
    let measured = json(&run(&["bench", "--calls", "20", "--json"], &library));
    let item = &measured["items"][0];
    assert_eq!((&item["kind"], &item["id"]), (&"component".into(), &"workspace".into()));
    assert!(item["child"]["median_us"].as_f64().unwrap() > 0.0);
    let output = run(&["bench", "--calls", "20"], &library);
    assert!(String::from_utf8(output.stdout).unwrap().contains("component workspace"));
}
