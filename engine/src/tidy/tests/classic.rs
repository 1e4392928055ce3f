//! The classic chain: step by step, on the conformance data, and on random texts against regular expressions.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::select;

use super::notation::{BASE, Writer, read, write};
use super::oracle::Oracle;
use super::{assert_covered, assert_same_heads, config, conformance_rows, long_texts};
use crate::tidy::classic::{classic, classic_text};
use crate::trace::{CacheClass, MarkKind, NO_SOURCE, Piece, PieceKind, Traced};

static ORACLE: LazyLock<Oracle> = LazyLock::new(Oracle::new);

#[test]
fn conformance() {
    for row in conformance_rows() {
        assert_eq!(classic_text(&row.input), row.expected, "{:?}", row.input);
        assert_eq!(ORACLE.run(&row.input), row.expected, "the oracle, {:?}", row.input);
    }
}

#[test]
fn steps() {
    let check =
        |input: &str, expected: &str| assert_eq!(classic_text(input), expected, "{input:?}");
    // blank lines, trimming
    check("a\n\n\n\nb", "a\n\nb");
    check("a\r\n\r\n\r\nb", "a\r\n\nb");
    check("a\n\u{a0}\n\u{2028}\n  b", "a\n\n  b");
    check("\u{feff} a \u{85}\n", "a \u{85}");
    // separators at the end, doubled, and too close to text
    check("a\n\n=====\n", "a");
    check("a\n====\n\n=====\nb", "a\n\n====\n\nb");
    check("a\n====\nb", "a\n\n====\n\nb");
    check("====\n====\nx\n\nb", "====\n\nx\n\nb");
    // headings
    check("##\n\n## B\ntext", "## B\ntext");
    check("a\r##\r\n\u{2028}b", "a\r\u{2028}b");
    check("a\n###\nb\n##", "a\n###\nb");
    // diffs
    check("SEARCH\n====\nb", "SEARCH\n====\nb");
    check("Research\n====\nb", "Research\n\n====\n\nb");
    check("++++++\n====\nb", "++++++\n\n====\n\nb");
    check("+++++++\n====\nb", "+++++++\n====\nb");
}

#[test]
fn windows_count_utf16_units() {
    let check = |before: String, is_spaced: bool| {
        let spaced = classic_text(format!("{before}\n\n====\nb")).ends_with("====\n\nb");
        assert_eq!(spaced, is_spaced, "{before:?}");
    };
    check(format!("SEARCH{}", "a".repeat(42)), false);
    check(format!("SEARCH{}", "a".repeat(43)), true);
    check(format!("SEARCH{}", "\u{1F600}".repeat(21)), false);
    check(format!("SEARCH{}", "\u{1F600}".repeat(22)), true);
    check(format!("{}{}", "+".repeat(50), "\u{20AC}".repeat(41)), false);
    check(format!("{}{}", "+".repeat(50), "\u{20AC}".repeat(42)), true);
}

#[test]
fn marks() {
    let check = |input: &str, expected: &str| assert_eq!(write(&classic(read(input))), expected);
    let words = "x".repeat(200);
    check(&format!("{words}|{words}"), &format!("{}|{}", &words[..98], "x".repeat(302)));
    check(&format!("{words}!{words}"), &format!("{words}!{words}"));
    check("a\n\n\n!\n\nb", "a\n!\nb");
    check("|a|\n====\nb!", "||a\n\n====\n\nb!");
}

#[test]
fn unchanged_text_is_not_copied() {
    let text = read("one\n\n====\n\n{two}\n");
    let clean = read("one\n\n====\n\n{two}");
    assert_eq!(classic(text).text, clean.text);
    let before = clean.text.as_ptr();
    assert_eq!(classic(clean).text.as_ptr(), before);
}

#[test]
fn a_line_feed_has_the_wider_class_of_its_neighbours() {
    let mut traced = read("a\n{====}\nb");
    traced.pieces[1].class = CacheClass::Session;
    let tidied = classic(traced);
    let made: Vec<&Piece> =
        tidied.pieces.iter().filter(|piece| piece.kind == PieceKind::Tidy).collect();
    assert_eq!(tidied.text, "a\n\n====\n\nb");
    assert_eq!(made[0].class, CacheClass::Session);
    assert_eq!(made[1].class, CacheClass::Static);
    assert_eq!(tidied.pieces.last().map(|piece| piece.at), Some(7));
}

#[test]
fn long_texts_take_linear_time() {
    for traced in long_texts() {
        let text = traced.text.clone();
        assert_eq!(classic(traced).text, ORACLE.run(&text));
    }
}

/// Words that the steps react to, and fillers up to the width of a window.
fn words(most: usize) -> impl Strategy<Value = Vec<&'static str>> {
    const WORDS: &[&str] = &[
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        " ",
        "\t",
        "=",
        "===",
        "====",
        "=====",
        "====\n",
        "\n====\n",
        "#",
        "##",
        "##\n",
        "###",
        "a",
        "B",
        "é",
        "SEARCH",
        "REPLACE",
        "+++++++",
        "-----",
        "\u{2028}",
        "\u{2029}",
        "\u{a0}",
        "\u{feff}",
        "\u{1F600}",
        "€",
        "twenty letters here.",
        "five and forty letters to fill up a window. ",
    ];
    prop::collection::vec(select(WORDS), 0..most)
}

/// One piece and, here and there, one mark per character.
fn write_chars(writer: &mut Writer, words: &[&str], source: u32) {
    for (i, char) in words.concat().chars().enumerate() {
        if i % 5 == 4 {
            writer.mark(MarkKind::Hinge);
        }
        writer.piece(PieceKind::Template, source, char.encode_utf8(&mut [0; 4]));
    }
}

fn with_tail(head: &[&str], tail: &[&str]) -> Traced {
    let mut writer = Writer::default();
    write_chars(&mut writer, head, BASE);
    writer.mark(MarkKind::Hinge);
    for word in tail {
        writer.piece(PieceKind::Value, BASE, word);
    }
    writer.finish()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn equals_the_chain(words in words(40)) {
        let text = words.concat();
        prop_assert_eq!(classic_text(&text), ORACLE.run(&text));
    }

    #[test]
    fn kept_bytes_keep_their_source(words in words(40)) {
        let mut writer = Writer::default();
        write_chars(&mut writer, &words, BASE);
        let source = words.concat();
        let traced = classic(writer.finish());
        prop_assert_eq!(&*classic_text(&source), &*traced.text);
        assert_covered(&traced);
        let (mut start, mut last) = (0, None);
        for piece in &traced.pieces {
            let text = &traced.text[start..piece.end as usize];
            if piece.kind == PieceKind::Tidy {
                prop_assert_eq!((text, piece.source), ("\n", NO_SOURCE));
            } else {
                let at = piece.at as usize;
                prop_assert_eq!(text, &source[at..at + text.len()]);
                prop_assert!(last < Some(at));
                last = Some(at);
            }
            start = piece.end as usize;
        }
    }

    #[test]
    fn the_head_does_not_depend_on_the_tail(
        head in words(40),
        tails in (words(12), words(12)),
    ) {
        let [one, other] = [&tails.0, &tails.1].map(|tail| classic(with_tail(&head, tail)));
        assert_same_heads(&one, &other);
    }
}
