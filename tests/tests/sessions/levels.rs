//! The levels of a request, with what is appended and what is left out.

use promptweave::Engine;
use promptweave_tests::pack;
use serde_json::{Value as Json, json};

use crate::{apart, reason};

const FILES: &[(&str, &str)] = &[
    (
        "generic.toml",
        "order = ['role', 'servers']\nsystem_context = ['git']\nuser_context = ['rules']\nminimal = 'Work in {{CWD}}.'\n\
         separator = '|'",
    ),
    ("components/role.md", "role"),
    ("components/servers.toml", "when = 'mcp.servers.size() > 0'\ntemplate = 'servers'"),
    ("components/git.md", "git {{git.branch}}"),
    ("components/rules.md", "{{rules.project}}"),
];

/// The keys of the request, the level that wins, the text.
const TABLE: &[(&str, &str, &str)] = &[
    (r#"{}"#, "default", "role|git main"),
    (r#"{"append": ["a", "b"]}"#, "default", "role|a|b|git main"),
    (r#"{"cache_breaker": "x"}"#, "default", "role|git main|x"),
    (r#"{"system_context": false, "cache_breaker": "x"}"#, "default", "role"),
    (r#"{"minimal": true}"#, "minimal", "Work in /p."),
    (r#"{"minimal": true, "append": ["a"]}"#, "minimal", "Work in /p.|a"),
    (r#"{"custom": "c {{CWD}}"}"#, "custom", "c {{CWD}}|git main"),
    (r#"{"custom": "c", "append": ["a"]}"#, "custom", "c|a|git main"),
    (r#"{"custom": "c", "minimal": true}"#, "custom", "c|git main"),
    (r#"{"agent": "g", "custom": "c", "append": ["a"]}"#, "agent", "g|a|git main"),
    (
        r#"{"agent": "g", "agent_mode": "append", "custom": "c", "append": ["a"]}"#,
        "agent",
        "role|g|a|git main",
    ),
    (r#"{"agent": "g", "agent_mode": "append", "minimal": true}"#, "agent", "Work in /p.|g"),
    (
        r#"{"coordinator": "k", "agent": "g", "agent_mode": "append", "append": ["a"]}"#,
        "coordinator",
        "k|a|git main",
    ),
    (
        r#"{"override": "o", "coordinator": "k", "agent": "g", "custom": "c", "append": ["a"], "cache_breaker": "x"}"#,
        "override",
        "o",
    ),
    (r#"{"override": " "}"#, "default", "role|git main"),
];

fn context(request: &str) -> Json {
    let request: Json = serde_json::from_str(request).unwrap();
    json!({ "cwd": "/p", "git": { "branch": "main" }, "rules": { "project": "Be brief." }, "request": request })
}

#[test]
fn the_first_level_that_is_asked_for_wins() {
    let engine = pack::engine(FILES);
    for (request, level, text) in TABLE {
        let prompt = engine.prompt(&pack::context(context(request))).unwrap();
        promptweave_tests::whole::check(&prompt);
        assert_eq!((prompt.level().as_str(), prompt.text()), (*level, *text), "{request}");
        let shown = prompt.to_json(&promptweave::JsonOptions::default());
        assert_eq!(shown["variant"]["level"], *level);
        if !matches!(*level, "default" | "agent") {
            assert_eq!(reason(&prompt, "role"), "replaced", "{request}");
            assert!(
                *level == "minimal" || prompt.static_head() == 0,
                "the host's text is not static"
            );
        }
    }
}

#[test]
fn a_text_of_the_host_stays_as_it_is_whatever_the_tidying() {
    let custom = "\n\n# Head\n\n\n\n====\n====\n{{x}}\n";
    for tidy in ["structural", "classic", "off"] {
        let generic = format!("tidy = '{tidy}'");
        let engine = pack::engine(&[("generic.toml", &generic)]);
        assert_eq!(apart(&engine, json!({ "request": { "custom": custom } })), custom, "{tidy}");
    }
}

#[test]
fn attribution_and_prefix_are_no_part_of_the_text() {
    let request = r#"{"attribution": "app 1.0", "prefix": "You are Acme."}"#;
    let prompt = pack::engine(FILES).prompt(&pack::context(context(request))).unwrap();
    assert_eq!(prompt.attribution(), Some("app 1.0"));
    assert_eq!(prompt.prefix(), Some("You are Acme."));
    assert_eq!(prompt.text(), "role|git main");
    assert_eq!(prompt.static_head(), "role".len());
}

#[test]
fn user_context_is_a_message_of_its_own() {
    let engine = pack::engine(FILES);
    let message = |request| {
        let prompt = engine.prompt(&pack::context(context(request))).unwrap();
        prompt.user_context().map(str::to_owned)
    };
    let reminder = "<system-reminder>\nBe brief.\n</system-reminder>";
    assert_eq!(message("{}").as_deref(), Some(reminder));
    assert_eq!(message(r#"{"user_context": false}"#), None);
}

/// Servers come and go, and the prompt is none the wiser: no hinge of theirs is left.
#[test]
fn servers_that_come_as_messages_leave_the_prompt() {
    let engine = pack::engine(FILES);
    let built = |delta: bool, servers: Json| {
        let mut context = context("{}");
        context["request"]["mcp_delta"] = json!(delta);
        context["mcp"] = json!({ "servers": servers });
        engine.prompt(&pack::context(context)).unwrap()
    };
    let there = || json!([{ "name": "s" }]);
    assert_eq!(built(false, there()).text(), "role|servers|git main");
    let prompt = built(true, there());
    assert_eq!((prompt.text(), reason(&prompt, "servers")), ("role|git main", "delivered"));
    assert_eq!(prompt.session_head(), prompt.text().len());
    assert_eq!(built(true, json!([])).text(), prompt.text());
}

/// `minimal` without a line of the variant is told, and the whole prompt is built.
#[test]
fn a_variant_may_lack_the_minimal_line() {
    let engine = Engine::builder().pack(pack::memory(&[
        ("generic.toml", "order = ['role']"),
        ("components/role.md", "role"),
    ]));
    let engine = engine.build().unwrap();
    let prompt = engine.prompt(&pack::context(json!({ "request": { "minimal": true } }))).unwrap();
    assert_eq!((prompt.text(), prompt.level().as_str()), ("role", "default"));
    assert_eq!(crate::told(&prompt, promptweave::Code::MinimalMissing).len(), 1);
}
