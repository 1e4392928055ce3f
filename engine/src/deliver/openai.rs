//! OpenAI's Chat Completions and Responses, what is compatible with the first, and xAI.
//!
//! Shapes from the types of OpenAI's Python library (2026-08) and xAI's guide on caching: the prompt is a message, or
//! `instructions`; a mark is `prompt_cache_breakpoint: {mode: "explicit"}` on a part of a message's content, which needs
//! the prompt to be in parts; `instructions` and tools take none. Without marks the prompt is one string.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::plan::{Mark, Part, Plan};
use super::{Delivery, Payload, add, named, object};
use crate::facts::PromptRole;

/// Where the key stands that routes equal prefixes to one cache.
pub(super) enum Key {
    /// OpenAI: in the body.
    Body(String),
    /// xAI: in a header.
    Header(String),
    /// Nowhere: unknown fields are refused.
    None,
}

pub(super) fn chat(plan: Plan<'_>, delivery: &Delivery, key: Key) -> Payload {
    let (mut body, mut headers) = (named(&plan), BTreeMap::new());
    let Plan { tools, system, user, .. } = plan;
    let content = match system.iter().any(|part| part.mark.is_some()) {
        true => system.iter().map(|one| part("text", one.apart(), one.mark)).collect(),
        false => Json::String(joined(&system)),
    };
    let system = (!system.is_empty()).then(|| message(role(delivery), content));
    let user = user.map(|(said, mark)| match mark {
        Some(_) => message("user", vec![part("text", said.to_owned(), mark)].into()),
        None => message("user", said.into()),
    });
    body.insert("messages".into(), system.into_iter().chain(user).collect());
    add(&mut body, "tools", tools);
    match key {
        Key::Body(key) => {
            body.insert("prompt_cache_key".into(), key.into());
        }
        Key::Header(key) => {
            headers.insert("x-grok-conv-id".into(), key);
        }
        Key::None => {}
    }
    Payload { headers, body: body.into() }
}

pub(super) fn responses(plan: Plan<'_>, delivery: &Delivery, key: String) -> Payload {
    let mut body = named(&plan);
    let Plan { tools, system, user, .. } = plan;
    let mut input = Vec::new();
    if system.iter().any(|part| part.mark.is_some()) {
        let parts = system.iter().map(|one| part("input_text", one.apart(), one.mark));
        input.push(message(role(delivery), parts.collect()));
    } else if !system.is_empty() {
        body.insert("instructions".into(), joined(&system).into());
    }
    let user = user.map(|(said, mark)| {
        message("user", vec![part("input_text", said.to_owned(), mark)].into())
    });
    input.extend(user);
    body.insert("input".into(), input.into());
    add(&mut body, "tools", tools);
    body.insert("prompt_cache_key".into(), key.into());
    Payload { headers: BTreeMap::new(), body: body.into() }
}

fn role(delivery: &Delivery) -> &'static str {
    match delivery.facts.role {
        PromptRole::System => "system",
        PromptRole::Developer => "developer",
    }
}

fn message(role: &str, content: Json) -> Json {
    object([("content", content), ("role", role.into())])
}

fn part(kind: &str, text: String, mark: Option<Mark>) -> Json {
    let (kind, text) = (("type", kind.into()), ("text", text.into()));
    let Some(_) = mark else { return object([text, kind]) };
    let explicit = object([("mode", "explicit".into())]);
    object([("prompt_cache_breakpoint", explicit), text, kind])
}

/// All parts as one text.
fn joined(system: &[Part<'_>]) -> String {
    let bytes: usize = system.iter().map(|part| part.text.len() + part.behind().len()).sum();
    let mut text = String::with_capacity(bytes);
    for part in system {
        text.push_str(part.text);
        text.push_str(part.behind());
    }
    text
}
