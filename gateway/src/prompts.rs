//! Adds promptweave's prompt to requests.
//!
//! In: a request, a rule. Out: the request with the prompt among its system text, and its notes. Never: a prompt or a context in a log.

use promptweave::{Context, ContextError, Engine, Prompt, Target, deliver};
use promptweave_wire::FailureKind;
use serde_json::{Map, Value as Json, json};

use crate::config::{PromptPlace, PromptRule};
use crate::refusal::Refusal;

/// Adds the prompt of a rule; gives the headers that must go with it.
///
/// # Errors
/// There is no prompt to be had.
pub(crate) fn add(
    engine: &Engine,
    rule: &PromptRule,
    request: &mut Map<String, Json>,
) -> Result<Vec<(String, String)>, Refusal> {
    let model = request.get("model").and_then(Json::as_str).unwrap_or_default().to_owned();
    let context = context(&rule.context, &model, request)?;
    let prompt = engine.prompt_for(&context, &rule.ask).map_err(|error| {
        tracing::warn!(code = error.code(), "no prompt");
        Refusal::new(FailureKind::Api, format!("promptweave has no prompt: {error}"))
    })?;
    tell(&prompt);
    let (mut payload, _) =
        deliver(&prompt, Vec::new(), &engine.delivery(Target::Anthropic, &model));
    place(rule.place, request, taken(&mut payload.body, "system"));
    begin(request, taken(&mut payload.body, "messages"));
    payload.headers.remove("anthropic-version");
    Ok(payload.headers.into_iter().collect())
}

/// What the rule knows, and what the request adds.
fn context(base: &Context, model: &str, request: &Map<String, Json>) -> Result<Context, Refusal> {
    let mut root = base.as_json().clone();
    if !root.get("model").is_some_and(Json::is_object) {
        root["model"] = json!({});
    }
    root["model"]["id"] = model.into();
    if let Some(Json::Array(tools)) = request.get("tools") {
        // Tools that Anthropic runs itself have no schema.
        let own = |tool: &&Json| tool.get("input_schema").is_some();
        root["tools"] = tools.iter().filter(own).map(declared).collect();
    }
    let refusal = |error: ContextError| {
        Refusal::new(FailureKind::InvalidRequest, format!("the tools: {error}"))
    };
    Context::from_value(root).map_err(refusal)
}

fn declared(tool: &Json) -> Json {
    let known = ["name", "description", "input_schema"];
    let entries = known.iter().filter_map(|key| Some(((*key).to_owned(), tool.get(*key)?.clone())));
    Json::Object(entries.collect())
}

/// How much there is to tell, by code: texts stay where they are.
fn tell(prompt: &Prompt) {
    for told in prompt.diagnostics() {
        tracing::debug!(code = told.code.as_str(), severity = told.severity.as_str(), "prompt");
    }
}

/// The list at a key, taken out.
fn taken(body: &mut Json, key: &str) -> Vec<Json> {
    match body.get_mut(key).map(Json::take) {
        Some(Json::Array(list)) => list,
        _ => Vec::new(),
    }
}

/// System text as a list of blocks.
fn blocks(system: Option<Json>) -> Vec<Json> {
    match system {
        Some(Json::Array(blocks)) => blocks,
        Some(Json::String(text)) if !text.is_empty() => {
            vec![json!({ "type": "text", "text": text })]
        }
        _ => Vec::new(),
    }
}

fn place(place: PromptPlace, request: &mut Map<String, Json>, ours: Vec<Json>) {
    let theirs = blocks(request.remove("system"));
    let system = match place {
        PromptPlace::Before => [ours, theirs].concat(),
        PromptPlace::After => [theirs, ours].concat(),
        PromptPlace::Instead => ours,
    };
    if !system.is_empty() {
        request.insert("system".into(), system.into());
    }
}

/// Puts the user context before the conversation.
fn begin(request: &mut Map<String, Json>, mut first: Vec<Json>) {
    if let Some(Json::Array(messages)) = request.get_mut("messages") {
        first.append(messages);
        *messages = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_stands_where_it_is_wanted() {
        let text = |text: &str| json!({ "type": "text", "text": text });
        for (at, system, expected) in [
            (PromptPlace::Before, json!("theirs"), vec![text("ours"), text("theirs")]),
            (PromptPlace::After, json!([text("theirs")]), vec![text("theirs"), text("ours")]),
            (PromptPlace::Instead, json!("theirs"), vec![text("ours")]),
            (PromptPlace::After, json!(""), vec![text("ours")]),
        ] {
            let mut request = Map::from_iter([("system".to_owned(), system)]);
            place(at, &mut request, vec![text("ours")]);
            assert_eq!(request["system"], Json::from(expected), "{at:?}");
        }
    }
}
