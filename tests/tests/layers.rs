//! The layers of a prompt: sections, texts of the request, what stands between.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use promptweave::{Prompt, TextLayerKind};
use promptweave_tests::{pack, whole};
use serde_json::json;

fn built(files: &[(&str, &str)], context: serde_json::Value) -> Prompt {
    let prompt = pack::engine(files).prompt(&pack::context(context)).unwrap();
    whole::check(&prompt);
    prompt
}

/// Each layer on a line: its kind, name, class, origin, content.
fn shown(prompt: &Prompt) -> Vec<String> {
    let line = |layer: promptweave::TextLayer| {
        let kind = match layer.kind {
            TextLayerKind::Section => "section",
            TextLayerKind::Request => "request",
            TextLayerKind::Between => "between",
        };
        let content = &prompt.text()[layer.range.clone()];
        format!("{kind} {} {} {} {content:?}", layer.name, layer.class, layer.origin)
    };
    prompt.layers().into_iter().map(line).collect()
}

const PARTS: [(&str, &str); 2] =
    [("components/role.md", "You write code."), ("components/place.md", "In {{cwd}}.")];

#[test]
fn in_order_with_separators() {
    let files = [&[("generic.toml", "order = ['role', 'place']")][..], &PARTS].concat();
    let prompt = built(&files, json!({ "cwd": "/a", "request": { "append": ["One.", "Two."] } }));
    assert_eq!(
        shown(&prompt),
        [
            r#"section role static test/components/role.md:1:1 "You write code.""#,
            r#"between (between) static test/generic.toml:1:1 "\n\n""#,
            r#"section place session test/components/place.md:1:1 "In /a.""#,
            r#"between (between) static test/generic.toml:1:1 "\n\n""#,
            r#"request request.append.0 session context request.append.0 "One.""#,
            r#"between (between) session test/generic.toml:1:1 "\n\n""#,
            r#"request request.append.1 session context request.append.1 "Two.""#,
        ]
    );
}

#[test]
fn in_a_template_that_prints_one_twice() {
    let template = "# {{CWD}}\n\n{{role}}\n\n\n\n{{place}}, {{role}}\n\n";
    let files = [
        &[("generic.toml", "order = ['role', 'place', 'gone']"), ("generic.hbs", template)][..],
        &PARTS,
    ]
    .concat();
    let prompt = built(&files, json!({ "cwd": "/a" }));
    assert_eq!(
        shown(&prompt),
        [
            r##"between (between) session test/generic.hbs:1:1 "# /a\n\n""##,
            r#"section role static test/components/role.md:1:1 "You write code.""#,
            r#"between (between) static test/generic.hbs:3:9 "\n\n""#,
            r#"section place session test/components/place.md:1:1 "In /a.""#,
            r#"between (between) static test/generic.hbs:7:10 ", ""#,
            r#"section role static test/components/role.md:1:1 "You write code.""#,
        ]
    );
    let took: Vec<bool> = prompt.layers().iter().map(|layer| layer.took.is_zero()).collect();
    assert_eq!(took, [true, false, true, false, true, true], "each component ran once");
}

#[test]
fn of_a_text_that_stands_instead() {
    let files = [&[("generic.toml", "order = ['role', 'place']")][..], &PARTS].concat();
    let prompt = built(&files, json!({ "request": { "override": "All\n\nof it." } }));
    let alone = [r#"request request.override session context request.override "All\n\nof it.""#];
    assert_eq!(shown(&prompt), alone);
}

#[test]
fn of_nothing() {
    let prompt = built(&[("generic.toml", "order = []")], json!({}));
    assert_eq!((prompt.text(), prompt.layers().len()), ("", 0));
}
