//! A block that is open, or waits for its turn.
//!
//! In: deltas. Out: the same, later. Never: an index before the block is emitted.

use serde_json::Value as Json;

use crate::event::{Delta, StartBlock};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Text,
    Thinking,
    /// Opens when it has a name.
    Call {
        id: Option<String>,
        name: Option<String>,
    },
    /// A block that is known from the start.
    Start(StartBlock),
}

impl Kind {
    /// The kind of a block as Anthropic writes it. A block that holds more than its kind says goes through unread.
    pub(super) fn of_block(block: Json) -> Self {
        let text = |key: &str| block.get(key).and_then(Json::as_str).map(str::to_owned);
        let named = |key: &str| text(key).filter(|value| !value.is_empty());
        let is_bare = |key: &str| named(key).is_none();
        let keys = block.as_object().map_or(0, |object| object.len());
        match block.get("type").and_then(Json::as_str) {
            Some("text") if keys <= 2 && is_bare("text") => Self::Start(StartBlock::Text),
            Some("thinking") if is_bare("thinking") && is_bare("signature") => {
                Self::Start(StartBlock::Thinking)
            }
            Some("tool_use") => Self::Call { id: named("id"), name: named("name") },
            _ => Self::Start(StartBlock::Other(block)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Ended,
}

#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) kind: Kind,
    /// What its provider calls it.
    pub(super) key: Option<usize>,
    /// Its place, once it is emitted.
    pub(super) index: Option<usize>,
    state: State,
    waiting: Vec<Delta>,
    /// Bytes that were added to it.
    added: usize,
    /// What a call was given so far: only when it ends can be said whether that is whole.
    input: String,
}

impl Held {
    pub(super) fn new(kind: Kind, key: Option<usize>) -> Self {
        let (state, waiting, input) = (State::Open, Vec::new(), String::new());
        Self { kind, key, index: None, state, waiting, added: 0, input }
    }

    /// Reasoning that nobody can read: it is all there.
    pub(super) fn redacted(data: String) -> Self {
        let mut held = Self::new(Kind::Start(StartBlock::RedactedThinking { data }), None);
        held.end();
        held
    }

    pub(super) fn end(&mut self) {
        self.state = State::Ended;
    }

    pub(super) fn is_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Nothing was added so far.
    pub(super) fn is_bare(&self) -> bool {
        self.added == 0
    }

    pub(super) fn ends_by_itself(&self) -> bool {
        matches!(self.kind, Kind::Text | Kind::Thinking)
    }

    /// Whether a delta can stand in it; in a block that only Anthropic has any can.
    pub(super) fn takes(&self, delta: &Delta) -> bool {
        match &self.kind {
            Kind::Start(StartBlock::Other(_)) => true,
            Kind::Text | Kind::Start(StartBlock::Text) => {
                matches!(delta, Delta::Text(_) | Delta::Other(_))
            }
            Kind::Thinking | Kind::Start(StartBlock::Thinking) => {
                matches!(delta, Delta::Thinking(_) | Delta::Signature(_) | Delta::Other(_))
            }
            Kind::Call { .. } | Kind::Start(StartBlock::ToolUse { .. }) => {
                matches!(delta, Delta::InputJson(_) | Delta::Other(_))
            }
            Kind::Start(StartBlock::RedactedThinking { .. }) => false,
        }
    }

    /// The input of a call, as far as it came.
    pub(super) fn input(&self) -> &str {
        &self.input
    }

    /// Adds a delta, and says how many bytes it holds.
    pub(super) fn add(&mut self, delta: Delta) -> usize {
        let bytes = match &delta {
            Delta::Text(text)
            | Delta::Thinking(text)
            | Delta::Signature(text)
            | Delta::InputJson(text) => text.len(),
            // Citations and the like are short, and never empty.
            Delta::Other(_) => 1,
        };
        if bytes == 0 {
            return 0;
        }
        self.added += bytes;
        if let (Kind::Call { .. }, Delta::InputJson(more)) = (&self.kind, &delta) {
            self.input.push_str(more);
        }
        match (self.waiting.last_mut(), delta) {
            (Some(Delta::Text(all)), Delta::Text(more))
            | (Some(Delta::Thinking(all)), Delta::Thinking(more))
            | (Some(Delta::InputJson(all)), Delta::InputJson(more)) => all.push_str(&more),
            (_, delta) => self.waiting.push(delta),
        }
        bytes
    }

    pub(super) fn drain(&mut self) -> std::vec::Drain<'_, Delta> {
        self.waiting.drain(..)
    }
}
