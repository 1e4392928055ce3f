//! Brings a prompt into the shape that the API of one provider wants.
//!
//! In: a [`Prompt`], declared tools, a [`Delivery`]. Out: a [`Payload`]: headers and a body, to which the host adds its
//! messages. Never: changes the order of the text, sends anything, or sets more than [`MAX_MARKS`] cache marks.

mod anthropic;
mod bedrock;
mod gemini;
mod latch;
mod openai;
mod plan;
mod target;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::diagnostic::Diagnostic;
use crate::facts::{Facts, Ttl};
use crate::prompt::Prompt;
use plan::Plan;

pub use latch::TtlLatch;
pub use plan::MAX_MARKS;
pub(crate) use plan::{End, Ended, ended};
pub use target::Target;

/// Where a prompt goes, and what the host wants there. Made by [`Engine::delivery`](crate::Engine::delivery); one serves
/// all prompts for a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Delivery {
    /// The API.
    pub target: Target,
    /// What is known about the model.
    pub facts: Facts,
    /// How long entries should live; [`TtlLatch`] says what a query source may have. Another than the model offers is
    /// lowered to its default, with a note.
    pub ttl: Ttl,
    /// Whether the scope stands in the request.
    pub wire_scope: WireScope,
    /// What routes requests with the same prefix to the same cache, where the API takes such a key: a session's name, for
    /// instance. Without one it is made of the variant and the static head.
    pub cache_key: Option<Arc<str>>,
}

/// Whether the scope of a block stands in the request. The field is undocumented, and other services refuse it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WireScope {
    /// It is for planning alone.
    #[default]
    Off,
    /// Marks of global blocks carry it, and the header that it needs is set.
    On,
}

/// A prompt in the shape that one API wants. Equal prompts give equal bytes; the keys of objects are sorted.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Payload {
    /// Headers beside those of authentication, by name in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body. Its list of messages holds the user context or nothing; the host appends to it.
    pub body: Json,
}

impl Delivery {
    pub(crate) fn new(target: Target, facts: Facts) -> Self {
        let ttl = facts.ttls.first().copied().unwrap_or_default();
        Self { target, facts, ttl, wire_scope: WireScope::Off, cache_key: None }
    }
}

/// Brings a prompt into the shape that an API wants, and tells what it could not keep.
///
/// `tools` are those of [`Engine::declare_tools`](crate::Engine::declare_tools) for [`Target::dialect`]; they are moved,
/// since copies cost more than the text.
pub fn deliver(
    prompt: &Prompt,
    tools: Vec<Json>,
    delivery: &Delivery,
) -> (Payload, Vec<Diagnostic>) {
    let (plan, told) = plan::plan(prompt, tools, delivery);
    let payload = match delivery.target {
        Target::Anthropic => anthropic::first_party(plan, delivery),
        Target::Vertex => anthropic::vertex(plan, delivery),
        Target::Bedrock => bedrock::converse(plan),
        Target::OpenAiChat => {
            openai::chat(plan, delivery, openai::Key::Body(key(prompt, delivery)))
        }
        Target::OpenAiResponses => openai::responses(plan, delivery, key(prompt, delivery)),
        Target::OpenAiCompatible => openai::chat(plan, delivery, openai::Key::None),
        Target::Xai => openai::chat(plan, delivery, openai::Key::Header(key(prompt, delivery))),
        Target::Gemini => gemini::generate(plan),
    };
    (payload, told)
}

/// The host's key, or one that is the same for everybody with this static head.
fn key(prompt: &Prompt, delivery: &Delivery) -> String {
    if let Some(key) = &delivery.cache_key {
        return key.to_string();
    }
    let head = &prompt.text().as_bytes()[..prompt.static_head()];
    format!("{}-{}", prompt.variant().id, &crate::diagnostic::sha256(head)[..16])
}

/// An object of a few entries.
fn object<const N: usize>(entries: [(&str, Json); N]) -> Json {
    let entries = entries.into_iter().map(|(key, value)| (key.to_owned(), value));
    Json::Object(entries.collect::<Map<_, _>>())
}

/// Adds an entry, where there is something to add.
fn add(body: &mut Map<String, Json>, key: &str, items: Vec<Json>) {
    if !items.is_empty() {
        body.insert(key.to_owned(), Json::Array(items));
    }
}

/// The model, where the body names it and the context does.
fn named(plan: &Plan<'_>) -> Map<String, Json> {
    let model = Some(plan.model).filter(|model| !model.is_empty());
    model.map(|model| ("model".to_owned(), model.into())).into_iter().collect()
}
