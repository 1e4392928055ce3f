//! Keys that an upstream writes where no model does.
//!
//! In: events of an answer. Out: the same without keys in ids, names and counts. Never: changes what the model said: text, reasoning,
//! inputs of calls and what is to be sent back pass as they are.

use promptweave_wire::{StartBlock, Stop, StreamEvent, Usage};
use serde_json::Value as Json;

use crate::secret::Secret;

/// What may not be repeated, and what ids are made of instead.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Concealed<'k> {
    pub(crate) keys: &'k [Secret],
    /// The id of the request.
    pub(crate) id: &'k str,
}

impl Concealed<'_> {
    /// The event without keys.
    pub(crate) fn of(&self, event: StreamEvent) -> StreamEvent {
        match event {
            StreamEvent::MessageStart { id, model, usage } => {
                let id = self.id(id, "msg", "");
                let (model, usage) = (self.text(model), self.usage(usage));
                StreamEvent::MessageStart { id, model, usage }
            }
            StreamEvent::BlockStart { index, block: StartBlock::ToolUse { id, name } } => {
                let id = self.id(id, "toolu", &format!("_{index}"));
                let block = StartBlock::ToolUse { id, name: self.text(name) };
                StreamEvent::BlockStart { index, block }
            }
            StreamEvent::MessageDelta { stop_reason, stop_sequence, usage } => {
                let stop_reason = match stop_reason {
                    Stop::Other(word) => Stop::Other(self.text(word)),
                    known => known,
                };
                let stop_sequence = stop_sequence.map(|sequence| self.text(sequence));
                let usage = self.usage(usage);
                StreamEvent::MessageDelta { stop_reason, stop_sequence, usage }
            }
            other => other,
        }
    }

    /// The id, or one of our own for one with a key in it.
    fn id(&self, id: String, kind: &str, number: &str) -> String {
        if self.keys.iter().any(|key| key.is_in(&id)) {
            return format!("{kind}_{}{number}", self.id.trim_start_matches("req_"));
        }
        id
    }

    fn text(&self, text: String) -> String {
        self.keys.iter().fold(text, |text, key| key.hidden_in(&text))
    }

    fn usage(&self, mut usage: Usage) -> Usage {
        usage.more.values_mut().for_each(|value| self.json(value));
        usage
    }

    fn json(&self, json: &mut Json) {
        match json {
            Json::String(text) => *text = self.text(std::mem::take(text)),
            Json::Array(items) => items.iter_mut().for_each(|item| self.json(item)),
            Json::Object(object) => object.values_mut().for_each(|value| self.json(value)),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
}
