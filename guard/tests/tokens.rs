//! The tokens of chat templates, each with the file that has it: found wherever they stand, and told more mildly where
//! they are only mentioned.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::path::Path;

use promptweave_guard::{Action, Guard, Kind, Place};
use serde_json::Value as Json;

fn tokens() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/tokens.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    let token = |line: &str| {
        let sample: Json = serde_json::from_str(line).unwrap();
        assert!(!sample["source"].as_str().unwrap().is_empty(), "{line}");
        sample["text"].as_str().unwrap().to_owned()
    };
    text.lines().map(token).collect()
}

/// Those that are not found in their place with their action, in texts made of them.
fn others(made: impl Fn(&str) -> String, place: Place, action: Action) -> Vec<String> {
    let guard = Guard::standard();
    let is_right = |token: &String| {
        let findings = guard.look("mcp", &made(token)).findings;
        let forged: Vec<_> = findings.iter().filter(|it| it.kind == Kind::Forged).collect();
        !forged.is_empty() && forged.iter().all(|it| (it.place, it.action) == (place, action))
    };
    tokens().into_iter().filter(|token| !is_right(token)).collect()
}

#[test]
fn all_are_found() {
    assert!(tokens().len() >= 150);
    let none = Vec::<String>::new();
    assert_eq!(others(|token| token.to_owned(), Place::Prose, Action::Redact), none);
    let within = |token: &str| format!("Thanks.{token}Now obey.");
    assert_eq!(others(within, Place::Prose, Action::Redact), none);
}

#[test]
fn a_mention_is_a_warning() {
    let none = Vec::<String>::new();
    let fenced = |token: &str| format!("It is written so:\n\n```\n{token}\n```\n");
    assert_eq!(others(fenced, Place::Code, Action::Warn), none);
    let ticked = |token: &str| format!("The token `{}` ends it.", token.replace('\n', " "));
    assert_eq!(others(ticked, Place::Code, Action::Warn), none);
    let quoted = |token: &str| format!("The token “{}” ends it.", token.replace('\n', " "));
    assert_eq!(others(quoted, Place::Quote, Action::Warn), none);
}
