//! A stream's events as one message.
//!
//! In: the events of a whole stream. Out: Anthropic's message. Never: a message of an answer that failed.

use serde_json::{Map, Value as Json, json};

use crate::event::{Delta, Failure, FailureKind, StreamEvent};

/// The message that the events of a whole stream make.
///
/// # Errors
/// The stream's failure; that it has no end; or that a call's input is no JSON object.
pub fn fold(events: &[StreamEvent]) -> Result<Json, Failure> {
    let mut message = Map::new();
    let mut content: Vec<Json> = Vec::new();
    let mut input = String::new();
    for event in events {
        match event {
            StreamEvent::MessageStart { .. } => {
                if let Some(Json::Object(begun)) = event.to_json().get_mut("message") {
                    message = std::mem::take(begun);
                }
            }
            StreamEvent::BlockStart { block, .. } => content.push(block.to_json()),
            StreamEvent::BlockDelta { delta, .. } => {
                if let Some(block) = content.last_mut() {
                    add(block, delta, &mut input);
                }
            }
            StreamEvent::BlockStop { .. } => {
                let input = std::mem::take(&mut input);
                if let Some(block) = content.last_mut().filter(|_| !input.trim().is_empty()) {
                    block["input"] = object(&input)?;
                }
            }
            StreamEvent::MessageDelta { stop_reason, stop_sequence, usage } => {
                message.insert("stop_reason".into(), stop_reason.as_str().into());
                message.insert("stop_sequence".into(), json!(stop_sequence));
                message.insert("usage".into(), usage.to_json());
                message.insert("content".into(), std::mem::take(&mut content).into());
            }
            StreamEvent::MessageStop => return Ok(message.into()),
            StreamEvent::Ping => {}
            StreamEvent::Error(failure) => return Err(failure.clone()),
        }
    }
    Err(Failure::new(FailureKind::Api, "the answer has no end"))
}

fn object(input: &str) -> Result<Json, Failure> {
    let read = serde_json::from_str::<Json>(input).ok().filter(Json::is_object);
    read.ok_or_else(|| Failure::new(FailureKind::Api, "the input of a call is no JSON object"))
}

fn add(block: &mut Json, delta: &Delta, input: &mut String) {
    match delta {
        Delta::Text(text) => append(block, "text", text),
        Delta::Thinking(text) => append(block, "thinking", text),
        Delta::Signature(text) => append(block, "signature", text),
        Delta::InputJson(text) => input.push_str(text),
        Delta::Other(delta) => {
            if let (Some(citation), Some(block)) = (delta.get("citation"), block.as_object_mut()) {
                let citations = block.entry("citations").or_insert_with(|| json!([]));
                if let Json::Array(citations) = citations {
                    citations.push(citation.clone());
                } else {
                    *citations = json!([citation]);
                }
            }
        }
    }
}

fn append(block: &mut Json, key: &str, more: &str) {
    match block.get_mut(key) {
        Some(Json::String(text)) => text.push_str(more),
        _ => block[key] = more.into(),
    }
}
