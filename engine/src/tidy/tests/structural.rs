//! Structural tidying: rule by rule, and what must hold of random texts.

use proptest::prelude::*;
use proptest::sample::select;

use super::notation::{BASE, Writer, read, write};
use super::{assert_covered, assert_same_heads, config, conformance_rows, long_texts};
use crate::tidy::structural::{Level, structural, structural_text};
use crate::trace::{MarkKind, PieceKind, Traced};

#[test]
fn conformance_inputs() {
    for row in conformance_rows() {
        let once = structural_text(row.input.as_str());
        assert_eq!(structural_text(once.as_str()), once, "{:?}", row.input);
    }
}

fn check(level: Level, input: &str, expected: &str) {
    let tidied = structural(read(input), level);
    assert_eq!(write(&tidied), expected, "{input:?}");
    assert_covered(&tidied);
    let text = tidied.text.clone();
    assert_eq!(structural(tidied, level).text, text, "{input:?} a second time");
}

#[test]
fn rule_1_lines_that_came_out_empty() {
    let check = |input, expected| check(Level::Component, input, expected);
    check("a\n{}\nb", "a\nb");
    check("a\n \t{} {} \r\nb", "a\nb");
    check("a\n\n{}\n\nb", "a\n\nb");
    check("a\n{ }\nb", "a\n \nb");
    check("a{}\nb", "a\nb");
    check("{a\n}{}\nb", "a\nb");
    check("a\n{}{\nb}", "a\n\nb");
    check("```\n{}\n```", "```\n```");
}

#[test]
fn rule_2_headings_without_content() {
    let check = |input, expected| check(Level::Component, input, expected);
    check("## A\n## B\ntext", "## B\ntext");
    check("# A\n## B\n### C\ntext", "# A\n## B\n### C\ntext");
    check("# A\n## B\n# C\ntext", "# C\ntext");
    check("text\n## A\n{}\n", "text");
    check("text\n## About {NAME}\n\n# B\nb", "text\n\n# B\nb");
    check("## A\n{ }\n# B\nb", "## A\n \n# B\nb");
    check("##\n#\n####### a", "#\n####### a");
    check("##{A}\n# B\nb", "##A\n# B\nb");
    check("## {A\nA}\n# B\nb", "## A\nA\n# B\nb");
    check("a\n ## no heading\n#nor this", "a\n ## no heading\n#nor this");
    check("```{lang}\n# A\n\n\n# B\n```\n# C\n# D\nd", "```lang\n# A\n\n\n# B\n```\n# D\nd");
    check("  # A\n# B\nb", "# B\nb");
}

#[test]
fn rule_3_separators() {
    let base = |input, expected| check(Level::Base, input, expected);
    base("a\n====\nb", "a\n\n====\n\nb");
    base("a\n\n\n====\n\n=====\n\nb", "a\n\n====\n\nb");
    base("====\n\na\n\n====", "a");
    base("====\n{}\n====", "");
    base("a\n===\nb", "a\n===\nb");
    base("{a\n\n}====\n{b}", "a\n\n====\n\nb");
    base("{a}====\nb", "a====\nb");
    base("a\n# A\n====\n# B\n  # b", "a\n\n====\n\n# B\n  # b");
    base("# A\n====\n  # B\n# C\nc", "# C\nc");
    base("[a\n====\nb]\n====\n[====]", "a\n====\nb\n\n====\n\n====");
    base("a\n```\n====\n```\nb", "a\n```\n====\n```\nb");
    check(Level::Component, "a\n====\n====\nb", "a\n====\n====\nb");
}

#[test]
fn rule_4_blank_lines_and_ends() {
    let check = |input, expected| check(Level::Component, input, expected);
    check("a\n\n \r\n\nb", "a\n\nb");
    check("a\n  \n\nb", "a\n  \nb");
    check("{a\n}\n\nb", "a\n\nb");
    check("{a\n\n}\n\nb", "a\n\nb");
    check("{a\r\n\r\n}\nb", "a\r\n\r\nb");
    check("{a\n\n\n}b", "a\n\n\nb");
    check("a\n{\n}\nb", "a\n\nb");
    check("{a\n\n}\n{\n}\nb", "a\n\n\nb");
    check(" { \n}\nb", " \nb");
    check("\n \n  a  \n \n", "a");
    check(" \n { a\n} \n", " a\n");
    check("```\n\n\n```\n\n\na", "```\n\n\n```\n\na");
    check("~~~ `\n\n\n~~~~ \n\n\na", "~~~ `\n\n\n~~~~ \n\na");
    check("``` `\n\n\na", "``` `\n\na");
    check("a\n    ```\n\n\nb", "a\n    ```\n\nb");
    check(" \n\t\n", "");
    check("", "");
}

#[test]
fn hinges() {
    let base = |input, expected| check(Level::Base, input, expected);
    base("one |two", "one| two");
    base("a\n\n# A\n\n|{}\nb", "a|\n\n# A\n\nb");
    base("a\n\n====\n\n|{}\nb", "a|\n\n====\n\nb");
    base("a\n==|x", "a|\n==x");
    base("a\n==x|\nb", "a\n==x|\nb");
    base("a\n##|#x", "a|\n###x");
    base("a\n# {A}|\nb", "a|\n# A\nb");
    base("a\n#{A}|\nb", "a\n#A|\nb");
    base("# A\n{a\n\n}|\n\nb", "# A\na\n\n|b");
    base("a\n\n\n!\nb\n||\n!", "a\n\n!b||!");
    base("[a |b]", "a |b");
    check(Level::Component, "a\n==|x", "a\n==|x");
}

#[test]
fn plain_text() {
    let check = |input, expected| assert_eq!(structural_text(input), expected);
    check("# A\n====\n\n\n# B\nb\n====\n\n\nc\n", "# B\nb\n\n====\n\nc");
    let clean = read("a\n\n====\n\n# B\n{b}|");
    let before = clean.text.as_ptr();
    assert_eq!(structural(clean, Level::Base).text.as_ptr(), before);
}

#[test]
fn long_texts_take_linear_time() {
    for traced in long_texts() {
        for level in [Level::Base, Level::Component] {
            assert_covered(&structural(traced.clone(), level));
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Template(&'static str),
    Value(&'static str),
    Section(&'static str),
    Hinge,
}

fn parts(words: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<Part>> {
    let values =
        &["", "", "", " ", "\n", "v", "v\n", "v\n\n", "\r\n", "#", "=", "\nv", "`", "```\n"];
    let part = prop_oneof![
        6 => select(words).prop_map(Part::Template),
        2 => select(values.as_slice()).prop_map(Part::Value),
        1 => select(words).prop_map(Part::Section),
        1 => Just(Part::Hinge),
    ];
    prop::collection::vec(part, 0..most)
}

const PLAIN: &[&str] = &[
    "\n", "\n", "\n\n", "\r\n", " ", "\t", "=", "====", "====\n", "\n====\n", "a", "a\n", "é",
    "```", "```\n", "~~~~", "\u{2028}",
];

const ALL: &[&str] = &[
    "\n", "\n", "\n\n", "\r\n", " ", "\t", "=", "====", "====\n", "\n====\n", "a", "a\n", "é",
    "```", "```\n", "~~~~", "\u{2028}", "#", "##", "# ", "## ", "### ", "## H\n", "# H\n", "#\n",
    "\n##\n", "####",
];

fn level() -> impl Strategy<Value = Level> {
    select(&[Level::Base, Level::Component][..])
}

fn write_parts(writer: &mut Writer, parts: &[Part]) {
    for &part in parts {
        match part {
            Part::Template(text) => writer.piece(PieceKind::Template, BASE, text),
            Part::Value(text) => writer.piece(PieceKind::Value, BASE, text),
            Part::Section(text) => writer.piece(PieceKind::Template, BASE + 1, text),
            Part::Hinge => writer.mark(MarkKind::Hinge),
        }
    }
}

fn build(parts: &[Part]) -> Traced {
    let mut writer = Writer::default();
    write_parts(&mut writer, parts);
    writer.finish()
}

fn with_tail(head: &[Part], tail: &[Part]) -> Traced {
    let mut writer = Writer::default();
    write_parts(&mut writer, head);
    writer.mark(MarkKind::Hinge);
    let tail: Vec<_> = tail.iter().copied().filter(|part| !matches!(part, Part::Hinge)).collect();
    write_parts(&mut writer, &tail);
    writer.finish()
}

fn values_of(traced: &Traced) -> String {
    let mut start = 0;
    let mut values = String::new();
    for piece in &traced.pieces {
        let text = &traced.text[std::mem::replace(&mut start, piece.end as usize)..start];
        if piece.kind == PieceKind::Value {
            values.push_str(text);
        }
    }
    values
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_second_time_changes_nothing(parts in parts(ALL, 24), level in level()) {
        let once = structural(build(&parts), level);
        assert_covered(&once);
        let twice = structural(once.clone(), level);
        prop_assert_eq!(&twice.text, &once.text);
        prop_assert_eq!(&twice.pieces, &once.pieces);
    }

    #[test]
    fn a_second_time_changes_no_plain_text(words in prop::collection::vec(select(ALL), 0..24)) {
        let once = structural_text(words.concat());
        prop_assert_eq!(structural_text(once.as_str()), once);
    }

    #[test]
    fn without_headings_no_value_changes(parts in parts(PLAIN, 24), level in level()) {
        let traced = build(&parts);
        let values = values_of(&traced);
        prop_assert_eq!(values_of(&structural(traced, level)), values);
    }

    #[test]
    fn the_head_does_not_depend_on_the_tail(
        head in parts(ALL, 24),
        tails in (parts(ALL, 12), parts(ALL, 12)),
        level in level(),
    ) {
        let [one, other] = [&tails.0, &tails.1].map(|tail| structural(with_tail(&head, tail), level));
        assert_same_heads(&one, &other);
    }
}
