//! Reads what providers answer, each in its own words.
//!
//! In: events of a provider, as JSON. Out: [`Piece`]s in the order in which they were told. Never: decides what the answer
//! becomes; that is done once, for all of them, in `assemble/`.

mod anthropic;
mod balance;
mod bedrock;
mod chat;
mod counts;
mod failures;
mod finishes;
mod gemini;
mod responses;

use serde_json::Value as Json;

use crate::piece::Piece;
use crate::target::Target;

pub(crate) use failures::{WORDS, failure};
pub(crate) use finishes::{Meaning, TABLES as FINISHES};

/// The reader of one answer.
#[derive(Debug)]
pub(crate) enum Reader {
    Anthropic(anthropic::Anthropic),
    Bedrock(bedrock::Bedrock),
    Chat(Box<chat::Chat>),
    Responses(Box<responses::Responses>),
    Gemini(gemini::Gemini),
}

impl Reader {
    pub(crate) fn new(target: Target) -> Self {
        match target {
            Target::Anthropic | Target::Vertex => Self::Anthropic(Default::default()),
            Target::Bedrock => Self::Bedrock(Default::default()),
            Target::OpenAiChat | Target::OpenAiCompatible | Target::Xai => {
                Self::Chat(Default::default())
            }
            Target::OpenAiResponses => Self::Responses(Default::default()),
            Target::Gemini => Self::Gemini(Default::default()),
        }
    }

    /// Reads one event of a stream; `name` is that of the server-sent event, often empty.
    pub(crate) fn event(&mut self, name: &str, event: &Json, out: &mut Vec<Piece>) {
        self.suit(event);
        match self {
            Self::Anthropic(reader) => reader.event(event, out),
            Self::Bedrock(reader) => reader.event(name, event, out),
            Self::Chat(reader) => reader.chunk(event, out),
            Self::Responses(reader) => reader.event(event, out),
            Self::Gemini(reader) => reader.chunk(event, out),
        }
    }

    /// Reads an answer that came whole.
    pub(crate) fn whole(&mut self, answer: &Json, out: &mut Vec<Piece>) {
        self.suit(answer);
        match self {
            Self::Anthropic(reader) => reader.whole(answer, out),
            Self::Bedrock(reader) => reader.whole(answer, out),
            Self::Chat(reader) => reader.chunk(answer, out),
            Self::Responses(reader) => reader.whole(answer, out),
            Self::Gemini(reader) => reader.chunk(answer, out),
        }
        out.push(Piece::Done);
    }

    /// Some servers of the one OpenAI API answer in the form of the other.
    fn suit(&mut self, event: &Json) {
        let is = |key: &str| event.get(key).and_then(Json::as_str).unwrap_or_default();
        let of_responses = is("object") == "response" || is("type").starts_with("response.");
        let of_chat = is("object").starts_with("chat.completion");
        match self {
            Self::Chat(_) if of_responses => *self = Self::Responses(Default::default()),
            Self::Responses(_) if of_chat => *self = Self::Chat(Default::default()),
            _ => {}
        }
    }
}

/// The text at a key; none where there is no text.
fn text<'j>(json: &'j Json, key: &str) -> Option<&'j str> {
    json.get(key)?.as_str()
}

/// The text at a key, owned, if there is any in it.
fn some(json: &Json, key: &str) -> Option<String> {
    text(json, key).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The list at a key; an empty one where there is none.
fn list<'j>(json: &'j Json, key: &str) -> &'j [Json] {
    json.get(key).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

/// The index at a key; the first where there is none.
fn index(json: &Json, key: &str) -> usize {
    let index = json.get(key).and_then(Json::as_u64).unwrap_or_default();
    usize::try_from(index).unwrap_or_default()
}

/// Arguments as JSON text: as they are written, or as an object.
fn arguments(value: Option<&Json>) -> String {
    match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(object) => object.to_string(),
    }
}
