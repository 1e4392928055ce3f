//! Which pieces and marks an evaluation leaves.

use serde_json::json;

use super::{Table, evaluate, hinges, pieces, sound};
use crate::template::{Missing, Template};
use crate::trace::CacheClass::{Session, Static, Volatile};
use crate::trace::MarkKind;

fn shown(source: &str, table: &Table) -> Vec<String> {
    let evaluated = evaluate(source, table);
    sound(&evaluated.traced);
    pieces(&evaluated.traced)
}

#[test]
fn tags_that_print_nothing_leave_an_empty_piece() {
    let table = Table::of(json!({"e": "", "t": true, "x": "X"})).partial("none", "");
    let empty = "V static \"\"";
    for tag in [
        "{{e}}",
        "{{nope}}",
        "{{! c }}",
        "{{cache_boundary}}",
        "{{> none}}",
        "{{#if e}}a{{/if}}",
        "{{#each e}}{{/each}}",
        "{{none_of_it}}",
    ] {
        assert_eq!(
            shown(&format!("a {tag}."), &table),
            ["T static \"a \"", empty, "T static \".\""],
            "{tag}"
        );
    }
    for tag in
        ["{{! c }}", "{{#if e}}\nx\n{{/if}}", "{{> none}}", "{{#if e}}\nx\n{{else}}\n{{/if}}"]
    {
        assert_eq!(
            shown(&format!("a\n{tag}\nb"), &table),
            ["T static \"a\\n\"", "T static \"b\""],
            "{tag}"
        );
    }
    for tag in ["{{e}}", "{{cache_boundary}}"] {
        assert_eq!(
            shown(&format!("a\n{tag}\nb"), &table),
            ["T static \"a\\n\"", empty, "T static \"\\nb\""],
            "{tag}"
        );
    }
    assert_eq!(shown("{{#if t}}x{{/if}}", &table), [empty, "T static \"x\"", empty]);
    assert_eq!(
        shown("{{#if t}}\nx{{/if}} y", &table),
        ["T static \"x\"", empty, "T static \" y\""]
    );
}

#[test]
fn escapes_cut_pieces() {
    let table = Table::of(json!({"x": "X"}));
    assert_eq!(
        shown(r"a \{{b}} \\{{x}}", &table),
        ["T static \"a \"", "T static \"{{b}} \"", "T static \"\\\\\"", "V static \"X\""]
    );
}

#[test]
fn sections_keep_their_pieces() {
    let table =
        Table::default().section("rules", "abcd", Session, Static).json("v", json!(1), Volatile);
    let evaluated = evaluate("{{rules}}{{#if v}}\n{{rules}}\n{{/if}}", &table);
    sound(&evaluated.traced);
    assert_eq!(
        pieces(&evaluated.traced),
        [
            "T static \"ab\"",
            "T session \"cd\"",
            "V static \"\"",
            "T volatile \"\\n\"",
            "T volatile \"ab\"",
            "T volatile \"cd\"",
            "T volatile \"\\n\""
        ]
    );
    assert_eq!(evaluated.traced.sources.len(), 3);
    assert_eq!(evaluated.traced.sources[1].section.as_deref(), Some("rules"));
    assert_eq!(hinges(&evaluated.traced), ["4 volatile v"]);
}

#[test]
fn marks_of_sections_come_along() {
    let table = Table::default().json("v", json!("V"), Session).json("w", json!("W"), Volatile);
    let inner = evaluate("a{{v}}{{cache_boundary}}", &table).traced;
    let mut outer = Table::default().json("w", json!("W"), Volatile).json("v", json!("v"), Session);
    outer = outer.section("s", "", Session, Static);
    outer.names.get_mut("s").unwrap().entry = super::Entry::Section(inner);
    let evaluated = evaluate("{{w}}{{v}}{{s}}{{s}}", &outer);
    sound(&evaluated.traced);
    assert_eq!(evaluated.traced.text, "WvaVaV");
    assert_eq!(
        hinges(&evaluated.traced),
        ["0 volatile w", "1 session v", "3 session v", "5 session v"]
    );
    let boundaries: Vec<_> = evaluated
        .traced
        .marks
        .iter()
        .filter(|mark| mark.kind == MarkKind::Boundary)
        .map(|mark| mark.at)
        .collect();
    assert_eq!(boundaries, [4, 6]);
    let looped = Table::of(json!({"xs": vec![0; 100]})).section("s", "S", Session, Static);
    let evaluated = evaluate("{{#each xs}}{{@root.s}}{{/each}}", &looped);
    assert_eq!((evaluated.traced.text.len(), evaluated.traced.sources.len()), (100, 2));
}

#[test]
fn hinges_and_classes() {
    let table = Table::of(json!({"t": true}))
        .json("u", json!({"lang": "de", "xs": [1, 2], "none": null}), Session)
        .json("v", json!("V"), Volatile)
        .partial("p", "{{k}}{{u.lang}}")
        .partial("de", "D");
    let marks = |source: &str| hinges(&evaluate(source, &table).traced);
    assert_eq!(marks("{{t}}{{#if t}}{{/if}}{{> p k=t}}"), ["8 session u.lang"]);
    assert_eq!(
        marks("a{{u.lang}}{{u.none}}{{nope}}"),
        ["1 session u.lang", "3 session u.none", "3 volatile nope"]
    );
    assert_eq!(
        marks("{{#if u.none}}a{{else if (eq t v)}}b{{else}}c{{/if}}"),
        ["0 session u.none", "0 volatile v"]
    );
    assert_eq!(
        marks("{{#each u.xs}}{{this}}{{@index}}{{/each}}")[..2],
        ["0 session u.xs", "0 session u.xs"]
    );
    assert_eq!(marks("{{#with u}}{{lang}}{{@root.t}}{{/with}}"), ["0 session u", "0 session u"]);
    assert_eq!(
        marks("{{> (default u.lang 'p')}}{{> p k=v}}"),
        ["0 session u.lang", "1 volatile v", "2 session u.lang"]
    );
    assert_eq!(
        shown("{{#if u.none}}a{{else}}b{{v}}{{t}}{{/if}}c", &table),
        [
            "V static \"\"",
            "T session \"b\"",
            "V volatile \"V\"",
            "V session \"true\"",
            "V static \"\"",
            "T static \"c\""
        ]
    );
    assert_eq!(
        shown("{{#each u.xs as |x i|}}{{x}}{{i}}{{@last}}{{/each}}", &table)[1..4],
        ["V session \"1\"", "V session \"0\"", "V session \"false\""]
    );
    assert_eq!(shown("{{> (lookup u 'lang')}}", &table)[0], "T session \"D\"");
}

#[test]
fn indents_belong_to_the_template_that_has_them() {
    let table = Table::of(json!({"x": "X"})).partial("p", "a\n{{x}}\n{{> q}}\n").partial("q", "q");
    let evaluated = evaluate("1\n \t{{> p}}\n2", &table);
    sound(&evaluated.traced);
    assert_eq!(evaluated.traced.text, "1\n \ta\n \tX\n \tq\n2");
    let from_main: Vec<_> = evaluated
        .traced
        .pieces
        .iter()
        .filter(|piece| piece.source == 0)
        .map(|piece| piece.at)
        .collect();
    assert_eq!(from_main, [0, 2, 2, 2, 12]);
}

#[test]
fn one_template_in_many_threads() {
    let template = super::template(
        "{{#each xs}}{{../n}}{{this}}{{#if @last}}.{{else}}, {{/if}}{{/each}}{{> p}}",
    );
    let tables: Vec<_> = (0..4)
        .map(|n| Table::of(json!({"n": n, "xs": [n, n + 1, n + 2]})).partial("p", "{{n}}{{n}}"))
        .collect();
    std::thread::scope(|scope| {
        for (n, table) in tables.iter().enumerate() {
            let template: &Template = &template;
            scope.spawn(move || {
                for _ in 0..200 {
                    let evaluated = template.evaluate(table, Missing::Empty).unwrap();
                    let expected = format!("{n}{n}, {n}{}, {n}{}.{n}{n}", n + 1, n + 2);
                    assert_eq!(evaluated.traced.text, expected);
                }
            });
        }
    });
}
