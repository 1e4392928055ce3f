//! Mistakes, with their place and their words; names; what happens to placeholders without a value.

use serde_json::json;

use super::{Table, evaluate, template, text};
use crate::template::{IssueKind, Missing, ReferenceKind, Template};

fn told(source: &str) -> Vec<String> {
    template(source).check().iter().map(ToString::to_string).collect()
}

fn check(source: &str, expected: &[&str]) {
    assert_eq!(told(source), expected, "{source:?}");
    assert!(template(source).evaluate(&Table::default(), Missing::Empty).is_err());
}

#[test]
fn syntax() {
    check("a\n {{x", &["error[template-syntax] t.hbs:2:2: the tag is not closed"]);
    check("{{x {{y}}", &["error[template-syntax] t.hbs:1:1: the tag is not closed"]);
    check("{{x} }", &["error[template-syntax] t.hbs:1:1: the tag does not end with `}}`"]);
    check("é {{{x}} z", &["error[template-syntax] t.hbs:1:3: the tag does not end with `}}}`"]);
    check("{{}}", &["error[template-syntax] t.hbs:1:1: the tag is empty"]);
    check(
        "{{\"a\": 1}}",
        &[
            "error[template-syntax] t.hbs:1:1: the tag cannot be read: expected name, call in parentheses, `~`, or path",
        ],
    );
    check(
        "{{~~x}}",
        &["error[template-syntax] t.hbs:1:1: the tag cannot be read: unexpected sigil"],
    );
    check("{{x~~}}", &["error[template-syntax] t.hbs:1:1: the tag cannot be read: unexpected `~`"]);
    check("{{! c", &["error[template-syntax] t.hbs:1:1: the tag is not closed"]);
    check("{{{{raw}}}} {{x}}", &["error[template-syntax] t.hbs:1:1: the raw block is not closed"]);
    check(
        "{{{{raw}}}} {{{{x}}}}",
        &["error[template-syntax] t.hbs:1:13: four braces in a raw block that do not end it"],
    );
    check(
        "{{eq 5. 1}}",
        &["error[template-syntax] t.hbs:1:1: the tag cannot be read: `5.` is no literal"],
    );
    check(
        "{{> p a b}}",
        &["error[template-syntax] t.hbs:1:1: a partial takes at most one context"],
    );
}

#[test]
fn blocks() {
    check(
        "{{#if a}}\n{{#each b}}\n{{/if}}\n",
        &[
            "error[template-syntax] t.hbs:1:1: the block `if` is not closed",
            "error[template-syntax] t.hbs:3:1: `each` is open, but `if` is closed",
        ],
    );
    check(
        "{{/if}}{{else}}{{^if x}}",
        &[
            "error[template-syntax] t.hbs:1:1: `if` is closed but not open",
            "error[template-syntax] t.hbs:1:8: `else` stands in no block",
            "error[template-syntax] t.hbs:1:16: `else` stands in no block",
        ],
    );
    check(
        "{{#if a}}{{else}}{{else}}{{/if}}",
        &["error[template-syntax] t.hbs:1:18: `else` comes after the last `else`"],
    );
    check("{{#if}}{{/if}}", &["error[template-syntax] t.hbs:1:1: `if` takes 1 argument"]);
    check("{{#if a b}}{{/if}}", &["error[template-syntax] t.hbs:1:1: `if` takes 1 argument"]);
    check(
        "{{#each a includeZero=true}}{{/each}}",
        &["error[template-syntax] t.hbs:1:1: `each` has no such named argument"],
    );
    check(
        "{{#with a as |b c|}}{{/with}}",
        &["error[template-syntax] t.hbs:1:1: `with` has too many block parameters"],
    );
    check("{{if a}}", &["error[template-refused] t.hbs:1:1: `if` is a block, not a helper"]);
    check("{{if}}", &["error[template-syntax] t.hbs:1:1: `if` is used without its block"]);
    check("{{#len a}}{{/len}}", &["error[template-refused] t.hbs:1:1: `len` is not a block"]);
    check("{{#items}}{{/items}}", &["error[template-refused] t.hbs:1:1: `items` is not a block"]);
}

#[test]
fn refused() {
    check("{{* d}}", &["error[template-refused] t.hbs:1:1: this dialect has no decorators"]);
    check(
        "{{#*inline \"x\"}}a{{/inline}}",
        &["error[template-refused] t.hbs:1:1: this dialect has no inline partials"],
    );
    check(
        "{{#> p}}a{{/p}}",
        &["error[template-refused] t.hbs:1:1: this dialect has no partial blocks"],
    );
    check(
        "{{> @partial-block}}",
        &["error[template-refused] t.hbs:1:1: this dialect has no partial blocks"],
    );
    for source in ["{{elsewhere}}", "{{else_x}}", "{{elseif x}}", "{{{else}}}", "{{else.x}}"] {
        check(
            source,
            &[
                "error[template-refused] t.hbs:1:1: a name that begins with `else` cannot be printed",
            ],
        );
    }
    check(
        "{{eq (cache_boundary) 1}}",
        &["error[template-refused] t.hbs:1:1: `cache_boundary` has no value"],
    );
}

#[test]
fn arguments_are_counted() {
    check("{{eq 1}}", &["error[template-syntax] t.hbs:1:1: `eq` takes 2 arguments, not 1"]);
    check("{{len}}", &["error[template-syntax] t.hbs:1:1: `len` takes 1 argument, not 0"]);
    check(
        "{{xml (or)}}",
        &["error[template-syntax] t.hbs:1:1: `or` takes at least 1 argument, not 0"],
    );
    check(
        "{{tool_docs 'x'}}",
        &["error[template-syntax] t.hbs:1:1: `tool_docs` takes no argument, not 1"],
    );
    check(
        "{{join xs sep=','}}",
        &["error[template-syntax] t.hbs:1:1: `join` takes no named arguments"],
    );
}

#[test]
fn several_mistakes_are_told_at_once() {
    check(
        "{{.}}\n{{#if x}}{{len}}{{/if}}\n{{* d}}",
        &[
            "error[template-syntax] t.hbs:1:1: the tag cannot be read: expected name, call in parentheses, `~`, or path",
            "error[template-syntax] t.hbs:2:10: `len` takes 1 argument, not 0",
            "error[template-refused] t.hbs:3:1: this dialect has no decorators",
        ],
    );
    assert_eq!(template("{{.}}").check()[0].help.as_deref(), Some("write `{{this}}`"));
}

#[test]
fn failures_have_a_place() {
    let table = Table::default().partial("bad", "\n {{x").partial("deep", "\n{{nope 1}}");
    let fail = |source: &str| {
        let error = template(source).evaluate(&table, Missing::Empty).unwrap_err();
        error.diagnostic().to_string()
    };
    assert_eq!(fail("a\n{{nope 1}}"), "error[helper-unknown] t.hbs:2:1: there is no helper `nope`");
    assert_eq!(
        fail("a {{xml (nope)}}"),
        "error[helper-unknown] t.hbs:1:3: there is no helper `nope`"
    );
    assert_eq!(
        fail("a\n {{> nope}}"),
        "error[partial-unknown] t.hbs:2:2: there is no partial `nope`"
    );
    assert_eq!(
        fail("{{> (default x 'no')}}"),
        "error[partial-unknown] t.hbs:1:1: there is no partial `no`"
    );
    assert_eq!(fail("{{> bad}}"), "error[template-syntax] t.hbs:2:2: the tag is not closed");
    assert_eq!(fail("{{> deep}}"), "error[helper-unknown] t.hbs:2:1: there is no helper `nope`");
}

#[test]
fn missing_values() {
    let table =
        Table::of(json!({"user": {"name": null}, "xs": [{}, {}], "s": "s"})).nothing("later");
    let source = "[{{ user.name }}{{~ user.age.x}}{{{later}}}{{typo}}{{& typo}}{{@index}}{{s}}{{#each xs}}{{y}}{{/each}}{{xml typo}}{{lookup xs 9}}{{s.t}}]";
    let evaluated = evaluate(source, &table);
    assert_eq!(evaluated.traced.text, "[s]");
    let issues: Vec<_> = evaluated
        .issues
        .iter()
        .map(|issue| (issue.kind.clone(), &*issue.name, &source[issue.range.clone()]))
        .collect();
    use IssueKind::{Absent, Unknown};
    assert_eq!(
        issues,
        [
            (Absent, "user.name", "{{ user.name }}"),
            (Absent, "user.age.x", "{{~ user.age.x}}"),
            (Absent, "later", "{{{later}}}"),
            (Unknown, "typo", "{{typo}}"),
            (Unknown, "typo", "{{& typo}}"),
            (Unknown, "@index", "{{@index}}"),
            (Absent, "y", "{{y}}"),
            (Unknown, "typo", "{{xml typo}}"),
            (Absent, "xs", "{{lookup xs 9}}"),
            (Absent, "s.t", "{{s.t}}"),
        ]
    );
    let kept = template(source).evaluate(&table, Missing::Keep).unwrap();
    super::sound(&kept.traced);
    assert_eq!(
        kept.traced.text,
        "[{{ user.name }}{{~ user.age.x}}{{{later}}}{{typo}}{{& typo}}{{@index}}s{{y}}{{y}}{{xml typo}}{{lookup xs 9}}{{s.t}}]"
    );
    assert!(kept.issues.is_empty());
    let error = template("a\n{{typo}}").evaluate(&table, Missing::Error).unwrap_err();
    assert_eq!(
        error.diagnostic().to_string(),
        "warning[placeholder-missing] t.hbs:2:1: `typo` has no value"
    );
    assert_eq!(
        text(
            "{{#if typo}}x{{/if}}{{#each typo}}x{{/each}}{{#with typo.x}}x{{/with}}{{len typo}}",
            &table
        ),
        "0"
    );
    assert!(
        evaluate("{{#if typo}}{{/if}}{{#each user.name}}{{/each}}{{eq typo 1}}", &table)
            .issues
            .is_empty()
    );
}

fn references(template: &Template) -> Vec<(ReferenceKind, String, String)> {
    let written = |range: &std::ops::Range<usize>| template.source().text[range.clone()].to_owned();
    let all = template.references().iter();
    all.map(|reference| (reference.kind, reference.name.to_string(), written(&reference.range)))
        .collect()
}

#[test]
fn names_are_listed() {
    let source = "{{a}}{{#if (eq b.c (shout ../d x=@root.e))}}{{> p f k=g}}{{/if}}{{#each h as |v|}}{{v.x}}{{i}}{{@index}}{{../j}}{{#with k}}{{../../l}}{{m}}{{/with}}{{@root.n}}{{/each}}";
    let paths: Vec<_> = references(&template(source))
        .into_iter()
        .filter(|(kind, ..)| *kind == ReferenceKind::Path)
        .map(|(_, name, written)| format!("{name}={written}"))
        .collect();
    assert_eq!(
        paths,
        ["a=a", "b.c=b.c", "e=@root.e", "f=f", "g=g", "h=h", "j=../j", "l=../../l", "n=@root.n"]
    );
    let others = |source: &str| {
        let all = references(&template(source)).into_iter();
        all.filter(|(kind, ..)| *kind != ReferenceKind::Path)
            .map(|(kind, name, _)| format!("{kind:?} {name}"))
            .collect::<Vec<_>>()
    };
    assert_eq!(others(source), ["Helper shout", "Helper eq", "Partial p"]);
    assert_eq!(
        others(
            "{{tool 'read'}}{{#has_tool \"x\"}}{{/has_tool}}{{tool_doc 'y'}}{{section 'rules'}}{{> 'q r'}}{{> (lookup a 'b')}}{{tool a}}"
        ),
        [
            "Helper tool",
            "Role read",
            "Helper has_tool",
            "Tool x",
            "Helper tool_doc",
            "Tool y",
            "Helper section",
            "Section rules",
            "Partial q r",
            "Helper lookup",
            "Helper tool"
        ]
    );
    let section = references(&template("a {{section 'rules'}}")).remove(2);
    assert_eq!(
        section,
        (ReferenceKind::Path, "sections.rules".into(), "{{section 'rules'}}".into())
    );
}

#[test]
fn text_that_is_always_there() {
    let solid = |source: &str| template(source).solid_text();
    assert_eq!(solid("# A\n\n  {{x}} b"), Some(13));
    assert_eq!(solid("word"), Some(0));
    for source in [
        "",
        "# A\n\n====\n{{x}}",
        "{{#if x}}a{{/if}}",
        "{{x}}# a {{y}} b\n",
        "{{x}}==== ",
        "## {{x}} of {{y}}",
        "{{! c }}",
        "\n \n",
        "{{#if x}}## {{/if}}a",
        "{{#if x}}\n{{> p}}\n{{/if}}\na",
        "{{> p}} a",
        "# {{#if x}}\nb\n{{/if}}\na",
    ] {
        assert_eq!(solid(source), None, "{source:?}");
    }
    assert_eq!(solid("{{#if x}}\n# a\n{{/if}}\n# h {{y}} t\nz"), Some(34));
}
