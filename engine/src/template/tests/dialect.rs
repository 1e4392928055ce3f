//! What the dialect means, construct by construct.

use serde_json::json;

use super::{Table, check, template, text};
use crate::template::Template;

#[test]
fn values_print_as_themselves() {
    let values = json!({"s": "x<&>y", "n": 3, "f": 1.0, "g": 0.25, "t": true, "no": false, "nil": null,
        "xs": [1, "a", null, {"b": 1, "a": [2]}], "o": {"z": 1, "a": "q\"\n"}});
    check(
        "{{s}}|{{n}}|{{f}}|{{g}}|{{t}}|{{no}}|{{nil}}|",
        values.clone(),
        "x<&>y|3|1.0|0.25|true|false||",
    );
    check("{{xs}}|{{o}}", values, r#"[1,"a",null,{"a":[2],"b":1}]|{"a":"q\"\n","z":1}"#);
}

#[test]
fn values_are_never_rendered_again() {
    check("{{a}}{{{a}}}{{&a}}", json!({"a": "{{b}}\\{{", "b": "no"}), r"{{b}}\{{{{b}}\{{{{b}}\{{");
}

#[test]
fn paths() {
    let values = json!({"o": {"a b": 1, "c": {"d": 2}}, "xs": [7, [8]], "a-b_c$:": 9, "é": "e", "7": "seven", "true": "yes"});
    check(
        "{{o.[a b]}}{{o/c.d}}{{xs.0}}{{xs.[1].0}}{{this.xs.0}}{{./xs.0}}{{@root.o.c.d}}{{[xs].0}}{{o.this.c.d}}",
        values.clone(),
        "127877272",
    );
    check("{{a-b_c$:}}{{é}}{{7}}{{true}}", values.clone(), "9esevenyes");
    check("[{{xs.9}}{{xs.foo}}{{o.c.d.e}}{{nope}}{{this}}{{@root}}{{@index}}]", values, "[]");
}

#[test]
fn conditions() {
    let values = json!({"t": 1, "z": 0, "e": "", "l": [], "m": {}, "x": "x"});
    check("{{#if t}}a{{else}}b{{/if}}{{#unless t}}c{{else}}d{{/unless}}", values.clone(), "ad");
    check(
        "{{#if z}}a{{/if}}{{#if z includeZero=true}}b{{/if}}{{#if z includeZero=z}}c{{/if}}",
        values.clone(),
        "b",
    );
    check(
        "{{#if e}}1{{else if l}}2{{else if m}}3{{else unless x}}4{{else}}5{{/if}}",
        values.clone(),
        "5",
    );
    check(
        "{{#if e}}1{{else if x}}2{{else}}3{{/if}}{{#if e}}{{^if x}}4{{^}}5{{/if}}",
        values.clone(),
        "24",
    );
    check(
        "{{#if (eq x 'x')}}1{{/if}}{{#if (and t (not z) (or e x))}}2{{/if}}{{#eq x \"y\"}}3{{else}}4{{/eq}}",
        values,
        "124",
    );
}

#[test]
fn loops() {
    let values =
        json!({"xs": [1, {"y": 2}], "o": {"b": 1, "a": 2}, "none": [], "s": "s", "r": "root"});
    check(
        "{{#each xs}}{{@index}}{{@first}}{{@last}}{{this}}{{y}},{{/each}}",
        values.clone(),
        "0truefalse1,1falsetrue{\"y\":2}2,",
    );
    check("{{#each o}}{{@key}}={{this}}/{{@index}};{{/each}}", values.clone(), "a=2/0;b=1/1;");
    check(
        "{{#each none}}x{{else}}e{{/each}}{{#each s}}x{{else if r}}f{{/each}}{{#each none}}x{{/each}}",
        values.clone(),
        "ef",
    );
    check(
        "{{#each xs as |v i|}}{{i}}{{v}}{{v.y}}{{#each ../o as |w k|}}{{k}}{{w}}{{i}}{{@../index}}{{/each}};{{/each}}",
        values.clone(),
        "01a200b100;1{\"y\":2}2a211b111;",
    );
    check("{{#each xs}}{{../r}}{{../../r}}{{@root.r}} {{/each}}", values, "rootroot rootroot ");
}

#[test]
fn with_and_locals() {
    let values = json!({"o": {"a": {"b": 1}}, "r": 2, "xs": [5]});
    check(
        "{{#with o}}{{a.b}}{{../r}}{{#with a}}{{b}}{{../../r}}{{/with}}{{/with}}",
        values.clone(),
        "1212",
    );
    check(
        "{{#with o.a as |q|}}{{q.b}}{{b}}{{/with}}{{#with nope}}x{{else}}y{{/with}}",
        values.clone(),
        "11y",
    );
    check("{{#each xs}}{{#with @root.o}}{{@index}}{{../this}}{{/with}}{{/each}}", values, "05");
}

#[test]
fn lookups() {
    let values = json!({"xs": ["a", "b"], "o": {"k": {"z": 1}}, "k": "k", "i": 1});
    check(
        "{{lookup xs i}}{{lookup xs 0}}{{lookup xs '0'}}{{lookup (lookup o k) \"z\"}}{{(lookup xs 1)}}",
        values.clone(),
        "ba1b",
    );
    check(
        "{{#each (lookup o 'k')}}{{@key}}{{this}}{{/each}}{{#with (lookup o k)}}{{z}}{{/with}}",
        values,
        "z11",
    );
}

#[test]
fn white_space() {
    let values = json!({"t": true, "x": "X"});
    check("a\n  {{#if t}}  \n b\n{{/if}}\nc", values.clone(), "a\n b\nc");
    check("a {{~#if t~}} \n b {{~/if~}} \n c", values.clone(), "abc");
    check("a\r\n{{#if t}}\r\nb\r\n{{else}}\r\n{{/if}}\r\nc", values.clone(), "a\r\nb\r\nc");
    check("{{! c }}\na {{! c }}\n{{!-- }} --}}\nb", values.clone(), "a \nb");
    check("a\n {{x}} \nb", values.clone(), "a\n X \nb");
    check(" {{~{x}~}} b", values.clone(), "Xb");
    check("{{#if t}}\nx\n  {{/if}}", values.clone(), "x\n");
    check("{{#if t~}}\n{{x}}\n{{/if}}\n.", values, "X\n.");
}

#[test]
fn escapes_and_raw_blocks() {
    let values = json!({"x": "X", "t": false});
    check(
        r"\{{x}} \\{{x}} \\\{{x}} \ {{x}} \{{{{x}}}} {x}} { {",
        values.clone(),
        r"{{x}} \X \\X \ X {{{{x}}}} {x}} { {",
    );
    check("{{{{raw}}}} {{x}} {{{{/raw}}}}", values.clone(), " {{x}} ");
    check(
        "a\n{{{{raw}}}}\n  {{x}} {{{y}}} \\{{z}} }}\n{{{{/raw}}}}\nb",
        values.clone(),
        "a\n  {{x}} {{{y}}} {{z}} }}\nb",
    );
    check("{{{{if t}}}}{{x}}{{{{/if}}}}{{{{unless t}}}}{{x}}{{{{/unless}}}}", values, "{{x}}");
}

#[test]
fn tags_end_where_they_should() {
    let values = json!({"x": "}}", "o": {"}}": 1}});
    check("{{#if (eq x \"}}\")}}1{{/if}}{{eq o {\"}}\": 1}}}{{o.[}}]}}", values.clone(), "1true1");
    check("{{ x }}{{{ x }}}{{ {x} }}{{\nx\n}}{{~ x ~}}", values, "}}}}}}}}}}");
}

#[test]
fn partials() {
    let table = || {
        Table::of(json!({"x": "X", "ml": "l1\nl2\n", "e": "", "o": {"x": "in", "y": 1}, "xs": [1, 2], "name": "p"}))
            .partial("p", "{{x}}")
            .partial("lines", "a\n{{x}}\n\n{{ml}}b {{ml}}{{e}}\nc\n")
            .partial("outer", "o\n  {{> lines}}\n")
            .partial("named", "{{k}}{{x}}{{../x}}{{#with @root.o}}{{k}}{{/with}}")
            .partial("item", "{{@index}}{{this}}{{../../x}}")
            .partial("block", "{{#if x}}\ny\n  {{/if}}")
            .partial("a b", "quoted")
    };
    assert_eq!(
        text("[{{> p}}] {{> p o}} {{> (lookup @root 'name')}}", &table().partial("", "none")),
        "[X] in none"
    );
    assert_eq!(text("{{> (default name 'q')}}{{> 'a b'}}", &table()), "Xquoted");
    assert_eq!(text("{{> named k=1}} {{> named o k='2'}}", &table()), "1XX1 2inX2");
    assert_eq!(text("{{#each xs}}{{> item}};{{/each}}", &table()), "01X;12X;");
    assert_eq!(text("- {{> lines}}\nz", &table()), "- a\nX\n\nl1\nl2\nb l1\nl2\n\nc\n\nz");
    assert_eq!(text("  {{> lines}}\nz", &table()), "  a\n  X\n\n  l1\nl2\n  b l1\nl2\n\n  c\nz");
    assert_eq!(
        text(" {{> outer}}\nz", &table()),
        " o\n   a\n   X\n\n   l1\nl2\n   b l1\nl2\n\n   c\nz"
    );
    assert_eq!(text("  {{> block}}\nz", &table()), "  y\nz");
    assert_eq!(text("{{> p}}\n{{> p}}\n\n{{> p}}", &table()), "X\nX\n\nX");
    assert_eq!(text("{{> p e}}\n{{> p~}}\nz", &table().partial("p", "{{this}}")), "z");
    assert_eq!(text("a\n  {{~> lines}}\nz", &table()), "aa\nX\n\nl1\nl2\nb l1\nl2\n\nc\nz");
}

#[test]
fn partials_include_themselves() {
    let table =
        Table::of(json!({"tree": {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}, {"v": 4}]}}))
            .partial("node", "{{v}}{{#if kids}}({{#each kids}}{{> node}}{{/each}}){{/if}}");
    assert_eq!(text("{{> node tree}}", &table), "1(2(3)4)");
}

/// Each decided difference from the crate, side by side.
#[test]
fn decided_differences() {
    let both = |source: &str, partial: &str, theirs: &str, ours: &str| {
        let values = json!({"o": {"b": 1, "a": 2}, "xs": [1], "x": "X", "ml": "1\n2\n", "t": true});
        let mut crate_ = handlebars::Handlebars::new();
        crate_.register_escape_fn(handlebars::no_escape);
        crate_.register_partial("p", partial).unwrap();
        let made = crate_.render_template(source, &values);
        assert_eq!(made.unwrap_or("error".into()), theirs, "{source:?}");
        assert_eq!(text(source, &Table::of(values).partial("p", partial)), ours, "{source:?}");
    };
    both("{{o}} {{xs}}", "", "[object] [1]", "{\"a\":2,\"b\":1} [1]");
    both("{{xs.foo}}|", "", "error", "|");
    both("- {{> p}}\nz", "a\nb\n", "- a\n b\n\nz", "- a\nb\n\nz");
    both(
        "  {{> p}}\nz",
        "{{ml}}a\n\n{{x}}\n",
        "  1\n  2\n  a\n  \n  X\nz",
        "  1\n2\n  a\n\n  X\nz",
    );
    both("{{> p}}\nz", "{{x}}", "Xz", "X\nz");
    both("  {{> p}}\r\n\nz", "a\nb", "  a\n  b\nz", "  a\n  b\r\n\nz");
    both("{{#if t~}}\n{{x}}\n{{/if}}\n", "", "X", "X\n");
    both("{{x~}}{{! c }} z", "", "Xz", "X z");
    both("{{this}}{{#if this}}y{{/if}}|", "", "[object]y|", "|");
    both("{{#with o}}{{> p k=1}}{{/with}}", "{{#each this}}{{@key}}{{/each}}{{k}}", "abk1", "ab1");
    both("{{{{raw}}}}\n  {{x}}{{{{/raw}}}}", "", "{{x}}", "  {{x}}");
    both("{{#if t}}\nx\n{{/if}}  ", "", "x\n  ", "x\n");
}

#[test]
fn traps() {
    let values = json!({"p": "P", "q": "Q", "o": {"p": 1}, "xs": [5, 6]});
    check(
        "{{#each xs as |p|}}{{#with @root.o}}{{p}}{{../p}}{{../../p}}{{@root.p}} {{/with}}{{/each}}",
        values.clone(),
        "555P 666P ",
    );
    check(
        "{{#each xs}}{{#if @first}}{{../q}}{{/if}}{{#with @root.o}}{{@../index}}{{../../q}}{{../../../q}}{{/with}};{{/each}}",
        values.clone(),
        "Q0Q;1Q;",
    );
    let table = Table::of(values).partial("in", "{{v}}{{../q}}{{p}}");
    assert_eq!(text("{{#each xs as |v|}}{{> in}}{{/each}}{{> in v=7}}", &table), "567QP");
    for source in ["{{../@index}}", "{{\"lit\"}}", "{{^p}}x{{/p}}", "{{#p}}x{{/p}}"] {
        assert!(!template(source).check().is_empty(), "{source:?}");
    }
}

#[test]
fn templates_may_be_shared() {
    fn shared<T: Send + Sync>() {}
    shared::<Template>();
    let shown = format!("{:?}", template("secret {{x}}"));
    assert_eq!(shown, "Template(t.hbs:1:1, 12 bytes)");
}
