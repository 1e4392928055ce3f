//! Components of the host: code in the language that embeds the engine.
//!
//! In: a declaration as JSON, what the language calls. Out: a component of the engine. Never: lets what that code does
//! cost more than its section: it may throw, give a wrong type, block, or call the engine that calls it.

mod reentry;
mod workers;

use std::sync::Arc;
use std::time::Duration;

use promptweave::{CodeComponent, Inputs, Items};
use serde_json::{Map, Value as Json, json};

pub use reentry::inside_component;
pub(crate) use reentry::outside;

use crate::error::Error;
use crate::input;
use crate::options::{Class, ComponentOptions};
use workers::Workers;

/// The name of the extension that all components of the host belong to, as origins show it.
pub(crate) const HOST: &str = "host";

/// What a component of the host is called with.
#[derive(Clone, Debug)]
pub struct Call {
    /// A JSON object: the part of the context that it declared to read, in the context's own shape; all of it where it
    /// declared nothing.
    pub inputs: Json,
    /// How long the build waits for it.
    pub deadline: Duration,
}

/// What a component of the host answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The text of its section.
    Text(String),
    /// There is no section.
    Nothing,
    /// It failed, with the sentence that its error says.
    Failed(String),
    /// It gave neither a text nor nothing.
    WrongType,
}

/// Where a component of the host runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runs {
    /// On a thread of its own, which is left behind when the deadline has passed.
    #[default]
    OnWorker,
    /// On the thread that builds. It keeps the deadline itself.
    OnCaller,
}

/// What a binding calls. It may be called from several threads at once.
pub trait HostComponent: Send + Sync {
    /// Asks for the text of the section. A panic counts as a failure.
    fn call(&self, call: Call) -> Answer;

    /// Where it runs.
    fn runs(&self) -> Runs {
        Runs::OnWorker
    }

    /// Whether the build that waits for it is to be ended. It is asked now and then, on the thread that waits.
    fn is_given_up(&self) -> bool {
        false
    }
}

impl<F: Fn(Call) -> Answer + Send + Sync> HostComponent for F {
    fn call(&self, call: Call) -> Answer {
        self(call)
    }
}

/// A component of the host, as [`Engine::new`](crate::Engine::new) takes it. Variants name it by its id.
#[derive(Clone)]
pub struct Component(CodeComponent);

impl Component {
    /// A component; `declared` has the keys of [`ComponentOptions`].
    ///
    /// # Errors
    /// `options-invalid`.
    pub fn new(declared: Json, component: impl HostComponent + 'static) -> Result<Self, Error> {
        let ComponentOptions { id, reads, cache, reason, description, deadline_ms } =
            input::required(declared)?;
        let workers = Workers::new(Arc::new(component), Duration::from_millis(deadline_ms));
        let keys = reads.clone();
        let run = move |inputs: &Inputs<'_>| workers.ask(inputs_of(inputs, keys.as_deref()));
        let mut code = match cache.unwrap_or(Class::Static) {
            Class::Static => CodeComponent::new(&id, run),
            Class::Session => CodeComponent::new(&id, run).session(),
            Class::Volatile => {
                CodeComponent::volatile(&id, reason.as_deref().unwrap_or("its host says so"), run)
            }
        };
        if let Some(keys) = &reads {
            code = code.reads(&keys.iter().map(String::as_str).collect::<Vec<_>>());
        }
        Ok(Self(description.iter().fold(code, |code, text| code.describe(text))))
    }
}

/// The extension that all components of a host make.
pub(crate) fn items(components: Vec<Component>) -> Items {
    components.into_iter().fold(Items::new(HOST), |items, Component(code)| items.component(code))
}

/// What a component may read, in the shape of the context.
fn inputs_of(inputs: &Inputs<'_>, keys: Option<&[String]>) -> Json {
    let Some(keys) = keys else {
        return inputs.context().map_or_else(|| json!({}), |context| context.as_json().clone());
    };
    let mut part = Map::new();
    for key in keys {
        if let Some(value) = inputs.get(key) {
            put(&mut part, key, value.clone());
        }
    }
    Json::Object(part)
}

/// Puts a value at a dotted path; what is there already covers it.
fn put(part: &mut Map<String, Json>, key: &str, value: Json) {
    match key.split_once('.') {
        None => {
            part.insert(key.into(), value);
        }
        Some((first, rest)) => {
            if let Json::Object(inner) = part.entry(first).or_insert_with(|| json!({})) {
                put(inner, rest, value);
            }
        }
    }
}
