//! Bedrock's Converse.
//!
//! In: a form. Out: a body; the model stands in the path. Never: a `cachePoint` where the model refuses it.

use serde_json::{Map, Value as Json, json};

use super::effort::Thinking;
use super::form::{Block, Choice, Form, Kind, Life, Message, Role};
use super::parts::{self, NO_DOCUMENT, NO_IMAGE, Source, source, title};
use super::{Writing, anthropic, put};
use crate::abilities::{ChoiceForm, ReasoningBack, ThinkingForm};
use crate::carry::Carry;
use crate::note::NoteCode;

pub(super) fn write(form: &Form<'_>, writing: &mut Writing<'_>) -> Map<String, Json> {
    let mut body = Map::new();
    let system: Vec<Json> = form
        .system
        .iter()
        .flat_map(|block| {
            let text = parts::texts(std::slice::from_ref(block)).next();
            let text = text.map(|text| json!({ "text": text }));
            text.into_iter().chain(block.mark.map(point))
        })
        .collect();
    put(&mut body, "system", (!system.is_empty()).then(|| system.into()));
    body.insert("messages".into(), messages(form, writing));
    put(&mut body, "toolConfig", tools(form, writing));
    put(&mut body, "inferenceConfig", inference(form, writing));
    put(&mut body, "additionalModelRequestFields", additional(form, writing));
    if form.user().is_some() {
        writing.note(NoteCode::UserDropped, "/metadata");
    }
    if parts::output_schema(form).is_some() {
        writing.note(NoteCode::FieldDropped, "/output_config/format");
    }
    body
}

fn point(life: Life) -> Json {
    match life {
        Life::FiveMinutes => json!({ "cachePoint": { "type": "default" } }),
        Life::Hour => json!({ "cachePoint": { "type": "default", "ttl": "1h" } }),
    }
}

/// Converse wants roles in turns.
fn messages(form: &Form<'_>, writing: &mut Writing<'_>) -> Json {
    let mut all: Vec<(&str, Vec<Json>)> = Vec::new();
    for message in &form.messages {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let content = content(message, writing);
        match all.last_mut().filter(|(last, _)| *last == role) {
            _ if content.is_empty() => {}
            Some((_, last)) => last.extend(content),
            None => all.push((role, content)),
        }
    }
    all.into_iter().map(|(role, content)| json!({ "role": role, "content": content })).collect()
}

fn content(message: &Message<'_>, writing: &mut Writing<'_>) -> Vec<Json> {
    let at = format!("/messages/{}", message.at);
    let mut content = Vec::new();
    for block in &message.blocks {
        let written = one(block, &at, writing);
        let mark = block.mark.filter(|_| written.is_some()).map(point);
        content.extend(written.into_iter().chain(mark));
    }
    content
}

fn one(block: &Block<'_>, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    Some(match &block.kind {
        Kind::Text(text) => json!({ "text": text }),
        Kind::Image(image) => picture(image, at, writing),
        Kind::Document(document) => paper(document, at, writing),
        Kind::Call { id, name, input } => {
            let input = if input.is_object() { (*input).clone() } else { json!({}) };
            json!({ "toolUse": { "toolUseId": id, "name": name, "input": input } })
        }
        Kind::Result { id, parts, failed } => {
            let content: Vec<Json> =
                parts.iter().filter_map(|part| one(part, at, writing)).collect();
            let mut result = json!({ "toolUseId": id, "content": content });
            if *failed {
                result["status"] = "error".into();
            }
            json!({ "toolResult": result })
        }
        Kind::Thinking { text, signature } => return thought(text, signature, at, writing),
        Kind::Redacted(data) => match Carry::from_text(data) {
            Some(Carry::Bedrock { data })
                if writing.abilities.reasoning_back != ReasoningBack::Drop =>
            {
                json!({ "reasoningContent": { "redactedContent": data } })
            }
            _ => {
                writing.note(NoteCode::CarryDropped, at);
                return None;
            }
        },
        Kind::Other => {
            writing.note(NoteCode::BlockDropped, at);
            return None;
        }
    })
}

fn thought(text: &str, signature: &str, at: &str, writing: &mut Writing<'_>) -> Option<Json> {
    let is_foreign = signature.is_empty() || Carry::from_text(signature).is_some();
    if is_foreign || writing.abilities.reasoning_back == ReasoningBack::Drop {
        writing.note(NoteCode::ThinkingDropped, at);
        return None;
    }
    let reasoning = json!({ "text": text, "signature": signature });
    Some(json!({ "reasoningContent": { "reasoningText": reasoning } }))
}

fn picture(image: &Json, at: &str, writing: &mut Writing<'_>) -> Json {
    match source(image) {
        Source::Base64 { media, data } if writing.abilities.images.has() => {
            let format = media.strip_prefix("image/").unwrap_or("png");
            json!({ "image": { "format": format, "source": { "bytes": data } } })
        }
        _ => {
            writing.note(NoteCode::ImageDropped, at);
            json!({ "text": NO_IMAGE })
        }
    }
}

fn paper(document: &Json, at: &str, writing: &mut Writing<'_>) -> Json {
    // Names may hold letters, digits, single spaces, hyphens and brackets alone.
    let safe = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '-' };
    let name: String = title(document).chars().map(safe).collect();
    match source(document) {
        Source::Base64 { media, data } if writing.abilities.documents.has() => {
            let format = if media == "application/pdf" { "pdf" } else { "txt" };
            json!({ "document": { "format": format, "name": name, "source": { "bytes": data } } })
        }
        Source::Text(_) => json!({ "text": parts::document_text(document, at, writing) }),
        _ => {
            writing.note(NoteCode::DocumentDropped, at);
            json!({ "text": NO_DOCUMENT })
        }
    }
}

fn tools(form: &Form<'_>, writing: &mut Writing<'_>) -> Option<Json> {
    if form.tools.is_empty() {
        return None;
    }
    let tools = form.tools.iter().flat_map(|tool| {
        let mut spec =
            json!({ "name": tool.name, "inputSchema": { "json": tool.schema_or_empty() } });
        if let Some(description) = tool.description.filter(|description| !description.is_empty()) {
            spec["description"] = description.into();
        }
        [Some(json!({ "toolSpec": spec })), tool.mark.map(point)].into_iter().flatten()
    });
    let mut config = json!({ "tools": tools.collect::<Json>() });
    let choice = match (&form.choice, writing.abilities.choice) {
        (None | Some(Choice::Auto), _) => None,
        (Some(Choice::Any), ChoiceForm::Full) => Some(json!({ "any": {} })),
        (Some(Choice::Tool(name)), ChoiceForm::Full) => Some(json!({ "tool": { "name": name } })),
        // Converse cannot say `none`, and needs the tools where messages hold calls.
        (Some(_), _) => {
            writing.note(NoteCode::ToolChoiceAdapted, "/tool_choice");
            None
        }
    };
    if let Some(choice) = choice {
        config["toolChoice"] = choice;
    }
    if form.serial {
        writing.note(NoteCode::ParallelDropped, "/tool_choice");
    }
    Some(config)
}

fn inference(form: &Form<'_>, writing: &mut Writing<'_>) -> Option<Json> {
    let mut config = Map::new();
    put(&mut config, "maxTokens", form.field("max_tokens").cloned());
    put(&mut config, "temperature", parts::sampling(form, "temperature", writing));
    put(&mut config, "topP", parts::sampling(form, "top_p", writing));
    put(&mut config, "stopSequences", parts::stops(form, writing).map(|stops| json!(stops)));
    (!config.is_empty()).then(|| config.into())
}

/// What only Claude knows stands in a place of its own.
fn additional(form: &Form<'_>, writing: &mut Writing<'_>) -> Option<Json> {
    let mut fields = Map::new();
    put(&mut fields, "top_k", parts::sampling(form, "top_k", writing));
    let asked = Thinking::of(form);
    let made = match (writing.abilities.thinking, asked) {
        (_, Thinking::Unsaid | Thinking::Off) => {
            return (!fields.is_empty()).then(|| fields.into());
        }
        (ThinkingForm::Budget, Thinking::Budget(_)) => form.field("thinking").cloned(),
        (ThinkingForm::Budget, _) => anthropic::budget(form, asked),
        (ThinkingForm::Adaptive, _) => Some(json!({ "type": "adaptive" })),
        (ThinkingForm::None | ThinkingForm::Effort | ThinkingForm::Level, _) => None,
    };
    let code = if made.is_some() { NoteCode::ThinkingAdapted } else { NoteCode::ThinkingDropped };
    writing.note(code, "/thinking");
    if let (true, ThinkingForm::Adaptive) = (made.is_some(), writing.abilities.thinking) {
        let effort = asked.effort(writing.abilities.top_effort);
        put(&mut fields, "output_config", effort.map(|effort| json!({ "effort": effort })));
    }
    put(&mut fields, "thinking", made);
    (!fields.is_empty()).then(|| fields.into())
}
