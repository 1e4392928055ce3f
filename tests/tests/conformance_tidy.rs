//! Classic tidying, byte for byte as the chain of regular expressions that it stands for.

use promptweave::{TidyMode, tidy_text};
use promptweave_tests::{cli, conformance};
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    id: String,
    input: String,
    expected: String,
}

fn rows() -> Vec<Row> {
    conformance::find("postprocess.jsonl").map(|path| conformance::rows(&path)).unwrap_or_default()
}

#[test]
fn through_the_engine() {
    let rows = rows();
    let wrong: Vec<&str> = rows
        .iter()
        .filter(|row| tidy_text(TidyMode::Classic, &*row.input) != row.expected)
        .map(|row| row.id.as_str())
        .collect();
    eprintln!("{} of {} texts are the same, byte for byte", rows.len() - wrong.len(), rows.len());
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// A process for each row is slow: every 23rd will do.
#[test]
fn through_the_command_line() {
    for row in rows().iter().step_by(23) {
        let output = cli::run_with(["tidy", "--mode", "classic"], row.input.as_bytes());
        assert!(output.status.success(), "{}: {}", row.id, String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stdout), row.expected, "{}", row.id);
    }
}
