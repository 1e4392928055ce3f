//! Files that code read: a change is told once, and waits for the reset.

use std::path::Path;
use std::sync::Arc;

use promptweave::{Clock, Code, CodeComponent, Engine, Inputs, Items, Origin, Output};
use promptweave_tests::pack;
use serde_json::json;

use crate::{prompt, text, told};

/// A component that prints a file below `cwd`, where it is there; its text names it either way.
fn engine() -> Engine {
    let rules = CodeComponent::new("rules", |inputs: &Inputs<'_>| {
        let folder = Path::new(inputs.text("cwd").unwrap_or_default());
        let name = inputs.text("rules.project").unwrap_or("rules.md");
        let read = std::fs::read_to_string(folder.join(name));
        let mut output = Output::default();
        let origin = Origin::Line { file: Arc::from(name), line: 1 };
        output.push(&read.unwrap_or_else(|_| "none".into()), origin);
        output
    });
    let files = [
        ("generic.toml", "order = ['rules', 'state']\nseparator = ';'"),
        ("components/state.md", "{{mode}}"),
    ];
    let builder = Engine::builder().pack(pack::memory(&files));
    builder.extension(Items::new("house").component(rules)).build().unwrap()
}

#[test]
fn a_change_is_told_once_and_waits_for_the_reset() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("rules.md"), text).unwrap();
    let context = |mode: &str| json!({ "cwd": folder.path().to_str().unwrap(), "mode": mode });
    let engine = engine();
    let session = engine.session(Clock::default());
    let changes = |session: &promptweave::Session, mode: &str| {
        let prompt = prompt(session, context(mode));
        (prompt.text().to_owned(), told(&prompt, Code::SessionFileChanged).len())
    };
    assert_eq!(changes(&session, "act"), ("none;act".into(), 0));
    write("one");
    assert_eq!(changes(&session, "act"), ("none;act".into(), 1), "a file that comes is a change");
    assert_eq!(changes(&session, "act"), ("none;act".into(), 0), "each change is told once");
    write("another");
    // It changes between two processes.
    let restored = engine.restore(&session.save()).unwrap();
    assert_eq!(changes(&restored, "plan"), ("none;plan".into(), 1));
    assert_eq!(changes(&restored, "plan"), ("none;plan".into(), 0));
    let saved = restored.save();
    assert_eq!(changes(&engine.restore(&saved).unwrap(), "plan").1, 0, "it was told before");
    restored.reset();
    assert_eq!(changes(&restored, "plan"), ("another;plan".into(), 0));
}

/// Code that is asked again reads the file as it is now.
#[test]
fn an_answer_that_is_new_counts_from_now() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("rules.md", "a"), ("other.md", "b")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let cwd = folder.path().to_str().unwrap();
    let session = engine().session(Clock::default());
    text(&session, json!({ "cwd": cwd }));
    std::fs::write(folder.path().join("rules.md"), "changed").unwrap();
    let other = prompt(&session, json!({ "cwd": cwd, "rules": { "project": "other.md" } }));
    assert_eq!(other.text(), "b;act");
    assert!(told(&other, Code::SessionFileChanged).is_empty(), "nothing is made of it any more");
}
