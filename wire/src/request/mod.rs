//! Converts a request in Anthropic's form to what a provider takes.
//!
//! In: a request, a [`Target`], [`Abilities`]. Out: [`Outgoing`]: headers, a body, notes on all that could not be kept, and what the
//! answer must know. Never: an address or a key; a request that was adapted without a note.

mod anthropic;
mod bedrock;
mod chat;
mod check;
mod effort;
mod form;
mod gemini;
mod ids;
mod marks;
mod parts;
mod path;
mod responses;
mod schema;
mod shape;
mod text_tools;

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use crate::abilities::{Abilities, Support, ToolCalls};
use crate::answering::Answering;
use crate::note::{Note, NoteCode, Notes};
use crate::target::Target;
use form::{Form, Role};

pub(crate) use effort::BUDGETS;
pub(crate) use schema::KEYS as SCHEMA_KEYS;

/// A request as a provider takes it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outgoing {
    /// The path below the API's address, e.g. `/v1/messages`; on Vertex AI below that of project and location. Where an API
    /// streams by another path, the request's `stream` decides.
    pub path: String,
    /// Headers beside those of authentication, by name in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body.
    pub body: Json,
    /// What was adapted.
    pub notes: Vec<Note>,
    /// What the answer must know.
    pub answering: Answering,
}

/// A request that no provider would take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// It is no JSON object.
    #[error("the request is no object")]
    NoObject,
    /// It has no messages.
    #[error("the request has no `messages`")]
    NoMessages,
    /// A field is missing that there must be.
    #[error("there is no `{at}`")]
    Missing {
        /// The place, as a JSON pointer.
        at: String,
    },
    /// A field holds something else than the Messages API takes there.
    #[error("`{at}` is not {wanted}")]
    Type {
        /// The place, as a JSON pointer.
        at: String,
        /// What may stand there.
        wanted: String,
    },
    /// A block lacks what blocks of its kind have.
    #[error("the block `{at}` has no text `{key}`")]
    Block {
        /// The place, as a JSON pointer.
        at: String,
        /// What it lacks.
        key: String,
    },
    /// A block stands in a message of a role that does not say such things.
    #[error("the block `{at}` has no place in a message of its role")]
    Misplaced {
        /// The place, as a JSON pointer.
        at: String,
    },
    /// A tool has no name.
    #[error("the tool `{at}` has no name")]
    Tool {
        /// The place, as a JSON pointer.
        at: String,
    },
    /// The last message is the assistant's, and the model does not go on with it.
    #[error("model `{model}` does not go on with a message of the assistant")]
    Prefill {
        /// The model.
        model: String,
    },
}

impl RequestError {
    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Prefill { .. } => "end the messages with one of the user's",
            Self::NoObject
            | Self::NoMessages
            | Self::Missing { .. }
            | Self::Type { .. }
            | Self::Block { .. }
            | Self::Misplaced { .. }
            | Self::Tool { .. } => "send a request as the Messages API takes it",
        }
    }
}

/// What writers add to while they write.
struct Writing<'a> {
    abilities: &'a Abilities,
    notes: Notes,
}

impl Writing<'_> {
    fn note(&mut self, code: NoteCode, at: impl Into<String>) {
        self.notes.add(code, at);
    }
}

/// Converts a request in Anthropic's form.
///
/// # Errors
/// [`RequestError`]: it is no such request, or the model would refuse it and nothing can stand for it.
pub fn request(
    target: Target,
    abilities: &Abilities,
    request: &Json,
) -> Result<Outgoing, RequestError> {
    check::check(request)?;
    let mut form = Form::read(request)?;
    let mut writing = Writing { abilities, notes: Notes::default() };
    let last = form.messages.last().map(|message| message.role);
    if last == Some(Role::Assistant) && abilities.prefill == Support::No {
        return Err(RequestError::Prefill { model: form.model.to_owned() });
    }
    let model = form.field("model").and_then(Json::as_str).map(str::to_owned);
    let mut answering = Answering { model, ..Answering::default() };
    shape::shape(target, &mut form, &mut writing);
    if abilities.tool_calls != ToolCalls::Native {
        answering.text_calls = text_tools::apply(&mut form, &mut writing);
    }
    shape::place_system(&mut form, &mut writing);
    answering.names = ids::apply(&mut form, &mut writing);
    marks::apply(&mut form, &mut writing);
    let (headers, body) = match target {
        Target::Anthropic | Target::Vertex => anthropic::write(target, &form, &mut writing),
        Target::Bedrock => (BTreeMap::new(), bedrock::write(&form, &mut writing)),
        Target::OpenAiChat | Target::OpenAiCompatible | Target::Xai => {
            (BTreeMap::new(), chat::write(&form, &mut writing))
        }
        Target::OpenAiResponses => (BTreeMap::new(), responses::write(&form, &mut writing)),
        Target::Gemini => (BTreeMap::new(), gemini::write(&form, &mut writing)),
    };
    let wanted = if form.is_streamed() { path::Wanted::Stream } else { path::Wanted::Whole };
    let path = path::path(target, form.model, wanted);
    let notes = writing.notes.into_vec();
    Ok(Outgoing { path, headers, body: body.into(), notes, answering })
}

/// Adds an entry, where there is something to add.
fn put(body: &mut Map<String, Json>, key: &str, value: impl Into<Option<Json>>) {
    if let Some(value) = value.into() {
        body.insert(key.to_owned(), value);
    }
}
