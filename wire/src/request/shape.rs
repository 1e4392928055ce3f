//! What every target wants done before it is written.
//!
//! In: a form. Out: the same without what its target can never take. Never: a change without a note.

use serde_json::Value as Json;

use super::Writing;
use super::form::{Block, Form, Kind, Message, Role};
use crate::abilities::SystemPlace;
use crate::note::NoteCode;
use crate::target::Target;

/// What the attribution block begins with.
const ATTRIBUTION: &str = "x-anthropic-billing-header";

/// Fields that every target has a place for, or that are told of one by one.
const KNOWN: &[&str] = &[
    "model",
    "system",
    "messages",
    "tools",
    "tool_choice",
    "stop_sequences",
    "max_tokens",
    "stream",
    "temperature",
    "top_p",
    "top_k",
    "thinking",
    "metadata",
    "cache_control",
    "output_config",
];

/// Fields of a tool that every target has a place for.
const OF_TOOLS: &[&str] = &["name", "description", "input_schema", "type", "cache_control"];
/// The same of a document.
const OF_DOCUMENTS: &[&str] = &["type", "source", "title", "cache_control"];

pub(super) fn shape(target: Target, form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let is_anthropic = matches!(target, Target::Anthropic | Target::Vertex);
    drop_empty(form, writing);
    if form.tools.is_empty() && form.choice.take().is_some() {
        writing.note(NoteCode::ToolChoiceAdapted, "/tool_choice");
    }
    if !is_anthropic {
        drop_foreign(form, writing);
    }
    if !writing.abilities.system_messages.has() {
        move_system(form, writing);
    }
}

/// Puts system text at the head of the user's first message, where it has no place of its own.
pub(super) fn place_system(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    if !form.system.is_empty() && writing.abilities.system == SystemPlace::First {
        writing.note(NoteCode::SystemMoved, "/system");
        let system = std::mem::take(&mut form.system);
        match form.messages.first_mut().filter(|first| first.role == Role::User) {
            Some(first) => _ = first.blocks.splice(0..0, system),
            None => {
                form.messages.insert(0, Message { role: Role::User, blocks: system, at: 0 });
            }
        }
    }
}

/// Empty text is refused by most, and says nothing to all.
fn drop_empty(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let mut drop = |blocks: &mut Vec<Block<'_>>, at: &str| {
        blocks.retain(|block| {
            let is_empty = matches!(&block.kind, Kind::Text(text) if text.is_empty());
            // The result of a call may well be empty, and is so without a block.
            if is_empty && block.raw.is_some() {
                writing.note(NoteCode::EmptyTextDropped, at);
            }
            !is_empty
        });
    };
    drop(&mut form.system, "/system");
    for message in &mut form.messages {
        let at = format!("/messages/{}/content", message.at);
        drop(&mut message.blocks, &at);
        for block in &mut message.blocks {
            if let Kind::Result { parts, .. } = &mut block.kind {
                drop(parts, &at);
            }
        }
    }
}

fn drop_foreign(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    let is_attribution = |block: &Block<'_>| matches!(&block.kind, Kind::Text(text) if text.starts_with(ATTRIBUTION));
    if !writing.abilities.attribution.has() && form.system.first().is_some_and(is_attribution) {
        form.system.remove(0);
        writing.note(NoteCode::AttributionDropped, "/system/0");
    }
    form.tools.retain(|tool| {
        let is_theirs = tool.schema.is_none() && tool.raw.get("type").is_some_and(is_server);
        if is_theirs {
            writing.note(NoteCode::ServerToolDropped, "/tools");
        }
        !is_theirs
    });
    drop_parts(form, writing);
    for key in form.raw.keys().filter(|key| !KNOWN.contains(&key.as_str())) {
        writing.notes.add(NoteCode::FieldDropped, format!("/{key}"));
    }
}

/// Tells of fields of tools and documents that nobody else has.
fn drop_parts(form: &Form<'_>, writing: &mut Writing<'_>) {
    let mut told = |json: &Json, known: &[&str], at: &str| {
        let keys = json.as_object().into_iter().flat_map(|object| object.keys());
        for key in keys.filter(|key| !known.contains(&key.as_str())) {
            writing.note(NoteCode::FieldDropped, format!("{at}/{key}"));
        }
    };
    for (number, tool) in form.tools.iter().enumerate() {
        told(tool.raw, OF_TOOLS, &format!("/tools/{number}"));
    }
    for message in &form.messages {
        for block in &message.blocks {
            if let Kind::Document(document) = &block.kind {
                told(document, OF_DOCUMENTS, &format!("/messages/{}/content", message.at));
            }
        }
    }
}

/// Tools that Anthropic runs have a type of their own.
fn is_server(kind: &Json) -> bool {
    kind.as_str().is_some_and(|kind| kind != "custom")
}

/// System text among the messages becomes a reminder in the user's.
fn move_system(form: &mut Form<'_>, writing: &mut Writing<'_>) {
    for message in &mut form.messages {
        if message.role != Role::System {
            continue;
        }
        writing.note(NoteCode::SystemMoved, format!("/messages/{}", message.at));
        message.role = Role::User;
        for block in &mut message.blocks {
            if let Kind::Text(text) = &block.kind {
                let said = format!("<system-reminder>\n{text}\n</system-reminder>");
                block.kind = Kind::Text(said.into());
                block.raw = None;
            }
        }
    }
}
