//! Which tools are effective, and how they are worded.

use std::sync::Arc;

use serde_json::{Value as Json, json};

use super::support::{Plain, condition, context, effective, registry, template, tool, variant};
use crate::model::{VariantId, Wording};
use crate::registry::Registry;
use crate::tools::worded::Input;
use crate::tools::{Described, EffectiveIds, Offer, ToolSource, tool_doc};
use crate::trace::CacheClass::{self, Session, Static, Volatile};

/// `read` (role `read`), `edit` (only in a shell), `run`.
fn house() -> Registry {
    let on = |id: &str, spec: Json| tool(id, &spec);
    registry([
        on(
            "read",
            json!({ "description": "Reads.", "role": "read", "parameters": [{ "name": "path" }] }),
        ),
        on("edit", json!({ "description": "Edits.", "context_ok": false })),
        on("run", json!({ "description": "Runs.", "context_ok": true })),
    ])
}

fn ids(tools: Option<&[&str]>, host: Json) -> Vec<String> {
    let (registry, variant, context) = (house(), variant(tools), context(host));
    let tools = effective(&registry, &variant, &context, &Plain::default());
    tools.iter().map(|tool| tool.id.to_string()).collect()
}

#[test]
fn chooses() {
    let check = |tools: Option<&[&str]>, host: Json, expected: &[&str]| {
        assert_eq!(ids(tools, host.clone()), expected, "{tools:?} {host}");
    };
    let order = Some(&["run", "edit", "read"][..]);
    check(None, json!({}), &["read", "run"]);
    check(order, json!({}), &["run", "read"]);
    check(order, json!({ "tools": null }), &["run", "read"]);
    check(order, json!({ "tools": [] }), &[]);
    check(order, json!({ "tools": ["read", "run", "run"] }), &["run", "read"]);
    check(order, json!({ "tools": ["edit", "read"] }), &["read"]);
    check(Some(&["run"]), json!({ "tools": ["read", "run"] }), &["run"]);
    check(Some(&["run", "deploy"]), json!({}), &["run", "deploy"]);
    check(order, json!({ "tools": ["deploy", "read"] }), &["read", "deploy"]);
    check(order, json!({ "tools": [{ "name": "edit" }] }), &[]);
    let described = json!({ "name": "edit", "description": "The host's own." });
    check(Some(&["run"]), json!({ "tools": [described] }), &["edit"]);
}

#[test]
fn the_host_beats_the_file_field_by_field() {
    let (registry, variant) = (house(), variant(None));
    let worded = |host: Json| {
        let context = context(json!({ "tools": [host] }));
        effective(&registry, &variant, &context, &Plain::default()).remove(0)
    };
    let tool = worded(json!({ "name": "read", "description": "Opens.", "role": "open" }));
    assert_eq!((&*tool.description, tool.role.as_deref()), ("Opens.", Some("open")));
    assert!(matches!(&tool.input, Input::Parameters(list) if list.len() == 1));
    let tool = worded(json!({ "name": "read", "input_schema": { "type": "object" } }));
    assert_eq!((&*tool.description, tool.role.as_deref()), ("Reads.", Some("read")));
    assert!(matches!(&tool.input, Input::Schema(_)));
    let tool = worded(json!({ "name": "fs_read", "role": "read" }));
    assert_eq!((tool.role.as_deref(), &tool.source), (Some("read"), &ToolSource::Name));
    assert_eq!(tool_doc(&tool), None);
    let docs = super::docs(&[tool]);
    assert_eq!((docs.traced.text.as_str(), docs.diagnostics.len()), ("", 1));
}

#[test]
fn wordings() {
    let mut tool =
        tool("read", &json!({ "description": "Plain.", "parameters": [{ "name": "a" }] }));
    let mut word = |name: &str, description: &str, parameters: Option<Json>| {
        let parameters = parameters.map(|spec| vec![super::support::parameter(&spec)]);
        let wording = Wording { description: template(description), parameters };
        tool.wordings.insert(name.into(), wording);
    };
    word("house", "Of the family.", None);
    word("far", "Of a far base.", None);
    word("near", "", Some(json!({ "name": "b" })));
    let registry = registry([tool]);
    let check = |id: &str, bases: &[&str], family: &str, expected: (&str, &str)| {
        let mut variant = variant(None);
        variant.id = VariantId::new(id).unwrap();
        variant.bases = bases.iter().map(|id| VariantId::new(id).unwrap()).collect();
        variant.family = family.into();
        let tools = effective(&registry, &variant, &context(json!({})), &Plain::default());
        let Input::Parameters(parameters) = &tools[0].input else { panic!("parameters") };
        assert_eq!((&*tools[0].description, &*parameters[0].name), expected, "{id}");
    };
    check("own", &[], "own", ("Plain.", "a"));
    check("own", &[], "house", ("Of the family.", "a"));
    check("far", &[], "house", ("Of a far base.", "a"));
    check("own", &["far"], "house", ("Of a far base.", "a"));
    check("own", &["near", "far"], "house", ("Plain.", "b"));
}

#[test]
fn parameters_come_and_go() {
    let spec = json!({ "description": "Does.", "parameters": [
        { "name": "always" },
        { "name": "with_run", "dependencies": ["run"] },
        { "name": "with_more", "dependencies": ["run", "gone"] },
        { "name": "never", "context_ok": false },
    ] });
    let registry = registry([tool("do", &spec), tool("run", &json!({ "description": "Runs." }))]);
    let names = |host: Json| {
        let tools = effective(&registry, &variant(None), &context(host), &Plain::default());
        let Input::Parameters(parameters) = &tools[0].input else { panic!("parameters") };
        parameters.iter().map(|parameter| parameter.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(json!({})), ["always", "with_run"]);
    assert_eq!(names(json!({ "tools": ["do"] })), ["always"]);
    assert_eq!(
        names(json!({ "tools": ["do", "run", "gone"] })),
        ["always", "with_run", "with_more"]
    );
}

fn servers(servers: Json) -> (Vec<(String, String)>, Vec<String>) {
    let context = context(json!({ "mcp": { "servers": servers } }));
    let described = Described::read(&context);
    let (registry, variant) = (registry([tool("a__b", &json!({}))]), variant(None));
    let offer = Offer { registry: &registry, variant: &variant, described: &described };
    let ids = EffectiveIds::choose(&offer, &Plain::default());
    let tools = ids.word_all(&variant, &Plain::default());
    let names = tools.into_iter().map(|tool| (tool.id.to_string(), tool.description)).collect();
    let diagnostics = described.diagnostics.iter().chain(&ids.diagnostics);
    (names, diagnostics.map(ToString::to_string).collect())
}

#[test]
fn tools_of_servers() {
    let (tools, told) = servers(json!([
        { "name": "web", "status": "connected", "tools": [
            { "name": "search", "description": "Finds." }, { "name": "fetch" },
            { "name": "search", "description": "Again." }, { "title": "no name" },
        ] },
        { "name": "off", "status": "disconnected", "tools": [{ "name": "x" }] },
        { "name": "git hub", "tools": [{ "name": "pr.list", "description": " " }] },
        { "tools": [{ "name": "anonymous" }] },
        { "name": "a", "tools": [{ "name": "b", "description": "Meets a file." }] },
    ]));
    let digest = &tools[1].0;
    assert!(digest.starts_with("a__b_") && digest.len() == "a__b".len() + 9, "{digest}");
    let rest: Vec<(&str, &str)> =
        tools[2..].iter().map(|(id, text)| (id.as_str(), text.as_str())).collect();
    assert_eq!(
        rest,
        [
            ("git_hub__pr_list", "git hub: pr.list"),
            ("mcp__anonymous", "mcp: anonymous"),
            ("web__fetch", "web: fetch"),
            ("web__search", "web: Finds."),
        ],
        "by server and name"
    );
    assert_eq!(
        told,
        [
            "warning[context-type] context mcp.servers.0.tools.3: a tool has no name and is left out",
            "note[tool-renamed] context mcp.servers.2.tools.0: `git hub__pr.list` is called `git_hub__pr_list` here",
            "note[tool-duplicate] context mcp.servers.0.tools.2: `web__search` is described twice; this description is left out",
            &format!(
                "note[tool-renamed] context mcp.servers.4.tools.0: `a__b` is called `{digest}` here"
            ),
        ]
    );
}

#[test]
fn names_do_not_depend_on_the_order_of_servers() {
    let one = json!({ "name": "x.y", "tools": [{ "name": "t" }, { "name": "s" }] });
    let two = json!({ "name": "x_y", "tools": [{ "name": "t" }] });
    assert_eq!(servers(json!([one, two])).0, servers(json!([two, one])).0);
    let long = "n".repeat(80);
    let (tools, told) = servers(json!([{ "name": "s", "tools": [{ "name": long }] }]));
    assert_eq!((tools[1].0.len(), told.len()), (64, 1));
}

#[test]
fn classes() {
    let mut read = tool("read", &json!({ "description": "Reads." }));
    read.when = Some(condition("static"));
    let mut late = tool("late", &json!({ "description": "Late." }));
    late.when = Some(condition("volatile"));
    let spec = json!({ "description": "Does.", "parameters": [{ "name": "p", "dependencies": ["late"] }] });
    let registry = registry([read, late, tool("do", &spec)]);
    let check =
        |host: Json, ids: Option<&[&str]>, own: CacheClass, asked: &[(&str, CacheClass)]| {
            let (variant, context) = (variant(ids), context(host.clone()));
            let described = Described::read(&context);
            let offer = Offer { registry: &registry, variant: &variant, described: &described };
            let chosen = EffectiveIds::choose(&offer, &Plain::default());
            assert_eq!((chosen.own_class, chosen.class), (own, Volatile), "{host}");
            for (id, class) in asked {
                assert_eq!(chosen.class_of(id), *class, "{id} of {host}");
            }
        };
    let server = json!({ "mcp": { "servers": [{ "name": "s", "tools": [{ "name": "t" }] }] } });
    check(json!({}), Some(&["read"]), Volatile, &[("read", Session), ("gone", Session)]);
    check(json!({}), None, Volatile, &[("read", Session), ("late", Volatile), ("gone", Session)]);
    let without =
        json!({ "capabilities": ["fs"], "mcp": { "servers": [{ "tools": [{ "name": "t" }] }] } });
    check(without, Some(&["read"]), Session, &[("mcp__t", Session)]);
    check(
        server,
        Some(&["read"]),
        Session,
        &[("read", Session), ("s__t", Volatile), ("s__gone", Volatile), ("gone", Session)],
    );
    let tools = effective(&registry, &variant(None), &context(json!({})), &Plain::default());
    let classes: Vec<(&str, CacheClass)> =
        tools.iter().map(|tool| (&*tool.id, tool.class)).collect();
    assert_eq!(classes, [("do", Volatile), ("late", Volatile), ("read", Session)]);
    assert_eq!(Static, CacheClass::default());
}

#[test]
fn described_tools_as_text() {
    let schema = json!({
        "type": "object", "required": ["q"],
        "properties": {
            "q": { "type": "string", "description": "What to find", "title": "Q" },
            "limit": { "type": "integer" },
            "where": { "$ref": "#/$defs/places", "description": "Where" },
        },
        "$defs": { "places": { "type": "array", "items": { "enum": ["here", "there"] } } },
    });
    let host = json!({ "name": "find", "description": "Finds.", "input_schema": schema });
    let context = context(json!({ "tools": [host, { "name": "stop", "description": "Stops." }] }));
    let tools = effective(&registry([]), &variant(None), &context, &Plain::default());
    let expected = r#"## find
Description: Finds.
Parameters:
- limit: (optional) (integer)
- q: (required) What to find
- where: (optional) Where (JSON Schema: {"items":{"enum":["here","there"]},"type":"array"})
Usage:
<find>
<limit></limit>
<q></q>
<where></where>
</find>

## stop
Description: Stops.
Parameters: None
Usage:
<stop>
</stop>"#;
    assert_eq!(super::docs(&tools).traced.text, expected);
}

#[test]
fn by_role() {
    let (registry, variant) = (house(), variant(None));
    let host = json!({ "tools": ["run", { "name": "fs_read", "role": "read" }] });
    let context = context(host);
    let described = Described::read(&context);
    let offer = Offer { registry: &registry, variant: &variant, described: &described };
    let ids = EffectiveIds::choose(&offer, &Plain::default());
    assert_eq!(ids.by_role("read").map(|tool| Arc::clone(&tool.id)).as_deref(), Some("fs_read"));
    assert!(ids.by_role("edit").is_none());
    assert_eq!(ids.ids().collect::<Vec<_>>(), ["run", "fs_read"]);
}
