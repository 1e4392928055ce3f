//! Anything may come in: no panic, and whatever parses evaluates soundly.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::generator::{Random, case};
use super::{Function, Table, sound, template};
use crate::diagnostic::Code;
use crate::template::scan::scan;
use crate::template::token::Token;
use crate::template::{Missing, Side};
use crate::trace::CacheClass::{Session, Volatile};

/// Everything that a template can be asked for.
fn exercise(source: &str) {
    let template = template(source);
    let table = Table::of(json!({"a": "A", "b": {"c": [1, {"d": null}]}, "x": "", "e": false}))
        .section("s", "S\n", Session, Session)
        .helper("h", Function(Volatile, |args: &[Json], _: &_| Ok(json!(args))))
        .partial("p", "{{a}}\n{{> q}}")
        .partial("q", source);
    template.check();
    template.solid_text();
    for reference in template.references() {
        assert!(source.get(reference.range.clone()).is_some());
    }
    for missing in [Missing::Empty, Missing::Keep, Missing::Error] {
        match template.evaluate(&table, missing) {
            Ok(evaluated) => {
                sound(&evaluated.traced);
                assert_eq!(template.evaluate_text(&table, missing).unwrap(), evaluated.traced.text);
            }
            Err(error) => {
                error.diagnostic().to_string();
                assert!(error.text.text.get(error.range).is_some());
            }
        }
    }
    if let Some(inserted) = template.insert("a", "s", Side::After) {
        let _ = inserted.evaluate(&table, Missing::Empty).map(|evaluated| sound(&evaluated.traced));
    }
}

fn source() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "{{",
        "}}",
        "{{{",
        "}}}",
        "{{{{",
        "}}}}",
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        "\"",
        "'",
        "\\",
        "~",
        "!",
        "!--",
        "--",
        "#",
        "/",
        ">",
        "*",
        "&",
        "^",
        "|",
        "=",
        "as",
        "if ",
        "else",
        "each ",
        "with ",
        "raw",
        "a",
        "b.c",
        "b.c.1.d",
        "x",
        " ",
        "\n",
        "\r\n",
        "../",
        "@",
        "@root",
        "this",
        ".",
        "@index",
        "1",
        "-2.",
        "null",
        "true",
        "é",
        "\u{2028}",
        "{{#if a}}",
        "{{/if}}",
        "{{else}}",
        "{{a}}",
        "{{> p}}",
        "{{#each b.c}}",
        "{{/each}}",
        "h ",
        "eq a 'b'",
        "cache_boundary",
        "{{{{raw}}}}",
        "{{{{/raw}}}}",
        "lookup ",
        ",",
        ":",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tags_and_their_parts(source in source()) {
        exercise(&source);
    }

    #[test]
    fn any_characters(source in "[{}\\[\\]()\"'~\\\\#/>!&a-c.@= \n\u{e9}]{0,60}") {
        exercise(&source);
    }

    #[test]
    fn any_text(source in any::<String>()) {
        exercise(&source);
    }
}

/// Our reading of a source against the crate's: both refuse it, neither does, or it is something that only we refuse.
fn compare(source: &str, kinds: &mut BTreeMap<&'static str, usize>) {
    let theirs = handlebars::Template::compile(source);
    let ours = template(source).check();
    let kind = match (&theirs, ours.first()) {
        (Ok(_), None) => "read by both",
        (Err(_), Some(_)) => "refused by both",
        (Ok(_), Some(mistake)) => match mistake.code {
            Code::TemplateRefused => "refused as no part of the dialect",
            Code::TemplateSyntax if mistake.message.contains(" takes ") => "arguments are counted",
            Code::TemplateSyntax if mistake.message.contains("block parameters") => {
                "block parameters are counted"
            }
            Code::TemplateSyntax if mistake.message.contains("named argument") => {
                "named arguments are checked"
            }
            Code::TemplateSyntax if mistake.message.contains("without its block") => {
                "a block's name as a value"
            }
            Code::TemplateSyntax if mistake.message.contains("at most one context") => {
                "contexts are counted"
            }
            _ => panic!("refused by us: {source:?}: {mistake}"),
        },
        (Err(_), None) if source.contains('&') => "`&` before a call",
        (Err(_), None) if triple_with_tilde(source) => "`~` within and beside three braces",
        (Err(error), None) => panic!("refused by the crate: {source:?}: {error}"),
    };
    *kinds.entry(kind).or_default() += 1;
}

fn triple_with_tilde(source: &str) -> bool {
    scan(source).0.iter().any(|token| match token {
        Token::Tag(tag) => {
            let text = tag.span.of(source);
            text.contains('~') && text[2..].trim_start_matches(['~', ' ', '\n']).starts_with('{')
        }
        Token::Text(_) => false,
    })
}

#[test]
fn the_same_syntax_as_the_crate() {
    #[expect(clippy::disallowed_methods, reason = "tests may be told to do more")]
    let cases: u64 = std::env::var("ORACLE_CASES").map_or(1_500, |count| count.parse().unwrap());
    let mut kinds = BTreeMap::new();
    for seed in 0..cases {
        let mut random = Random(seed);
        let mut source: Vec<char> = case(&mut random).template.chars().collect();
        let start = random.below(source.len());
        let len = 1 + random.below(80);
        source =
            source.into_iter().skip(start / 2 * usize::from(seed % 2 == 0)).take(len).collect();
        for _ in 0..random.below(3) {
            let at = random.below(source.len());
            match random.below(3) {
                0 => {
                    source[at] = random
                        .pick(&["{", "}", "~", "\"", "[", "(", " ", "e", "."])
                        .chars()
                        .next()
                        .unwrap()
                }
                1 => source.insert(
                    at,
                    random
                        .pick(&["{", "}", "~", "'", "]", ")", "\n", "x", "\\"])
                        .chars()
                        .next()
                        .unwrap(),
                ),
                _ => drop(source.remove(at)),
            }
            if source.is_empty() {
                source.push('x');
            }
        }
        compare(&source.into_iter().collect::<String>(), &mut kinds);
    }
    println!("{cases} damaged templates: {kinds:#?}");
}
