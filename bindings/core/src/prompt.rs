//! A finished prompt, and what can be asked of it.
//!
//! In: a prompt of the engine. Out: its text, results as JSON, payloads. Never: builds anything anew.

use std::ptr;
use std::sync::{Arc, OnceLock};

use promptweave::{Context, Target, Ttl, TtlLatch, WireScope};
use promptweave_inspect::{Built, PayloadOptions, payload};
use serde_json::Value as Json;

use crate::error::{Error, Misuse, told};
use crate::input;
use crate::options::{DeliveryOptions, ResultOptions};

/// A prompt. `Send`, `Sync`, cheap to clone.
#[derive(Clone, Debug)]
pub struct Prompt(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    engine: promptweave::Engine,
    context: Context,
    prompt: promptweave::Prompt,
    /// The session that remembers what it granted.
    session: Option<Arc<promptweave::Session>>,
    /// Made when somebody asks for more than the text.
    built: OnceLock<Built>,
}

/// What goes to a provider, and what could not be kept on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Payload {
    /// `{headers, body}`.
    pub json: Json,
    /// A JSON array of diagnostics.
    pub diagnostics: Json,
}

impl Prompt {
    pub(crate) fn new(
        engine: &promptweave::Engine,
        context: &Context,
        prompt: promptweave::Prompt,
        session: Option<&Arc<promptweave::Session>>,
    ) -> Self {
        let (engine, context, session) = (engine.clone(), context.clone(), session.cloned());
        Self(Arc::new(Parts { engine, context, prompt, session, built: OnceLock::new() }))
    }

    /// The text.
    pub fn text(&self) -> &str {
        self.0.prompt.text()
    }

    /// Whether both are the same prompt, as a session hands it out again when nothing has changed.
    pub fn is(&self, other: &Self) -> bool {
        let (ours, theirs) = (&self.0.prompt, &other.0.prompt);
        // Both live, so what lies at the same place is the same.
        ptr::eq(ours.text(), theirs.text()) && ptr::eq(ours.diagnostics(), theirs.diagnostics())
    }

    /// The text of a section; none when it is not there.
    pub fn section(&self, id: &str) -> Option<&str> {
        self.0.prompt.section(id)
    }

    /// The sections that are there, in order: id and text.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &str)> {
        let prompt = &self.0.prompt;
        prompt.sections().iter().map(|section| {
            (&*section.id, prompt.text().get(section.range.clone()).unwrap_or_default())
        })
    }

    /// The id of the variant that it was made of.
    pub fn variant(&self) -> &str {
        self.0.prompt.variant().id.as_str()
    }

    /// Everything about it, exactly as `promptweave build --format json` prints it; `options` has the keys of
    /// [`ResultOptions`].
    ///
    /// # Errors
    /// `options-invalid`.
    pub fn result(&self, options: Json) -> Result<Json, Error> {
        let options: ResultOptions = input::options(options)?;
        Ok(self.built().result(options.offsets.into()).to_json())
    }

    /// Its text in runs of one cache scope: `[{text, scope}]`, as `promptweave build --format blocks` prints them.
    pub fn blocks(&self) -> Json {
        self.built().blocks()
    }

    /// Its layers with their texts and weights, as `promptweave layers --json` prints them.
    pub fn layers(&self) -> Json {
        self.built().layers()
    }

    /// What was met while building: a JSON array of diagnostics.
    pub fn diagnostics(&self) -> Json {
        told(self.0.prompt.diagnostics())
    }

    /// The payload for the API of that name, e.g. `anthropic` or `openai-responses`, with the tools of the context;
    /// `options` has the keys of [`DeliveryOptions`].
    ///
    /// # Errors
    /// `target-unknown`, `options-invalid`.
    pub fn deliver(&self, target: &str, options: Json) -> Result<Payload, Error> {
        let target = Target::from_name(target).ok_or_else(|| unknown(target))?;
        let DeliveryOptions { one_hour, wire_scope, cache_key } = input::options(options)?;
        let granted = self.granted(&one_hour);
        let ttl = Some(granted).filter(|ttl| !one_hour.is_empty() || *ttl == Ttl::OneHour);
        let wire_scope = if wire_scope { WireScope::On } else { WireScope::Off };
        let options = PayloadOptions { ttl, wire_scope, cache_key };
        let (json, diagnostics) = payload(self.built(), target, &options)?;
        Ok(Payload { json, diagnostics: told(&diagnostics) })
    }

    fn built(&self) -> &Built {
        let Parts { engine, context, prompt, built, .. } = &*self.0;
        built.get_or_init(|| Built::new(engine.clone(), context.clone(), prompt.clone()))
    }

    /// How long entries may live; what a session granted once stays.
    fn granted(&self, one_hour: &[String]) -> Ttl {
        let source = self.0.prompt.query_source().unwrap_or_default();
        match &self.0.session {
            Some(session) => session.ttl(source, one_hour),
            None => TtlLatch::default().ttl(source, one_hour),
        }
    }
}

fn unknown(target: &str) -> Error {
    let known: Vec<&str> = Target::ALL.iter().map(|target| target.as_str()).collect();
    let help = format!("give one of {}", known.join(", "));
    Error::new(Misuse::TargetUnknown, format!("there is no target `{target}`"), &help)
}
