//! Gemini's `generateContent`.
//!
//! In: a form. Out: a body; the model stands in the path. Never: a call without the signature that it came with.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use super::effort::Thinking;
use super::form::{Block, Choice, Form, Kind, Message, Role};
use super::parts::{self, NO_IMAGE, Source, source};
use super::schema::{self, Change};
use super::{Writing, put};
use crate::abilities::ThinkingForm;
use crate::carry::Carry;
use crate::note::NoteCode;

/// What Google documents for calls that come from elsewhere.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

pub(super) fn write(form: &Form<'_>, writing: &mut Writing<'_>) -> Map<String, Json> {
    let mut body = Map::new();
    let system: Vec<Json> =
        parts::texts(&form.system).map(|text| json!({ "text": text })).collect();
    if !system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": system }));
    }
    body.insert("contents".into(), contents(form, writing));
    tools(form, &mut body, writing);
    put(&mut body, "generationConfig", config(form, writing));
    if form.user().is_some() {
        writing.note(NoteCode::UserDropped, "/metadata/user_id");
    }
    body
}

/// Roles in turns; results need the names of their calls, which stand before them.
fn contents(form: &Form<'_>, writing: &mut Writing<'_>) -> Json {
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut all: Vec<(&str, Vec<Json>)> = Vec::new();
    for message in &form.messages {
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        names.extend(message.blocks.iter().filter_map(|block| match &block.kind {
            Kind::Call { id, name, .. } => Some((&**id, &**name)),
            _ => None,
        }));
        let parts = match message.role {
            Role::Assistant => model(message, writing),
            Role::User | Role::System => user(message, &names, writing),
        };
        match all.last_mut().filter(|(last, _)| *last == role) {
            _ if parts.is_empty() => {}
            Some((_, last)) => last.extend(parts),
            None => all.push((role, parts)),
        }
    }
    all.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

/// The model's parts. A signature goes with the part that it came with; of parallel calls the first has it.
fn model(message: &Message<'_>, writing: &mut Writing<'_>) -> Vec<Json> {
    let at = format!("/messages/{}", message.at);
    let mut parts: Vec<Json> = Vec::new();
    let mut signature: Option<String> = None;
    let mut is_first = true;
    for block in &message.blocks {
        match &block.kind {
            Kind::Call { name, input, .. } => {
                let args = if input.is_object() { (*input).clone() } else { json!({}) };
                let mut part = json!({ "functionCall": { "name": name, "args": args } });
                let carried = signature.take();
                if carried.is_none() && is_first && writing.abilities.signatures.has() {
                    writing.note(NoteCode::SignatureMissing, at.as_str());
                    part["thoughtSignature"] = NO_SIGNATURE.into();
                }
                if let Some(carried) = carried {
                    part["thoughtSignature"] = carried.into();
                }
                is_first = false;
                parts.push(part);
            }
            Kind::Redacted(data) => match Carry::from_text(data) {
                Some(Carry::GeminiCall { signature: carried }) => signature = Some(carried),
                Some(Carry::GeminiText { signature }) => {
                    parts.push(json!({ "text": "", "thoughtSignature": signature }));
                }
                _ => writing.note(NoteCode::CarryDropped, at.as_str()),
            },
            Kind::Thinking { text, signature } => match Carry::from_text(signature) {
                Some(Carry::GeminiThought { signature }) => parts
                    .push(json!({ "text": text, "thought": true, "thoughtSignature": signature })),
                _ => writing.note(NoteCode::ThinkingDropped, at.as_str()),
            },
            _ => parts.extend(part(block, &at, writing)),
        }
    }
    parts
}

fn user(
    message: &Message<'_>,
    names: &BTreeMap<&str, &str>,
    writing: &mut Writing<'_>,
) -> Vec<Json> {
    let at = format!("/messages/{}", message.at);
    let (mut results, mut rest) = (Vec::new(), Vec::new());
    for block in &message.blocks {
        let Kind::Result { id, parts: inside, failed } = &block.kind else {
            rest.extend(part(block, &at, writing));
            continue;
        };
        let text = parts::joined(parts::texts(inside));
        let Some(name) = names.get(&**id) else {
            // Without its call nobody knows whose result it is.
            writing.note(NoteCode::BlockDropped, at.as_str());
            rest.push(json!({ "text": format!("Result of `{id}`: {text}") }));
            continue;
        };
        let response = if *failed { json!({ "error": text }) } else { json!({ "result": text }) };
        results.push(json!({ "functionResponse": { "name": name, "response": response } }));
        for extra in inside.iter().filter(|part| !matches!(part.kind, Kind::Text(_))) {
            writing.note(NoteCode::ImageMoved, at.as_str());
            rest.extend(part(extra, &at, writing));
        }
    }
    results.extend(rest);
    results
}

fn part(block: &Block<'_>, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let file = |block: &Json, takes: bool, kind: &str| match source(block) {
        Source::Base64 { media, data } if takes => {
            Some(json!({ "inlineData": { "mimeType": media, "data": data } }))
        }
        Source::Url(url) if takes => {
            Some(json!({ "fileData": { "mimeType": kind, "fileUri": url } }))
        }
        _ => None,
    };
    match &block.kind {
        Kind::Text(text) => Some(json!({ "text": text })),
        Kind::Image(image) => {
            let sent = file(image, writing.abilities.images.has(), "image/*");
            if sent.is_none() {
                writing.note(NoteCode::ImageDropped, at);
            }
            sent.or_else(|| Some(json!({ "text": NO_IMAGE })))
        }
        Kind::Document(document) => {
            let sent = file(document, writing.abilities.documents.has(), "application/pdf");
            sent.or_else(|| Some(json!({ "text": parts::document_text(document, at, writing) })))
        }
        _ => {
            writing.note(NoteCode::BlockDropped, at);
            None
        }
    }
}

fn tools(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    if form.tools.is_empty() {
        return;
    }
    let mut declared = Vec::new();
    for tool in &form.tools {
        let mut one = json!({ "name": tool.name });
        put_text(&mut one, "description", tool.description);
        let (schema, change) = schema::adapt(&tool.schema_or_empty());
        if change == Change::Adapted {
            writing.note(NoteCode::SchemaAdapted, format!("/tools/{}", declared.len()));
        }
        // An object without properties is refused.
        if schema.get("properties").and_then(Json::as_object).is_some_and(|all| !all.is_empty()) {
            one["parameters"] = schema;
        }
        declared.push(one);
    }
    body.insert("tools".into(), json!([{ "functionDeclarations": declared }]));
    let calling = match &form.choice {
        None => None,
        Some(Choice::Auto) => Some(json!({ "mode": "AUTO" })),
        Some(Choice::Any) => Some(json!({ "mode": "ANY" })),
        Some(Choice::None) => Some(json!({ "mode": "NONE" })),
        Some(Choice::Tool(name)) => Some(json!({ "mode": "ANY", "allowedFunctionNames": [name] })),
    };
    put(body, "toolConfig", calling.map(|calling| json!({ "functionCallingConfig": calling })));
    if form.serial {
        writing.note(NoteCode::ParallelDropped, "/tool_choice");
    }
}

fn put_text(object: &mut Json, key: &str, text: Option<&str>) {
    if let Some(text) = text {
        object[key] = text.into();
    }
}

fn config(form: &Form<'_>, writing: &mut Writing<'_>) -> Option<Json> {
    let mut config = Map::new();
    put(&mut config, "maxOutputTokens", form.field("max_tokens").cloned());
    put(&mut config, "stopSequences", parts::stops(form, writing).map(|stops| json!(stops)));
    for (key, name) in [("temperature", "temperature"), ("top_p", "topP"), ("top_k", "topK")] {
        put(&mut config, name, parts::sampling(form, key, writing));
    }
    if let Some(schema) = parts::output_schema(form) {
        config.insert("responseMimeType".into(), "application/json".into());
        config.insert("responseJsonSchema".into(), schema.clone());
    }
    put(&mut config, "thinkingConfig", thinking(form, writing));
    (!config.is_empty()).then(|| config.into())
}

fn thinking(form: &Form<'_>, writing: &mut Writing<'_>) -> Option<Json> {
    let asked = Thinking::of(form);
    let made = match (asked, writing.abilities.thinking) {
        (Thinking::Unsaid, _) => return None,
        (Thinking::Off, ThinkingForm::Budget) => Some(json!({ "thinkingBudget": 0 })),
        // Gemini 3 cannot be told not to think.
        (Thinking::Off, ThinkingForm::Level) => Some(json!({ "thinkingLevel": "low" })),
        (Thinking::Off, _) => return None,
        (_, ThinkingForm::Budget) => {
            // The limit holds for thoughts too.
            let budget = asked.budget(form);
            budget.map(|budget| json!({ "thinkingBudget": budget, "includeThoughts": true }))
        }
        (_, ThinkingForm::Level) => {
            let level = if asked.effort(writing.abilities.top_effort) == Some("low") {
                "low"
            } else {
                "high"
            };
            Some(json!({ "thinkingLevel": level, "includeThoughts": true }))
        }
        (_, ThinkingForm::None | ThinkingForm::Adaptive | ThinkingForm::Effort) => None,
    };
    let code = if made.is_some() { NoteCode::ThinkingAdapted } else { NoteCode::ThinkingDropped };
    writing.note(code, "/thinking");
    made
}
