//! The standard pack in the situations that its snapshots show.
//!
//! In: the name of a situation. Out: an engine, a context. Never: builds a prompt.

use promptweave::{CacheClass, Engine, EngineBuilder};
use serde_json::{Value as Json, json};

/// A situation: its name, and what it changes in [`basic`].
pub type Situation = (&'static str, fn(&mut Json));

/// Basic, no browser, no MCP server, plan mode, huge rules.
pub const SITUATIONS: &[Situation] = &[
    ("basic", |_| {}),
    ("no-browser", |context| {
        context["capabilities"] = json!(["fs", "shell", "web", "mcp", "sub_agents"]);
    }),
    ("no-mcp", |context| context["mcp"] = json!({})),
    ("plan", |context| context["mode"] = json!("plan")),
    ("huge-rules", |context| context["rules"] = json!({ "global": huge_rules() })),
];

/// A host with everything, on one day in one project; no texts of the user's.
pub fn basic() -> Json {
    json!({
        "cwd": "/home/ada/mill", "home": "/home/ada", "os": "Linux", "shell": "/bin/bash", "ide": "Helix",
        "date": "2026-01-15", "time": "09:30", "mode": "act",
        "git": { "branch": "wheel", "main_branch": "main", "user": "Ada", "status": "clean" },
        "mcp": { "servers": [{
            "name": "tickets", "status": "connected", "instructions": "Ticket numbers look like `MILL-7`.",
            "tools": [{ "name": "find_ticket", "description": "Finds tickets." }],
        }] },
    })
}

/// The situation's context.
///
/// # Panics
/// When there is no such situation.
pub fn situation(name: &str) -> Json {
    let found = SITUATIONS.iter().find(|(known, _)| *known == name);
    let mut context = basic();
    found.expect("a situation of that name").1(&mut context);
    context
}

/// 64 kB of rules, with headings, separators and braces that must stay as they are.
pub fn huge_rules() -> String {
    let rule = "## Rule\n\n====\n\n- Keep `{{this}}` as it is.\n\n\n\n";
    rule.repeat(64 * 1024 / rule.len())
}

/// An engine of the standard pack alone.
///
/// # Panics
/// When the standard pack has a mistake.
pub fn engine() -> Engine {
    built(builder())
}

/// The same for a host that keeps its tools, capabilities and flags fixed.
///
/// # Panics
/// When the standard pack has a mistake.
pub fn narrowed() -> Engine {
    let fixed = ["tools", "capabilities", "flags"].into_iter();
    built(fixed.fold(builder(), |builder, key| builder.narrow(key, CacheClass::Static)))
}

fn builder() -> EngineBuilder {
    Engine::builder().pack(promptweave_variants::standard())
}

fn built(builder: EngineBuilder) -> Engine {
    let engine = builder.build().expect("an engine that is not strict");
    assert!(engine.diagnostics().is_empty(), "{:#?}", engine.diagnostics());
    engine
}

/// The ids of its variants, in order.
pub fn variants(engine: &Engine) -> Vec<String> {
    engine.registry().variants.keys().map(ToString::to_string).collect()
}
