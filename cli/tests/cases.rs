//! Runs every case in `cases/` and compares what it prints with its snapshot.
//!
//! A case runs commands in a folder of its own, which holds the packs of `packs/` and the case's files.
//! Set `INSTA_UPDATE=always` to take what is printed as the new snapshots.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write;

use common::Sandbox;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Command lines without the program's name; words in single quotes may hold blanks.
    run: Vec<String>,
    /// What each command reads.
    #[serde(default)]
    stdin: String,
    /// Files that are there.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Files that are shown afterwards.
    #[serde(default)]
    print: Vec<String>,
}

#[test]
fn cases() {
    insta::glob!("cases", "*.toml", |path| {
        let case: Case = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let mut settings = insta::Settings::clone_current();
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!(transcript(&case)));
    });
}

fn transcript(case: &Case) -> String {
    let sandbox = Sandbox::new();
    for (path, text) in &case.files {
        sandbox.write(path, text);
    }
    let mut text = String::new();
    for line in &case.run {
        let done = sandbox.run(&words(line), case.stdin.as_bytes());
        let _ = writeln!(text, "$ promptweave {line}");
        for (stream, mark) in [(&done.stdout, ""), (&done.stderr, "! ")] {
            let shown = sandbox.neutral(&String::from_utf8_lossy(stream));
            shown.lines().for_each(|line| _ = writeln!(text, "{mark}{line}"));
        }
        let code = done.status.code().unwrap_or(-1);
        let _ = writeln!(text, "= {code}\n");
    }
    for path in &case.print {
        let _ = writeln!(text, "> {path}\n{}", sandbox.neutral(&sandbox.read(path)));
    }
    text
}

fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for letter in line.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
