//! OpenAI's Chat Completions, what is compatible with it, and xAI.
//!
//! In: a form. Out: a body. Never: `any` as a choice, results behind the user's text, or reasoning in the content.

use serde_json::{Map, Value as Json, json};

use super::effort::Thinking;
use super::form::{Block, Choice, Form, Kind, Message, Role};
use super::parts::{self, NO_IMAGE, Source, source, title};
use super::{Writing, put};
use crate::abilities::{
    ChoiceForm, LimitField, MarkForm, ReasoningBack, SystemRole, ThinkingForm, UserField,
};
use crate::carry::Carry;
use crate::note::NoteCode;

pub(super) fn write(form: &Form<'_>, writing: &mut Writing<'_>) -> Map<String, Json> {
    let mut body = Map::new();
    let role = match writing.abilities.role {
        SystemRole::System => "system",
        SystemRole::Developer => "developer",
    };
    let mut messages = Vec::new();
    messages.extend(said(role, &form.system, "/system", writing));
    for message in &form.messages {
        let at = format!("/messages/{}", message.at);
        match message.role {
            Role::System => messages.extend(said(role, &message.blocks, &at, writing)),
            Role::User => user(message, &at, &mut messages, writing),
            Role::Assistant => messages.extend(assistant(message, &at, writing)),
        }
    }
    body.insert("messages".into(), messages.into());
    put(&mut body, "model", form.field("model").cloned());
    tools(form, &mut body, writing);
    options(form, &mut body, writing);
    body
}

fn options(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    let limit = match writing.abilities.limit {
        LimitField::MaxTokens => "max_tokens",
        LimitField::MaxCompletionTokens => "max_completion_tokens",
    };
    put(body, limit, form.field("max_tokens").cloned());
    put(body, "stop", parts::stops(form, writing).map(|stops| json!(stops)));
    for key in ["temperature", "top_p", "top_k"] {
        put(body, key, parts::sampling(form, key, writing));
    }
    put(body, "reasoning_effort", effort(form, writing).map(Json::from));
    if let Some(schema) = parts::output_schema(form) {
        let schema = json!({ "name": "output", "schema": schema, "strict": true });
        let format = json!({ "type": "json_schema", "json_schema": schema });
        body.insert("response_format".into(), format);
    }
    user_id(form, body, writing);
    if form.is_streamed() {
        body.insert("stream".into(), true.into());
        if writing.abilities.usage.has() {
            body.insert("stream_options".into(), json!({ "include_usage": true }));
        }
    }
}

/// The effort that stands for what was asked, where the model takes one.
pub(super) fn effort<'r>(form: &Form<'r>, writing: &mut Writing<'_>) -> Option<&'r str> {
    let effort = Thinking::of(form).effort(writing.abilities.top_effort)?;
    if writing.abilities.thinking == ThinkingForm::None {
        writing.note(NoteCode::ThinkingDropped, "/thinking");
        return None;
    }
    writing.note(NoteCode::ThinkingAdapted, "/thinking");
    Some(effort)
}

pub(super) fn user_id(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    let Some(user) = form.user() else { return };
    match writing.abilities.user {
        UserField::None => writing.note(NoteCode::UserDropped, "/metadata/user_id"),
        UserField::User => put(body, "user", Json::from(user)),
        UserField::SafetyIdentifier => put(body, "safety_identifier", Json::from(user)),
    }
}

fn tools(form: &Form<'_>, body: &mut Map<String, Json>, writing: &mut Writing<'_>) {
    if form.tools.is_empty() {
        return;
    }
    let function = |tool| json!({ "type": "function", "function": parts::function(tool) });
    body.insert("tools".into(), form.tools.iter().map(function).collect());
    let named = |name: &str| json!({ "type": "function", "function": { "name": name } });
    put(body, "tool_choice", choice(form, named, writing));
    if form.serial {
        match writing.abilities.parallel.has() {
            true => put(body, "parallel_tool_calls", Json::from(false)),
            false => writing.note(NoteCode::ParallelDropped, "/tool_choice"),
        }
    }
}

/// The choice of tools in OpenAI's words.
pub(super) fn choice(
    form: &Form<'_>,
    named: impl FnOnce(&str) -> Json,
    writing: &mut Writing<'_>,
) -> Option<Json> {
    let choice = form.choice.as_ref()?;
    match (choice, writing.abilities.choice) {
        (Choice::Auto, ChoiceForm::Full | ChoiceForm::Auto) => Some("auto".into()),
        (Choice::Auto, ChoiceForm::None) => None,
        (Choice::Any, ChoiceForm::Full) => Some("required".into()),
        (Choice::None, ChoiceForm::Full) => Some("none".into()),
        (Choice::Tool(name), ChoiceForm::Full) => Some(named(name)),
        (_, ChoiceForm::Auto | ChoiceForm::None) => {
            writing.note(NoteCode::ToolChoiceAdapted, "/tool_choice");
            None
        }
    }
}

/// Results are messages of their own, and stand before what else the user says.
fn user(message: &Message<'_>, at: &str, messages: &mut Vec<Json>, writing: &mut Writing<'_>) {
    let mut rest: Vec<Block<'_>> = Vec::new();
    let mut moved: Vec<Block<'_>> = Vec::new();
    for block in &message.blocks {
        let Kind::Result { id, parts: inside, failed } = &block.kind else {
            rest.push(block.clone());
            continue;
        };
        let (text, images) = parts::result(inside, *failed, at, writing);
        let mark = block.mark.or_else(|| inside.iter().rev().find_map(|part| part.mark));
        let said = Block { mark, ..Block::text(text) };
        let content = content(std::slice::from_ref(&said), at, writing);
        messages.push(json!({ "role": "tool", "tool_call_id": id, "content": content }));
        if !images.is_empty() && writing.abilities.images.has() {
            writing.note(NoteCode::ImageMoved, at);
            moved.push(Block::text(format!("Images of the result `{id}`:")));
        }
        moved.extend(images.into_iter().cloned());
    }
    moved.extend(rest);
    messages.extend(said("user", &moved, at, writing));
}

/// A message, if there is something in it.
fn said(role: &str, blocks: &[Block<'_>], at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let content = content(blocks, at, writing);
    let is_empty = blocks.is_empty() || content.as_array().is_some_and(Vec::is_empty);
    (!is_empty).then(|| json!({ "role": role, "content": content }))
}

/// One text where that says it all, else parts.
fn content(blocks: &[Block<'_>], at: &str, writing: &mut Writing<'_>) -> Json {
    let is_plain = |block: &Block<'_>| block.mark.is_none() && matches!(block.kind, Kind::Text(_));
    if blocks.iter().all(is_plain) {
        return parts::joined(parts::texts(blocks)).into();
    }
    blocks.iter().filter_map(|block| part(block, at, writing)).collect()
}

fn part(block: &Block<'_>, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let mut part = match &block.kind {
        Kind::Text(text) => json!({ "type": "text", "text": text }),
        Kind::Image(image) => {
            match parts::address(image).filter(|_| writing.abilities.images.has()) {
                Some(url) => json!({ "type": "image_url", "image_url": { "url": url } }),
                None => {
                    writing.note(NoteCode::ImageDropped, at);
                    json!({ "type": "text", "text": NO_IMAGE })
                }
            }
        }
        Kind::Document(document) => match source(document) {
            Source::Base64 { media, data } if writing.abilities.documents.has() => {
                let data = format!("data:{media};base64,{data}");
                json!({ "type": "file", "file": { "filename": title(document), "file_data": data } })
            }
            _ => json!({ "type": "text", "text": parts::document_text(document, at, writing) }),
        },
        Kind::Call { .. }
        | Kind::Result { .. }
        | Kind::Thinking { .. }
        | Kind::Redacted(_)
        | Kind::Other => {
            writing.note(NoteCode::BlockDropped, at);
            return None;
        }
    };
    match (block.mark, writing.abilities.marks) {
        (Some(_), MarkForm::Breakpoints) => {
            part["prompt_cache_breakpoint"] = json!({ "mode": "explicit" });
        }
        (Some(life), MarkForm::Control) => part["cache_control"] = life.control(),
        (Some(_), MarkForm::Points | MarkForm::None) => writing.note(NoteCode::MarkDropped, at),
        (None, _) => {}
    }
    Some(part)
}

fn assistant(message: &Message<'_>, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let (mut said, mut calls, mut thoughts) = (Vec::new(), Vec::new(), Vec::new());
    for block in &message.blocks {
        match &block.kind {
            Kind::Call { id, name, input } => {
                let function = json!({ "name": name, "arguments": arguments(input) });
                calls.push(json!({ "id": id, "type": "function", "function": function }));
                block.mark.iter().for_each(|_| writing.note(NoteCode::MarkDropped, at));
            }
            Kind::Thinking { text, signature } => {
                let is_own = matches!(Carry::from_text(signature), Some(Carry::Chat));
                match is_own && writing.abilities.reasoning_back != ReasoningBack::Drop {
                    true => thoughts.push(*text),
                    false => writing.note(NoteCode::ThinkingDropped, at),
                }
            }
            Kind::Redacted(_) => writing.note(NoteCode::CarryDropped, at),
            _ => said.push(block.clone()),
        }
    }
    let content = if said.is_empty() { Json::Null } else { content(&said, at, writing) };
    let is_silent = content.is_null() || content.as_array().is_some_and(Vec::is_empty);
    if is_silent && calls.is_empty() {
        return None;
    }
    let content = if is_silent { Json::Null } else { content };
    let mut json = json!({ "role": "assistant", "content": content });
    let wants = !calls.is_empty() && writing.abilities.reasoning_back == ReasoningBack::Needed;
    if thoughts.is_empty() && wants {
        writing.note(NoteCode::ReasoningMissing, at);
    }
    if !thoughts.is_empty() || wants {
        json["reasoning_content"] = parts::joined(thoughts).into();
    }
    if !calls.is_empty() {
        json["tool_calls"] = calls.into();
    }
    Some(json)
}

/// Arguments as text; an input that is none is an empty one.
pub(super) fn arguments(input: &Json) -> String {
    if input.is_object() { input.to_string() } else { "{}".to_owned() }
}
