//! Sessions: what stays, what changes and why, what comes back in another process; levels and budgets.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod budgets;
mod keeping;
mod levels;
mod plugins;
mod restoring;
mod standard;
mod threads;
mod watching;

use promptweave::{Code, Engine, Prompt, Session};
use promptweave_tests::{pack, whole};
use serde_json::Value as Json;

/// The text of a prompt of a session.
fn text(session: &Session, context: Json) -> String {
    prompt(session, context).into_text()
}

fn prompt(session: &Session, context: Json) -> Prompt {
    let prompt = session.prompt(&pack::context(context)).unwrap();
    whole::check(&prompt);
    prompt
}

/// The text of a prompt of its own.
fn apart(engine: &Engine, context: Json) -> String {
    let prompt = engine.prompt(&pack::context(context)).unwrap();
    whole::check(&prompt);
    prompt.into_text()
}

/// The messages of a code.
fn told(prompt: &Prompt, code: Code) -> Vec<&str> {
    let told = prompt.diagnostics().iter().filter(|one| one.code == code);
    told.map(|one| one.message.as_str()).collect()
}

/// Why there is no section of that name.
fn reason(prompt: &Prompt, id: &str) -> &'static str {
    prompt.skipped().iter().find(|one| one.id.as_str() == id).unwrap().reason.as_str()
}
