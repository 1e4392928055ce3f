//! Limits: each ends in an error with a place, never in a full stack or memory.

use serde_json::json;

use super::{Table, template};
use crate::diagnostic::Code;
use crate::template::{Missing, Template};

fn refused(source: &str) -> String {
    let template = template(source);
    let told = template.check();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(template.evaluate(&Table::default(), Missing::Empty).is_err());
    told[0].to_string()
}

fn fails(source: &str, table: &Table) -> (Code, String) {
    let error = template(source).evaluate(table, Missing::Empty).unwrap_err();
    (error.code, error.message)
}

#[test]
fn nesting() {
    let nested = |depth: usize| "{{#if a}}".repeat(depth) + &"{{/if}}".repeat(depth);
    assert!(template(&nested(64)).check().is_empty());
    assert_eq!(
        refused(&nested(65)),
        "error[template-limit] t.hbs:1:577: blocks nest deeper than 64"
    );
    assert_eq!(
        refused(&nested(10_000)),
        "error[template-limit] t.hbs:1:577: blocks nest deeper than 64"
    );
    let chain = format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if b}}x".repeat(10_000));
    assert!(template(&chain).check().is_empty());
    assert_eq!(template(&chain).evaluate_text(&Table::default(), Missing::Empty).unwrap(), "");
}

#[test]
fn nesting_within_a_tag() {
    let parentheses =
        |depth: usize| format!("{{{{not {}x{}}}}}", "(not ".repeat(depth), ")".repeat(depth));
    let even = template(&parentheses(64)).evaluate_text(&Table::default(), Missing::Empty);
    assert_eq!(even.unwrap(), "true");
    assert_eq!(
        refused(&parentheses(65)),
        "error[template-limit] t.hbs:1:1: parentheses in a tag nest deeper than 64"
    );
    assert_eq!(
        refused(&parentheses(10_000)),
        "error[template-limit] t.hbs:1:1: parentheses in a tag nest deeper than 64"
    );
    let lists = |depth: usize| format!("{{{{json {}{}}}}}", "[".repeat(depth), "]".repeat(depth));
    assert!(template(&lists(64)).check().is_empty());
    assert_eq!(
        refused(&lists(65)),
        "error[template-limit] t.hbs:1:1: brackets in a tag nest deeper than 64"
    );
    assert!(refused(&lists(10_000)).contains("brackets in a tag"));
    assert!(refused(&"{{json [[{\"a\":".repeat(1_000)).contains("the tag is not closed"));
    assert!(
        refused(&format!("{{{{json {}", "{\"a\":".repeat(10_000))).contains("brackets in a tag")
    );
}

#[test]
fn length_of_a_tag() {
    let long = |bytes: usize| format!("{{{{json '{}'}}}}", "x".repeat(bytes - 11));
    assert!(template(&long(64 * 1024)).check().is_empty());
    assert_eq!(
        refused(&long(64 * 1024 + 2)),
        "error[template-limit] t.hbs:1:1: the tag does not end within 64 KiB"
    );
    let comment = format!("{{{{!-- {} --}}}}", "x".repeat(1_000_000));
    assert!(template(&comment).check().is_empty());
}

#[test]
fn size_of_the_text() {
    let table = Table::of(json!({"xs": vec![0; 1_000], "big": "x".repeat(20_000)}));
    assert_eq!(
        fails("{{#each xs}}{{@root.big}}{{/each}}", &table),
        (Code::SectionTooLarge, "the text is larger than 16 MiB".into())
    );
    let large = Template::new(crate::diagnostic::SourceText::new(
        "x".repeat((16 << 20) + 1),
        crate::diagnostic::Origin::Engine,
    ));
    assert_eq!(large.check()[0].code, Code::TemplateLimit);
    let indents = Table::of(json!({"t": "x\n".repeat(100_000)}));
    let evaluated = template("{{indent 256 t}}").evaluate(&indents, Missing::Empty).unwrap();
    assert_eq!((evaluated.traced.text.len(), evaluated.issues.len()), (0, 1));
}

#[test]
fn steps() {
    let table =
        Table::of(json!({"xs": vec![0; 1_001]})).partial("p", "{{> q}}{{> q}}").partial("q", "");
    assert_eq!(
        fails("{{#each xs}}{{#each @root.xs}}{{/each}}{{/each}}", &table),
        (Code::TemplateLimit, "the template takes more than 1000000 steps".into())
    );
    let twice = (0..40).fold(table, |table, n| {
        let next = n + 1;
        table.partial(&format!("p{n}"), &format!("{{{{> p{next}}}}}{{{{> p{next}}}}}"))
    });
    assert_eq!(fails("{{> p0}}", &twice.partial("p40", "")).0, Code::TemplateLimit);
}

#[test]
fn partials_that_include_each_other() {
    let table = Table::of(json!({"t": true, "xs": [1]}))
        .partial("a", "{{> b}}")
        .partial("b", "{{#if t}}{{> a}}{{/if}}")
        .partial(
            "deep",
            &format!("{}{{{{> deep}}}}{}", "{{#if @root.t}}".repeat(60), "{{/if}}".repeat(60)),
        );
    assert_eq!(
        fails("{{> a}}", &table),
        (Code::TemplateLimit, "partials include each other deeper than 64".into())
    );
    assert_eq!(
        fails("{{> deep}}", &table),
        (Code::TemplateLimit, "blocks and partials nest deeper than 256".into())
    );
}

/// The deepest evaluation fits a stack of 1 MiB, as threads of hosts may have, even without optimisation.
#[test]
fn stack() {
    let run = || {
        let subexpression = format!("{}1{}", "(not ".repeat(64), ")".repeat(64));
        let blocks = "{{#each @root.xs}}{{#with @root}}{{else if @root.t}}".repeat(30)
            + &format!("{{{{#if {subexpression}}}}}{{{{/if}}}}");
        let partial = format!("{blocks}{{{{> p}}}}{}", "{{/with}}{{/each}}".repeat(30));
        let table = Table::of(json!({"t": true, "xs": [1]})).partial("p", &partial);
        assert_eq!(fails("{{> p}}", &table).0, Code::TemplateLimit);
    };
    std::thread::Builder::new().stack_size(1 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn hostile_sources_end() {
    let sources = [
        "{{!-- x }}".repeat(50_000),
        "\\".repeat(500_000),
        "{{x}} \\".repeat(50_000),
        format!("{{{{{}", "[".repeat(60_000)),
        format!("{{{{{}}}}}", "'a' ".repeat(10_000)),
        format!("{{{{and {}}}}}", "a.b ".repeat(16_000)),
        format!("{{{{> p {}}}}}", "k=a.b ".repeat(10_000)),
        "{{{{raw}}}}\\{{{{".repeat(20_000),
        " ".repeat(1_000_000) + "{{#if x}}" + &" ".repeat(1_000_000) + "{{/if}}",
        "{{[[1]}}{{[\"a]}}".repeat(5_000),
        "{".repeat(1_000_000),
        "}".repeat(1_000_000),
    ];
    // A source that takes more than linear time makes this test run for minutes.
    for source in sources {
        template(&source).check();
    }
}
