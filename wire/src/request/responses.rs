//! OpenAI's Responses.
//!
//! In: a form. Out: a body that stores nothing. Never: a reasoning item that is not the provider's own.

use serde_json::{Map, Value as Json, json};

use super::form::{Block, Form, Kind, Message, Role};
use super::parts::{self, NO_IMAGE, Source, source, title};
use super::{Writing, chat, put};
use crate::abilities::{ReasoningBack, SystemRole, ThinkingForm};
use crate::carry::Carry;
use crate::note::NoteCode;

pub(super) fn write(form: &Form<'_>, writing: &mut Writing<'_>) -> Map<String, Json> {
    let mut body = Map::new();
    let mut input = Vec::new();
    let role = match writing.abilities.role {
        SystemRole::System => "system",
        SystemRole::Developer => "developer",
    };
    // `instructions` takes no marks.
    if form.system.iter().any(|block| block.mark.is_some()) {
        let content = content(&form.system, Role::System, "/system", writing);
        input.push(json!({ "role": role, "content": content }));
    } else if !form.system.is_empty() {
        let text = parts::joined(parts::texts(&form.system));
        body.insert("instructions".into(), text.into());
    }
    for message in &form.messages {
        items(message, role, &mut input, writing);
    }
    body.insert("input".into(), input.into());
    put(&mut body, "model", form.field("model").cloned());
    tools(form, &mut body, writing);
    options(form, &mut body, writing);
    body
}

fn options(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    body.insert("store".into(), false.into());
    put(body, "max_output_tokens", form.field("max_tokens").cloned());
    parts::stops(form, writing);
    for key in ["temperature", "top_p"] {
        put(body, key, parts::sampling(form, key, writing));
    }
    parts::sampling(form, "top_k", writing);
    if writing.abilities.thinking != ThinkingForm::None {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
    }
    if let Some(effort) = chat::effort(form, writing) {
        body.insert("reasoning".into(), json!({ "effort": effort, "summary": "auto" }));
    }
    if let Some(schema) = parts::output_schema(form) {
        let format =
            json!({ "type": "json_schema", "name": "output", "schema": schema, "strict": true });
        body.insert("text".into(), json!({ "format": format }));
    }
    chat::user_id(form, body, writing);
    if form.is_streamed() {
        body.insert("stream".into(), true.into());
    }
}

fn tools(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    if form.tools.is_empty() {
        return;
    }
    let function = |tool| {
        let mut function = parts::function(tool);
        function["type"] = "function".into();
        function["strict"] = false.into();
        function
    };
    body.insert("tools".into(), form.tools.iter().map(function).collect());
    let named = |name: &str| json!({ "type": "function", "name": name });
    put(body, "tool_choice", chat::choice(form, named, writing));
    if form.serial {
        body.insert("parallel_tool_calls".into(), false.into());
    }
}

/// The items of a message: calls, results and reasoning are items of their own, what stands between them is one message.
fn items(message: &Message<'_>, system: &str, input: &mut Vec<Json>, writing: &mut Writing<'_>) {
    let at = format!("/messages/{}", message.at);
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::System => system,
    };
    let mut said: Vec<Block<'_>> = Vec::new();
    for block in &message.blocks {
        let Some(item) = item(block, &at, writing) else {
            said.push(block.clone());
            continue;
        };
        flush(&mut said, (role, message.role), &at, input, writing);
        input.extend(item);
    }
    flush(&mut said, (role, message.role), &at, input, writing);
}

fn flush(
    said: &mut Vec<Block<'_>>,
    (name, role): (&str, Role),
    at: &str,
    input: &mut Vec<Json>,
    writing: &mut Writing<'_>,
) {
    let content = content(said, role, at, writing);
    said.clear();
    if content.as_array().is_some_and(|parts| !parts.is_empty()) {
        input.push(json!({ "role": name, "content": content }));
    }
}

/// The item that a block is; none where it is part of a message.
fn item(block: &Block<'_>, at: &str, writing: &mut Writing<'_>) -> Option<Option<Json>> {
    let item = match &block.kind {
        Kind::Call { id, name, input } => {
            let arguments = chat::arguments(input);
            json!({ "type": "function_call", "call_id": id, "name": name, "arguments": arguments })
        }
        Kind::Result { id, parts, failed } => {
            let output = output(parts, *failed, at, writing);
            json!({ "type": "function_call_output", "call_id": id, "output": output })
        }
        Kind::Thinking { text, signature } => {
            return Some(reasoning(text, Carry::from_text(signature), at, writing));
        }
        Kind::Redacted(data) => return Some(reasoning("", Carry::from_text(data), at, writing)),
        Kind::Text(_) | Kind::Image(_) | Kind::Document(_) | Kind::Other => return None,
    };
    if block.mark.is_some() {
        writing.note(NoteCode::MarkDropped, at);
    }
    Some(Some(item))
}

fn reasoning(
    text: &str,
    carry: Option<Carry>,
    at: &str,
    writing: &mut Writing<'_>,
) -> Option<Json> {
    let goes_back = writing.abilities.reasoning_back != ReasoningBack::Drop;
    match carry {
        Some(Carry::Responses { id, encrypted: Some(encrypted) }) if goes_back => {
            let part = json!({ "type": "summary_text", "text": text });
            let summary = if text.is_empty() { json!([]) } else { json!([part]) };
            Some(json!({
                "type": "reasoning", "id": id, "summary": summary, "encrypted_content": encrypted,
            }))
        }
        _ => {
            writing.note(NoteCode::ThinkingDropped, at);
            None
        }
    }
}

fn output(parts: &[Block<'_>], failed: bool, at: &str, writing: &mut Writing<'_>) -> Json {
    let (text, images) = parts::result(parts, failed, at, writing);
    if images.is_empty() {
        return text.into();
    }
    let said = (!text.is_empty()).then(|| json!({ "type": "input_text", "text": text }));
    let images: Vec<Json> =
        images.into_iter().filter_map(|image| part(image, Role::User, at, writing)).collect();
    said.into_iter().chain(images).collect()
}

fn content(blocks: &[Block<'_>], role: Role, at: &str, writing: &mut Writing<'_>) -> Json {
    blocks.iter().filter_map(|block| part(block, role, at, writing)).collect()
}

fn part(block: &Block<'_>, role: Role, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let kind = if role == Role::Assistant { "output_text" } else { "input_text" };
    let text = |text: &str| json!({ "type": kind, "text": text });
    let mut part = match &block.kind {
        Kind::Text(said) => text(said),
        Kind::Image(image) => {
            match parts::address(image).filter(|_| writing.abilities.images.has()) {
                Some(url) => json!({ "type": "input_image", "image_url": url, "detail": "auto" }),
                None => {
                    writing.note(NoteCode::ImageDropped, at);
                    text(NO_IMAGE)
                }
            }
        }
        Kind::Document(document) => match source(document) {
            Source::Base64 { media, data } if writing.abilities.documents.has() => {
                let data = format!("data:{media};base64,{data}");
                json!({ "type": "input_file", "filename": title(document), "file_data": data })
            }
            Source::Url(url) if writing.abilities.documents.has() => {
                json!({ "type": "input_file", "file_url": url })
            }
            _ => text(&parts::document_text(document, at, writing)),
        },
        _ => {
            writing.note(NoteCode::BlockDropped, at);
            return None;
        }
    };
    match (block.mark, role) {
        (Some(_), Role::User | Role::System) => {
            part["prompt_cache_breakpoint"] = json!({ "mode": "explicit" });
        }
        (Some(_), Role::Assistant) => writing.note(NoteCode::MarkDropped, at),
        (None, _) => {}
    }
    Some(part)
}
