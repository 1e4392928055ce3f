//! A stream's events as one message.
//!
//! In: the events of a whole stream. Out: Anthropic's message. Never: a message of an answer that failed.

use serde_json::{Map, Value as Json, json};

use crate::event::{Delta, Failure, FailureKind, Stop, StreamEvent, input};

/// The message that the events of a whole stream make.
///
/// A call that the limit or a filter cut in the middle of its input is left out, for it must not run.
///
/// # Errors
/// The stream's failure; that it has no end; or that the input of a call that was not cut is no JSON object.
pub fn fold(events: &[StreamEvent]) -> Result<Json, Failure> {
    let mut message = Map::new();
    let mut content: Vec<Json> = Vec::new();
    let mut input = String::new();
    let mut broken: Option<usize> = None;
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
                let is_whole = set_input(content.last_mut(), &std::mem::take(&mut input));
                if is_whole == Whole::No {
                    broken = broken.or(Some(content.len() - 1));
                }
            }
            StreamEvent::MessageDelta { stop_reason, stop_sequence, usage } => {
                if let Some(place) = broken {
                    left_out(&mut content, place, stop_reason)?;
                }
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

/// Whether the input of a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whole {
    Yes,
    No,
}

/// Sets the input of a call that ended.
fn set_input(block: Option<&mut Json>, text: &str) -> Whole {
    let Some(block) = block.filter(|_| !text.trim().is_empty()) else { return Whole::Yes };
    match input(text) {
        Some(input) => {
            block["input"] = input;
            Whole::Yes
        }
        None => Whole::No,
    }
}

/// Leaves out a call without a whole input, if the answer was cut there.
fn left_out(content: &mut Vec<Json>, place: usize, stop: &Stop) -> Result<(), Failure> {
    if stop.may_cut() && place + 1 == content.len() {
        content.pop();
        return Ok(());
    }
    Err(Failure::new(FailureKind::Api, "the input of a call is cut, or no JSON object"))
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
