//! Anthropic's own form, on its API and on Vertex AI.
//!
//! In: a form. Out: the request as it came, but for what the model refuses. Never: a rewritten block that could have stayed.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::effort::Thinking;
use super::form::{Block, Form, Kind, Life, Role};
use super::{Writing, parts, put};
use crate::abilities::ThinkingForm;
use crate::carry::Carry;
use crate::note::NoteCode;
use crate::target::Target;

/// The version of the API whose form this is.
const API_VERSION: &str = "2023-06-01";
/// The same for Vertex AI, where it stands in the body.
const VERTEX_VERSION: &str = "vertex-2023-10-16";
/// The header that must go with a scope.
const SCOPE_BETA: &str = "prompt-caching-scope-2026-01-05";
/// The least budget of thinking that is taken.
const MIN_BUDGET: u64 = 1024;

pub(super) fn write(
    target: Target,
    form: &Form<'_>,
    writing: &mut Writing<'_>,
) -> (BTreeMap<String, String>, Map<String, Json>) {
    let mut body = form.raw.clone();
    let mut headers = BTreeMap::new();
    match target {
        Target::Vertex => {
            body.remove("model");
            body.insert("anthropic_version".into(), VERTEX_VERSION.into());
        }
        _ => _ = headers.insert("anthropic-version".into(), API_VERSION.into()),
    }
    body.insert("messages".into(), messages(form, writing));
    body.remove("system");
    let is_plain = form.raw.get("system").is_some_and(Json::is_string) && form.system.len() == 1;
    let system = match form.system.first().map(|block| &block.kind) {
        None => None,
        Some(Kind::Text(text)) if is_plain => Some(Json::from(&**text)),
        Some(_) => Some(blocks(&form.system, "/system", writing)),
    };
    put(&mut body, "system", system);
    tools(form, &mut body, writing);
    body.remove("cache_control");
    put(&mut body, "cache_control", form.auto_mark.map(Life::control));
    for key in ["temperature", "top_p", "top_k"] {
        body.remove(key);
        put(&mut body, key, parts::sampling(form, key, writing));
    }
    body.remove("stop_sequences");
    put(&mut body, "stop_sequences", parts::stops(form, writing).map(|stops| json!(stops)));
    thinking(form, &mut body, writing);
    // Read from the body itself, so that it is never sent for a field that is not there.
    if body.values().any(holds_scope) {
        headers.insert("anthropic-beta".into(), SCOPE_BETA.into());
    }
    (headers, body)
}

/// Whether a mark in it has a scope.
fn holds_scope(json: &Json) -> bool {
    match json {
        Json::Object(object) => {
            let control = object.get("cache_control");
            control.is_some_and(|control| control.get("scope").is_some())
                || object.iter().any(|(key, value)| key != "input" && holds_scope(value))
        }
        Json::Array(list) => list.iter().any(holds_scope),
        _ => false,
    }
}

fn tools(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    body.remove("tools");
    let tools: Vec<Json> = form
        .tools
        .iter()
        .map(|tool| {
            let mut tool_json = tool.raw.clone();
            tool_json["name"] = (&*tool.name).into();
            remark(&mut tool_json, tool.mark, "/tools", writing);
            tool_json
        })
        .collect();
    if tools.is_empty() {
        body.remove("tool_choice");
    } else {
        body.insert("tools".into(), tools.into());
        if let (Some(super::form::Choice::Tool(name)), Some(choice)) =
            (&form.choice, body.get_mut("tool_choice"))
        {
            choice["name"] = (&**name).into();
        }
    }
}

fn messages(form: &Form<'_>, writing: &mut Writing<'_>) -> Json {
    let mut all = Vec::new();
    for message in &form.messages {
        let at = format!("/messages/{}", message.at);
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::System => "system",
        };
        if let [Block { kind: Kind::Text(text), mark: None, raw: None }] = &message.blocks[..] {
            all.push(json!({ "role": role, "content": text }));
            continue;
        }
        let content = blocks(&message.blocks, &at, writing);
        if content.as_array().is_some_and(|blocks| !blocks.is_empty()) {
            all.push(json!({ "role": role, "content": content }));
        }
    }
    all.into()
}

fn blocks(blocks: &[Block<'_>], at: &str, writing: &mut Writing<'_>) -> Json {
    blocks.iter().filter_map(|block| one(block, at, writing)).collect()
}

fn one(block: &Block<'_>, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let carried = match &block.kind {
        Kind::Thinking { signature, .. } => Carry::from_text(signature),
        Kind::Redacted(data) => Carry::from_text(data),
        _ => None,
    };
    if carried.is_some() {
        writing.note(NoteCode::CarryDropped, at);
        return None;
    }
    if matches!(&block.kind, Kind::Thinking { signature, .. } if signature.is_empty()) {
        writing.note(NoteCode::ThinkingDropped, at);
        return None;
    }
    let mut json = match (block.raw, &block.kind) {
        (Some(raw), _) => raw.clone(),
        (None, Kind::Text(text)) => json!({ "type": "text", "text": text }),
        // Only text is made here.
        (None, _) => return None,
    };
    match &block.kind {
        Kind::Call { id, name, .. } => {
            json["id"] = (&**id).into();
            json["name"] = (&**name).into();
        }
        Kind::Result { id, parts, .. } => {
            json["tool_use_id"] = (&**id).into();
            if json.get("content").is_some_and(Json::is_array) {
                json["content"] = blocks(parts, at, writing);
            }
        }
        _ => {}
    }
    remark(&mut json, block.mark, at, writing);
    Some(json)
}

/// Sets the mark of a block as it was decided.
fn remark(json: &mut Json, mark: Option<Life>, at: &str, writing: &mut Writing<'_>) {
    let Some(object) = json.as_object_mut() else { return };
    let old = object.remove("cache_control");
    let scope = old.as_ref().and_then(|old| old.get("scope")).cloned();
    let Some(mut control) = mark.map(Life::control) else { return };
    match (scope, writing.abilities.scope.has()) {
        (Some(scope), true) => control["scope"] = scope,
        (Some(_), false) => writing.note(NoteCode::ScopeDropped, at),
        (None, _) => {}
    }
    object.insert("cache_control".into(), control);
}

/// Thinking in the words that the model knows.
fn thinking(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    let asked = Thinking::of(form);
    let (made, effort) = match (writing.abilities.thinking, asked) {
        (_, Thinking::Unsaid | Thinking::Off)
        | (ThinkingForm::Budget, Thinking::Budget(_))
        | (ThinkingForm::Adaptive, Thinking::Adaptive(_)) => return,
        (ThinkingForm::Adaptive, Thinking::Budget(_)) => {
            (Some(json!({ "type": "adaptive" })), asked.effort(writing.abilities.top_effort))
        }
        (ThinkingForm::Budget, Thinking::Adaptive(_)) => (budget(form, asked), None),
        (ThinkingForm::None | ThinkingForm::Effort | ThinkingForm::Level, _) => (None, None),
    };
    let code = if made.is_some() { NoteCode::ThinkingAdapted } else { NoteCode::ThinkingDropped };
    writing.note(code, "/thinking");
    body.remove("thinking");
    put(body, "thinking", made);
    if let Some(Json::Object(config)) = body.get_mut("output_config") {
        config.remove("effort");
        if config.is_empty() {
            body.remove("output_config");
        }
    }
    if let Some(effort) = effort {
        let config = body.entry("output_config").or_insert_with(|| json!({}));
        config["effort"] = effort.into();
    }
}

/// Thinking with a budget, if the limit of output leaves room for one.
pub(super) fn budget(form: &Form<'_>, asked: Thinking<'_>) -> Option<Json> {
    let tokens = asked.budget(form)?;
    let enabled = || json!({ "type": "enabled", "budget_tokens": tokens });
    (tokens >= MIN_BUDGET).then(enabled)
}
