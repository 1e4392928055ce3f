//! Random texts, trees and front matters: nothing panics, and the spans are the text.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::path::Path;

use promptweave_instructions::{Instructions, Place, Profile, discover};
use proptest::prelude::*;

/// Words that mean something to some reader, between others.
fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("@a.md"),
        Just("@b/a.md"),
        Just("@../x"),
        Just("@~/h.md"),
        Just("`"),
        Just("```\n"),
        Just("<!--"),
        Just("-->"),
        Just("\n"),
        Just("\r\n"),
        Just("    "),
        Just("---\n"),
        Just("globs: *.ts\n"),
        Just("paths: [a, \"**\"]\n"),
        Just("alwaysApply: true\n"),
        Just("é"),
        Just(" "),
        Just("text"),
        Just("@a\\ b.md"),
        Just("\u{feff}"),
        Just("{"),
        Just("- "),
    ];
    prop::collection::vec(word, 0..24).prop_map(|words| words.concat())
}

fn check(found: &Instructions, root: &Path) {
    let joined: String = found.spans.iter().map(|span| &found.text[span.start..span.end]).collect();
    assert_eq!(joined, found.text);
    let mut at = 0;
    for span in &found.spans {
        assert_eq!(span.start, at);
        assert!(span.end > at);
        at = span.end;
        let (Some(path), Some(line)) = (&span.path, span.line) else { continue };
        // Each part stands in the file that it names, from the line that it names.
        let file = root.join("mill").join(path);
        let file = fs::read_to_string(file).unwrap().replace("\r\n", "\n").replace('\r', "\n");
        let rest: String = file.split_inclusive('\n').skip(line as usize - 1).collect();
        assert!(
            rest.contains(&found.text[span.start..span.end]),
            "{path}:{line} of {:?}",
            found.text
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn spans_are_the_text(one in text(), two in text(), three in text(), rule in text()) {
        let root = tempfile::tempdir().unwrap();
        let work = root.path().join("mill");
        for folder in [".git", "b", ".claude/rules", ".cursor/rules"] {
            fs::create_dir_all(work.join(folder)).unwrap();
        }
        let names = ["CLAUDE.md", "AGENTS.md", "GEMINI.md"];
        names.iter().for_each(|name| fs::write(work.join(name), &one).unwrap());
        fs::write(work.join("a.md"), &two).unwrap();
        fs::write(work.join("a b.md"), &two).unwrap();
        fs::write(work.join("b/a.md"), &three).unwrap();
        let rule = format!("---\n{rule}");
        fs::write(work.join(".claude/rules/r.md"), &rule).unwrap();
        fs::write(work.join(".cursor/rules/r.mdc"), &rule).unwrap();
        let place = Place { touched: vec!["a.ts".into()], ..Place::new(&work) };
        for profile in ["claude-code", "gemini-cli", "cursor", "codex"] {
            let found = discover(&Profile::named(profile).unwrap(), &place);
            check(&found, root.path());
            // The same place gives the same bytes.
            prop_assert_eq!(&found.text, &discover(&Profile::named(profile).unwrap(), &place).text);
        }
    }

    #[test]
    fn any_profile_is_read_or_refused(text in text()) {
        let _ = Profile::parse(&text);
    }
}
