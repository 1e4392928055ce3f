//! The probes, linked in and as a library: the same findings, and nothing of a repository runs.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::path::Path;

use git2::{IndexAddOption, Repository, RepositoryInitOptions, Signature, Time};
use promptweave::{Context, Diagnostic, Engine};
use promptweave_loader::{Isolation, Plugins};
use promptweave_testkit::{Effort, Options, check};
use promptweave_tests::plugin;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A repository with two commits and changes of each kind.
fn repository() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut options = RepositoryInitOptions::new();
    let repository = Repository::init_opts(folder.path(), options.initial_head("main")).unwrap();
    let mut config = repository.config().unwrap();
    config.set_str("user.name", "Ada Lovelace").unwrap();
    let write = |path: &str, text: &str| fs::write(folder.path().join(path), text).unwrap();
    write("changed.txt", "1\n");
    write("gone.txt", "2\n");
    write("old name.txt", &"a line that is found again\n".repeat(9));
    commit(&repository, "Begin");
    write("more.txt", "3\n");
    commit(&repository, "Go on: say more\n\nA body that nobody is told.");
    repository
        .branch("side", &repository.head().unwrap().peel_to_commit().unwrap(), false)
        .unwrap();
    repository.set_head("refs/heads/side").unwrap();
    write("changed.txt", "1, then 2\n");
    write("new.txt", "4\n");
    write("line\nbreak.txt", "5\n");
    fs::remove_file(folder.path().join("gone.txt")).unwrap();
    fs::rename(folder.path().join("old name.txt"), folder.path().join("new name.txt")).unwrap();
    let mut index = repository.index().unwrap();
    index.remove_path(Path::new("old name.txt")).unwrap();
    index.add_path(Path::new("new name.txt")).unwrap();
    index.write().unwrap();
    fs::create_dir(folder.path().join("inner")).unwrap();
    folder
}

fn commit(repository: &Repository, message: &str) {
    let mut index = repository.index().unwrap();
    index.add_all(["*"], IndexAddOption::DEFAULT, None).unwrap();
    index.write().unwrap();
    let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
    let who = Signature::new("Ada", "ada@example.org", &Time::new(1_700_000_000, 0)).unwrap();
    let parent = repository.head().ok().and_then(|head| head.peel_to_commit().ok());
    let parents: Vec<_> = parent.iter().collect();
    repository.commit(Some("HEAD"), &who, &who, message, &tree, &parents).unwrap();
}

fn linked(config: &str) -> Plugins {
    let plugins = Plugins::builder().linked(promptweave_workspace::plugin(), config).load();
    assert!(plugins.diagnostics().is_empty(), "{:?}", plugins.diagnostics());
    plugins
}

fn probe(plugins: &Plugins, context: Json) -> (Json, Vec<Diagnostic>) {
    let engine = plugins.add_to(Engine::builder()).build().unwrap();
    let (found, told) = engine.probe(&Context::from_value(context).unwrap());
    (found.as_json().clone(), told)
}

#[test]
fn the_same_findings_both_ways() {
    let repository = repository();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-workspace", &manifest);
    let data = tempfile::tempdir().unwrap();
    let builder = Plugins::builder().plugin(folder.path()).workspace(repository.path());
    let builder = builder.home(std::env::home_dir().unwrap_or_default()).data(data.path());
    let in_child = builder.program(plugin::program()).load();
    assert!(in_child.diagnostics().is_empty(), "{:?}", in_child.diagnostics());
    assert_eq!(in_child.loaded()[0].isolation(), Isolation::Process);
    eprintln!("sandbox: {}", in_child.loaded()[0].sandbox().as_str());

    let cwd = json!({ "cwd": repository.path().join("inner") });
    let (found, told) = probe(&linked("{}"), cwd.clone());
    assert!(told.is_empty(), "{told:?}");
    let (apart, told) = probe(&in_child, cwd);
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(found, apart);
    insta::assert_json_snapshot!(found["git"]);
    let top = repository.path().canonicalize().unwrap();
    let name = top.file_name().unwrap().to_string_lossy();
    assert_eq!(found["roots"], json!([{ "path": top, "name": name }]));
    assert_eq!(found["os"], std::env::consts::OS);

    // It reads the world anew each time.
    fs::write(repository.path().join("another.txt"), "6\n").unwrap();
    let (again, _) = probe(&in_child, json!({ "cwd": repository.path() }));
    assert!(again["git"]["status"].as_str().unwrap().contains("?? another.txt"));
}

#[cfg(unix)]
#[test]
fn what_is_late_is_left_out() {
    let repository = repository();
    // Whoever opens a pipe waits for somebody at its other end: the index is never ready.
    let index = repository.path().join(".git/index");
    fs::remove_file(&index).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&index).status().unwrap().success());
    let (found, told) = probe(&linked(r#"{"limit_ms": 500}"#), json!({ "cwd": repository.path() }));
    assert_eq!((&found["git"]["branch"], found["git"].get("status")), (&json!("side"), None));
    insta::assert_debug_snapshot!(told[0]);
}

#[test]
fn no_more_lines_than_asked_for() {
    let repository = repository();
    let plugins = linked(r#"{"commits": 1, "status_lines": 2}"#);
    let (found, _) = probe(&plugins, json!({ "cwd": repository.path() }));
    assert_eq!(found["git"]["commits"].as_array().unwrap().len(), 1);
    assert_eq!(found["git"]["status"], " M changed.txt\n D gone.txt\n… and 3 more");
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let (found, told) = probe(&linked("{}"), json!({ "cwd": folder.path() }));
    assert!(told.is_empty(), "{told:?}");
    assert!(found.get("git").is_none());
    assert_eq!(found["roots"][0]["path"], json!(folder.path()));
    let (found, _) = probe(&linked("{}"), json!({}));
    assert!(found.get("git").is_none() && found.get("roots").is_none());
}

#[test]
fn a_fresh_repository_has_a_branch_and_no_commits() {
    let folder = tempfile::tempdir().unwrap();
    let mut options = RepositoryInitOptions::new();
    Repository::init_opts(folder.path(), options.initial_head("first")).unwrap();
    let (found, told) = probe(&linked("{}"), json!({ "cwd": folder.path() }));
    assert!(told.is_empty(), "{told:?}");
    assert_eq!(found["git"]["branch"], "first");
    assert_eq!((&found["git"]["commits"], &found["git"]["status"]), (&json!([]), &json!("")));
}

#[test]
fn nothing_that_a_repository_names_is_run() {
    let folder = repository();
    let trap = folder.path().join("ran");
    let command = format!("touch '{}'; cat", trap.display());
    let mut config = Repository::open(folder.path()).unwrap().config().unwrap();
    for key in [
        "core.fsmonitor",
        "filter.trap.clean",
        "filter.trap.smudge",
        "filter.trap.process",
        "core.pager",
    ] {
        config.set_str(key, &command).unwrap();
    }
    fs::write(folder.path().join(".gitattributes"), "* filter=trap\n").unwrap();
    fs::write(folder.path().join("changed.txt"), "9, then 2\n").unwrap();
    let (found, told) = probe(&linked("{}"), json!({ "cwd": folder.path() }));
    assert!(told.is_empty(), "{told:?}");
    assert!(found["git"]["status"].as_str().unwrap().contains(" M changed.txt"));
    assert!(!trap.exists(), "a command of the repository's configuration was run");
}

#[test]
fn it_keeps_the_promises_of_the_abi() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-workspace", &manifest);
    let effort = Effort { calls: 100, timed: 50, fuzzed: 200 };
    let options = Options { effort, ..Options::new(plugin::checker()) };
    let report = check(folder.path(), &options).unwrap();
    assert!(report.is_fine(), "{report}");
    eprintln!("{report}");
}
