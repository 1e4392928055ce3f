//! A pack made from a prompt builds that prompt.

use promptweave::{Ask, Code, Context, Diagnostic, Engine, MemorySource, Severity};
use proptest::prelude::*;

use super::*;

/// Builds the pack's variant on top of the standard pack, and expects not a word from anybody, but that the prompt holds
/// what looks like placeholders.
fn built(new: Vec<NewFile>) -> String {
    let files = new.into_iter().map(|(path, text)| (path.display().to_string(), text));
    let engine = Engine::builder()
        .pack(promptweave_variants::standard())
        .pack(MemorySource::new("made", files))
        .build()
        .unwrap();
    let ask = Ask { variant: Some("made".into()), ..Ask::default() };
    let prompt = engine.prompt_for(&Context::default(), &ask).unwrap();
    let checked = engine.check();
    let told = engine.diagnostics().iter().chain(&checked).chain(prompt.diagnostics());
    let is_grave = |told: &&Diagnostic| {
        told.severity > Severity::Note && told.code != Code::PlaceholderLiteral
    };
    let grave: Vec<String> = told.filter(is_grave).map(ToString::to_string).collect();
    assert!(grave.is_empty(), "{grave:?}");
    prompt.into_text()
}

fn standard_ids() -> BTreeSet<String> {
    let engine = Engine::builder().pack(promptweave_variants::standard()).build().unwrap();
    engine.registry().components.keys().map(ToString::to_string).collect()
}

fn rebuilt(text: &str, level: u8) -> String {
    built(from_prompt("made", text, level, standard_ids()))
}

#[test]
fn the_scaffold_is_clean() {
    let text = built(scaffold("made", &standard_ids()));
    assert!(text.starts_with("You are Weaver"), "{text}");
}

#[test]
fn builds_the_identical_bytes() {
    let headings = [
        "if",
        "else",
        "Elsewhere",
        "each",
        "Identity",
        "CWD",
        "cache boundary",
        "this",
        "größe",
        "42",
        "!",
    ];
    let named: String = headings.iter().map(|words| format!("# {words}\ntext\n\n")).collect();
    for text in [
        "",
        "\n",
        " \t\r\n\n",
        "one line",
        "# A\n\n\n\n# A\n{{CWD}} {{#if x}} {{{{raw}}}} \\{{a}}\n",
        "\u{feff}# A\r\n\r\n## B\r\n'''\"\"\"\\\r\n",
        "====\n# Empty\n\n====\n# Also empty\n\n",
        "a\u{0}b\u{85}c\u{2028}d",
        &named,
    ] {
        for level in [1, 2, 6] {
            assert_eq!(rebuilt(text, level), text, "{text:?}");
        }
    }
}

#[test]
fn names() {
    for (words, name) in [("Acme Agent", "acme-agent"), ("..", "pack"), ("Größe", "gr-e")] {
        assert_eq!(slug(words), name);
    }
    for (title, id) in [
        (None, "opening"),
        (Some("Rules, and more!"), "rules_and_more"),
        (Some("3 steps"), "part_3_steps"),
        (Some("…"), "part"),
    ] {
        assert_eq!(identifier(title), id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn builds_any_markdown(
        text in "(#{1,3} [a-c]{0,2}\r?\n|```\n|[ \t\r\n]|=+\n|\\{\\{[#/!]?[a-z ]*\\}\\}|[a-z'\"\\\\é\u{0}-]+\r?\n?){0,40}",
        level in 1_u8..7,
    ) {
        prop_assert_eq!(rebuilt(&text, level), text);
    }
}
