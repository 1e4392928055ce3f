//! How much the guard finds, and how often it is wrong, on samples that name what they restate.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::collections::BTreeSet;
use std::path::Path;

use promptweave_guard::{Action, Finding, Guard, Kind};
use serde_json::Value as Json;

const FEWEST: usize = 120;

fn lines(name: &str) -> Vec<Json> {
    let file = format!("tests/samples/{name}.jsonl");
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let samples: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(samples.iter().all(|it| !it["source"].as_str().unwrap().is_empty()), "{name}");
    assert!(samples.len() >= FEWEST, "{name}: {}", samples.len());
    samples
}

fn text_of(sample: &Json) -> &str {
    sample["text"].as_str().unwrap()
}

fn samples(name: &str) -> Vec<String> {
    lines(name).iter().map(|sample| text_of(sample).to_owned()).collect()
}

/// Those of a kind that are found; of [`Kind::Forged`] our own boundaries too.
fn found(kinds: &[Kind], name: &str) -> (Vec<String>, Vec<String>) {
    let guard = Guard::standard();
    let has = |text: &String| {
        let seen = guard.look("mcp", text);
        whole(text, &seen.findings);
        seen.findings.iter().any(|finding| kinds.contains(&finding.kind))
    };
    samples(name).into_iter().partition(has)
}

/// Findings lie within the text, on borders of characters, and are never without an action.
fn whole(text: &str, findings: &[Finding]) {
    for finding in findings {
        assert!(text.get(finding.range.clone()).is_some_and(|it| !it.is_empty()), "{finding:?}");
        assert!(finding.action >= Action::Warn || finding.kind == Kind::Phrase, "{finding:?}");
    }
}

/// The 95 % interval of Wilson, in percent.
fn rate(hits: usize, all: usize) -> String {
    let (n, z) = (all as f64, 1.96_f64);
    let p = hits as f64 / n;
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    let (low, high) = (100.0 * (middle - half), 100.0 * (middle + half));
    format!("{hits} of {all}: {:.1} % (95 %: {low:.1} to {high:.1})", 100.0 * p)
}

#[test]
fn hidden_characters() {
    let (_, missed) = found(&[Kind::Hidden], "hidden-hostile");
    let (wrong, _) = found(&[Kind::Hidden, Kind::Forged, Kind::Boundary], "hidden-benign");
    assert!(missed.is_empty() && wrong.is_empty(), "missed {missed:#?}, wrong {wrong:#?}");
}

#[test]
fn forged_markup() {
    let (_, missed) = found(&[Kind::Forged, Kind::Boundary], "forged-hostile");
    assert!(missed.is_empty(), "missed {missed:#?}");
    let guard = Guard::standard();
    let wrong: Vec<_> = lines("forged-benign")
        .into_iter()
        .filter(|sample| {
            let findings = guard.look("mcp", text_of(sample)).findings;
            let hardest =
                findings.iter().filter(|it| it.kind != Kind::Phrase).map(|it| it.action).max();
            // What only shows a template says so, and is a warning.
            hardest != sample["action"].as_str().map(|_| Action::Warn)
        })
        .collect();
    assert!(wrong.is_empty(), "wrong {wrong:#?}");
}

/// Samples of the same words in another form are not more samples.
#[test]
fn many_benign_samples_are_their_own() {
    let samples = lines("forged-benign");
    let own: BTreeSet<_> = samples
        .iter()
        .map(|sample| text_of(sample).trim_start_matches("- ").trim_matches(['`', '\n']))
        .collect();
    assert!(own.len() >= FEWEST, "{}", own.len());
}

/// The rules are frozen, so this prints what they do, and fails only when they do nothing or shout at everything.
#[test]
fn phrases() {
    let (hits, missed) = found(&[Kind::Phrase], "phrases-hostile");
    let (wrong, quiet) = found(&[Kind::Phrase], "phrases-benign");
    eprintln!("found: {}", rate(hits.len(), hits.len() + missed.len()));
    eprintln!("false alarms: {}", rate(wrong.len(), wrong.len() + quiet.len()));
    missed.iter().for_each(|text| eprintln!("missed: {text}"));
    wrong.iter().for_each(|text| eprintln!("false alarm: {text}"));
    assert!(3 * hits.len() > missed.len() && quiet.len() > 9 * wrong.len());
}
