//! Files and folders of other users, and those that nobody may read.
//!
//! The superuser may read everything, so in its test run a child of another user looks at the tree.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]
#![cfg(unix)]

use std::env;
use std::fs::{self, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus};

use promptweave_instructions::{
    Entry, Instructions, Note, Outcome, Place, Profile, Skip, discover,
};
use tempfile::TempDir;

/// Tells a child which tree it is to look at.
const TREE: &str = "PROMPTWEAVE_TEST_TREE";
/// Who owns nothing.
const NOBODY: u32 = 65_534;
const SOMEBODY: u32 = 12_345;

/// A repository of these files.
fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join(".git")).unwrap();
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

fn found(profile: &str, cwd: &Path) -> Instructions {
    discover(&Profile::named(profile).unwrap(), &Place::new(cwd))
}

fn entry<'f>(found: &'f Instructions, path: &str) -> &'f Entry {
    let entry = found.report.iter().find(|entry| entry.path == path);
    entry.unwrap_or_else(|| panic!("nothing is told of {path}: {:#?}", found.report))
}

/// Without the rights to give a file away there is no test.
fn given_away(path: &Path) -> bool {
    match chown(path, Some(SOMEBODY), None) {
        Ok(()) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::PermissionDenied);
            false
        }
    }
}

#[test]
fn a_file_of_somebody_else_is_read_and_told() {
    let root = tree(&[("AGENTS.md", "Mine, or not.")]);
    if !given_away(&root.path().join("AGENTS.md")) {
        return;
    }
    let found = found("agents-md", root.path());
    assert_eq!(found.text, "Mine, or not.");
    assert_eq!(entry(&found, "AGENTS.md").notes, [Note::Foreign(SOMEBODY)]);
    assert!(entry(&found, "AGENTS.md").is_warning());
}

/// Who owns a folder can put another file there.
#[test]
fn a_file_in_a_folder_of_somebody_else_is_read_and_told() {
    let files =
        [("AGENTS.md", "Top."), ("inner/AGENTS.md", "Inner."), (".claude/rules/a.md", "Rule.")];
    let root = tree(&files);
    if !given_away(&root.path().join("inner")) {
        return;
    }
    let inner = found("agents-md", &root.path().join("inner"));
    assert_eq!(inner.text, "Top.\n\nInner.");
    assert_eq!(entry(&inner, "inner/AGENTS.md").notes, [Note::Foreign(SOMEBODY)]);
    assert_eq!(entry(&inner, "AGENTS.md").notes, []);
    assert!(given_away(&root.path().join(".claude/rules")));
    let rules = found("claude-code", root.path());
    assert_eq!(entry(&rules, ".claude/rules/a.md").notes, [Note::Foreign(SOMEBODY)]);
}

#[test]
fn what_may_not_be_read_is_told() {
    if let Some(root) = env::var_os(TREE) {
        return look(Path::new(&root));
    }
    let files = [
        ("AGENTS.md", "Secret."),
        ("CLAUDE.md", "Open, see @shut/notes.md too."),
        ("shut/AGENTS.md", "Shut."),
        ("shut/notes.md", "Shut."),
        (".claude/rules/a.md", "Shut."),
        (".claude/rules/inner/b.md", "Shut."),
        ("unlisted/AGENTS.md", "Known by name."),
        ("work/CLAUDE.md", "Near."),
        ("work/open/CLAUDE.md", "Later."),
        ("work/closed/CLAUDE.md", "Never."),
    ];
    let root = tree(&files);
    let mode = |path: &str, mode| {
        fs::set_permissions(root.path().join(path), Permissions::from_mode(mode)).unwrap();
    };
    let shut = ["AGENTS.md", "shut", ".claude/rules/inner", "work/closed"];
    shut.iter().for_each(|path| mode(path, 0o000));
    mode("unlisted", 0o711);
    mode("", 0o755);
    match is_superuser() {
        true => assert!(as_nobody(root.path()).success(), "see what the child printed"),
        false => look(root.path()),
    }
    // Else the folder could not be removed.
    shut.iter().for_each(|path| mode(path, 0o755));
}

fn look(root: &Path) {
    assert!(fs::read(root.join("AGENTS.md")).is_err(), "this user may read everything");
    let refused = Outcome::Skipped(Skip::Unreadable("permission denied".into()));
    let of_agents = found("agents-md", &root.join("shut"));
    assert_eq!(of_agents.text, "");
    for path in ["AGENTS.md", "shut"] {
        assert_eq!(entry(&of_agents, path).outcome, refused, "{path}");
        assert_eq!(entry(&of_agents, path).code(), "unreadable");
    }
    assert_eq!(found("agents-md", &root.join("unlisted")).text, "Known by name.");
    let of_claude = found("claude-code", root);
    assert_eq!(of_claude.text, "Open, see @shut/notes.md too.\n\nShut.");
    for path in ["shut/notes.md", ".claude/rules/inner"] {
        assert_eq!(entry(&of_claude, path).outcome, refused, "{path}");
    }
    // What lies below is looked for folder by folder.
    let below = found("claude-code", &root.join("work"));
    assert_eq!(entry(&below, "work/closed").outcome, refused);
    assert!(matches!(entry(&below, "work/open/CLAUDE.md").outcome, Outcome::Waiting(_)));
}

fn is_superuser() -> bool {
    rustix::process::geteuid().is_root()
}

/// The same test as a user who owns nothing.
fn as_nobody(root: &Path) -> ExitStatus {
    let own = env::current_exe().unwrap();
    let run = |program: &Path| {
        let mut command = Command::new(program);
        command.args(["--exact", "what_may_not_be_read_is_told"]).env(TREE, root).current_dir("/");
        command.uid(NOBODY).gid(NOBODY).status()
    };
    run(&own).unwrap_or_else(|error| {
        // The folder of the build may be one that others may not enter.
        assert_eq!(error.kind(), ErrorKind::PermissionDenied);
        let copy = root.join("test");
        fs::copy(&own, &copy).unwrap();
        fs::set_permissions(&copy, Permissions::from_mode(0o755)).unwrap();
        run(&copy).unwrap()
    })
}
