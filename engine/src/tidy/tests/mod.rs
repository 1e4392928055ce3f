//! Tests of both modes: small cases by rule, the conformance data, and random texts against what must hold.

mod classic;
mod notation;
mod oracle;
mod structural;

use std::path::PathBuf;

use proptest::prelude::*;

use crate::trace::{Mark, Traced};

/// An input of the conformance data and what the chain leaves of it.
struct Row {
    input: String,
    expected: String,
}

/// The rows of `postprocess.jsonl`, none when the data is not there.
fn conformance_rows() -> Vec<Row> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/conformance");
    let folder = std::env::var_os("PROMPTWEAVE_CONFORMANCE").map_or_else(beside, PathBuf::from);
    let Ok(text) = std::fs::read_to_string(folder.join("postprocess.jsonl")) else {
        println!("SKIPPED: no conformance data; PROMPTWEAVE_CONFORMANCE can name its folder");
        return Vec::new();
    };
    // Not `lines`: a row is cut at a line feed only.
    let rows = text.split('\n').filter(|line| !line.is_empty()).map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text_of = |key: &str| row[key].as_str().unwrap().to_owned();
        Row { input: text_of("input"), expected: text_of("expected") }
    });
    rows.collect()
}

/// As many cases as `PROPTEST_CASES` says, but no fewer than 2,000.
fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    ProptestConfig { cases: config.cases.max(2_000), failure_persistence: None, ..config }
}

/// Checks that the pieces stand in order and cover the text, none empty.
fn assert_covered(traced: &Traced) {
    let mut start = 0;
    for piece in &traced.pieces {
        assert!(start < piece.end, "an empty piece in {traced:?}");
        start = piece.end;
    }
    assert_eq!(start as usize, traced.text.len(), "{traced:?}");
}

/// Checks that two texts with the same static part agree up to each mark that both have.
fn assert_same_heads(one: &Traced, other: &Traced) {
    let places =
        |traced: &Traced| traced.marks.iter().map(|mark: &Mark| mark.at).collect::<Vec<_>>();
    assert_eq!(places(one), places(other), "{:?} and {:?}", one.text, other.text);
    for at in places(one) {
        assert_eq!(one.text[..at as usize], other.text[..at as usize]);
    }
}

/// Texts of one word with a hinge at every other one: whoever takes the square of their length never ends.
fn long_texts() -> impl Iterator<Item = Traced> {
    const WORDS: &[&str] = &[
        "=",
        "\n",
        " ",
        "#",
        "+",
        "`",
        "a",
        "==== ",
        "====\n",
        "##\n",
        "## ",
        "# a\n",
        "a\n====\n",
        "SEARCH\n====\n",
        "{a}",
        "{\n}",
        "# {a}",
        "{}",
        "{}\n",
    ];
    WORDS.iter().map(|word| notation::read(&format!("{word}|{word}").repeat(100_000 / word.len())))
}
