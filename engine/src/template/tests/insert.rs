//! Sections that a patch puts beside others.

use super::{Table, hinges, pieces, sound, template};
use crate::template::{Missing, Side, Template};
use crate::trace::CacheClass::{Session, Static};

fn table(names: &[&str]) -> Table {
    names.iter().fold(Table::default(), |table, name| {
        table.section(name, &format!("<{name}>"), Session, Static)
    })
}

fn show(template: &Template, names: &[&str]) -> String {
    let evaluated = template.evaluate(&table(names), Missing::Empty).unwrap();
    sound(&evaluated.traced);
    evaluated.traced.text
}

fn after(source: &str, pairs: &[(&str, &str)]) -> Template {
    pairs.iter().fold(template(source), |template, (anchor, name)| {
        template.insert(anchor, name, Side::After).unwrap()
    })
}

#[test]
fn one_blank_line_between() {
    let source = "x\n{{rules}}\n====\n{{{sections.end}}}";
    let one = template(source).insert("rules", "house", Side::After).unwrap();
    assert_eq!(show(&one, &["rules", "house", "end"]), "x\n<rules>\n\n<house>\n====\n<end>");
    assert_eq!(show(&one, &["rules", "end"]), "x\n<rules>\n====\n<end>");
    let before = template(source).insert("end", "house", Side::Before).unwrap();
    assert_eq!(show(&before, &["rules", "house", "end"]), "x\n<rules>\n====\n<house>\n\n<end>");
    assert!(template(source).insert("nope", "house", Side::After).is_none());
    assert!(
        template("{{#each xs}}{{rules}}{{/each}}").insert("rules", "house", Side::After).is_none()
    );
    assert_eq!(one.references().last().map(|reference| &*reference.name), Some("house"));
}

#[test]
fn several_keep_their_order() {
    let all = ["rules", "a", "b", "c", "d"];
    let both = after("{{rules}}.", &[("rules", "a"), ("rules", "b")]);
    assert_eq!(show(&both, &all), "<rules>\n\n<a>\n\n<b>.");
    let nested = after("{{rules}}.", &[("rules", "a"), ("a", "c"), ("rules", "b"), ("c", "d")]);
    assert_eq!(show(&nested, &all), "<rules>\n\n<a>\n\n<c>\n\n<d>\n\n<b>.");
    let before = ["a", "b"].iter().fold(template("{{rules}}."), |template, name| {
        template.insert("rules", name, Side::Before).unwrap()
    });
    assert_eq!(show(&before, &all), "<a>\n\n<b>\n\n<rules>.");
    let mixed =
        both.insert("rules", "c", Side::Before).unwrap().insert("b", "d", Side::Before).unwrap();
    assert_eq!(show(&mixed, &all), "<c>\n\n<rules>\n\n<a>\n\n<d>\n\n<b>.");
    let more =
        mixed.insert("rules", "e", Side::After).unwrap().insert("c", "f", Side::After).unwrap();
    let all = ["rules", "a", "b", "c", "d", "e", "f"];
    assert_eq!(show(&more, &all), "<c>\n\n<f>\n\n<rules>\n\n<a>\n\n<d>\n\n<b>\n\n<e>.");
}

#[test]
fn a_block_that_asks_for_the_anchor_counts_as_its_placeholder() {
    let source = "{{#if rules}}\n# Rules\n{{rules}}\n{{/if}}\nend";
    let inserted = after(source, &[("rules", "a"), ("rules", "b")]);
    assert_eq!(show(&inserted, &["rules", "a", "b"]), "# Rules\n<rules>\n\n<a>\n\n<b>\nend");
    assert_eq!(show(&inserted, &["a"]), "\n<a>\nend");
    let before = template(source).insert("rules", "a", Side::Before).unwrap();
    assert_eq!(show(&before, &["rules", "a"]), "<a>\n\n# Rules\n<rules>\nend");
    let inline = after("{{#if rules}}({{rules}}){{/if}}.", &[("rules", "a")]);
    assert_eq!(show(&inline, &["rules", "a"]), "(<rules>)\n\n<a>.");
}

#[test]
fn every_placeholder_counts() {
    let inserted =
        after("{{#if x}}{{rules}}{{else}}[{{section 'rules'}}]{{/if}}", &[("rules", "a")]);
    assert_eq!(show(&inserted, &["rules", "a"]), "[<rules>\n\n<a>]");
    assert_eq!(show(&inserted, &["rules", "a", "x"]), "<rules>\n\n<a>");
}

#[test]
fn origins_point_at_the_anchor() {
    let inserted = after("a\n {{rules}}", &[("rules", "house")]);
    let table = Table::default()
        .section("rules", "R", Static, Static)
        .section("house", "H", Session, Session);
    let evaluated = inserted.evaluate(&table, Missing::Empty).unwrap();
    sound(&evaluated.traced);
    assert_eq!(hinges(&evaluated.traced), ["4 session house", "6 session house"]);
    let shown = pieces(&evaluated.traced);
    assert_eq!(shown[3..], ["T session \"\\n\\n\"", "V session \"\"", "V session \"H\""]);
    let source = evaluated.traced.pieces[3].source as usize;
    let text = &evaluated.traced.sources[source].text;
    assert_eq!(text.origin_of(0..2).to_string(), "t.hbs:2:2");
}
