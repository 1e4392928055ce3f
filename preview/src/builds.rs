//! Builds what requests ask for.
//!
//! In: [`BuildRequest`]s. Out: [`Built`] prompts, and their forms. Never: fills in what the request does not say.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use promptweave::{Ask, Context, Diagnostic, Error};
use promptweave_inspect::{Assignment, Built, Overlay, PayloadOptions, payload};
use promptweave_loopback::Problem;
use serde::Serialize;
use serde_json::Value as Json;

use crate::asked::{AgentMode, BuildRequest, Format};
use crate::preview::{Loaded, Preview};
use crate::refusal::{invalid, of_engine, of_place, of_warning};
use crate::sessions::Begun;
use crate::work::Work;

/// A build that is ready to be done.
pub(crate) struct Order {
    loaded: Arc<Loaded>,
    begun: Option<Begun>,
    context: Context,
    ask: Ask,
    strict: bool,
    pub(crate) work: Work,
}

impl Order {
    /// Takes a request apart; the size of its body says how much work it may be.
    pub(crate) fn new(
        preview: &Preview,
        request: BuildRequest,
        bytes: usize,
    ) -> Result<Self, Problem> {
        let loaded = preview.loaded();
        let BuildRequest { variant, label, tag, max_tokens, strict, session, .. } = &request;
        if variant.is_some() && tag.is_some() {
            return Err(invalid("request-invalid", "`variant` and `tag` exclude each other"));
        }
        let budget = max_tokens.map(|tokens| tokens as usize);
        let ask = Ask { variant: variant.clone(), label: label.clone(), tag: tag.clone(), budget };
        let begun = session.as_deref().map(|id| preview.sessions().get(id)).transpose()?;
        // Builds of one session wait for each other.
        let work = if begun.is_some() { Work::Slow } else { loaded.work(bytes) };
        let strict = *strict;
        let context = context(request)?;
        Ok(Self { loaded, begun, context, ask, strict, work })
    }

    /// Builds it.
    pub(crate) fn build(self) -> Result<Built, Problem> {
        let Self { loaded, begun, context, ask, strict, .. } = self;
        let (engine, built) = match begun {
            Some(Begun { session, engine }) => (engine, session.prompt_for(&context, &ask)),
            None => (loaded.engine.clone(), loaded.engine.prompt_for(&context, &ask)),
        };
        let prompt = built.map_err(|error: Error| of_engine(&error))?;
        if strict {
            of_warning(engine.diagnostics().iter().chain(prompt.diagnostics()))?;
        }
        let counter = loaded.counter(&context, &prompt);
        Ok(Built { engine, context, prompt, counter, probed: Vec::new() })
    }
}

fn context(request: BuildRequest) -> Result<Context, Problem> {
    let BuildRequest { context, set, model, provider, mode, tools, .. } = request;
    let set = set.into_iter().map(|(path, value)| Assignment { path, value }).collect();
    let mode = mode.map(|mode| AgentMode::as_str(mode).to_owned());
    Overlay { model, provider, mode, tools, set }.on(Json::Object(context)).map_err(of_place)
}

/// A prompt in the form that was asked for.
pub(crate) fn formed(
    built: &Built,
    (format, offsets): (Format, promptweave::Offsets),
) -> Result<Response, Problem> {
    let told = built.prompt.diagnostics();
    match format {
        // The text stands in it as a whole, in sections and in blocks, beside the rest.
        Format::Json => answer_of(&built.result(offsets), 4 * built.prompt.text().len()),
        Format::Text => Ok(with_codes(text(built.prompt.text()), told)),
        Format::Blocks => answer(&built.blocks()).map(|response| with_codes(response, told)),
        Format::Payload(target) => {
            let (payload, more) = payload(built, target, &PayloadOptions::default())
                .map_err(|error| of_engine(&error))?;
            let told: Vec<Diagnostic> = told.iter().cloned().chain(more).collect();
            answer(&payload).map(|response| with_codes(response, &told))
        }
    }
}

fn text(text: &str) -> Response {
    let mut response = Response::new(Body::from(text.to_owned()));
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// Forms without diagnostics have their codes in a header.
fn with_codes(mut response: Response, told: &[Diagnostic]) -> Response {
    let mut codes: Vec<&str> = told.iter().map(|one| one.code.as_str()).collect();
    codes.sort_unstable();
    codes.dedup();
    if let Ok(codes) = HeaderValue::from_str(&codes.join(", "))
        && !codes.is_empty()
    {
        response.headers_mut().insert("promptweave-diagnostics", codes);
    }
    response
}

/// JSON without blanks.
pub(crate) fn answer(value: &impl Serialize) -> Result<Response, Problem> {
    answer_of(value, 0)
}

/// The same where about so many bytes are expected: then they are not moved while they are written.
fn answer_of(value: &impl Serialize, expected: usize) -> Result<Response, Problem> {
    let mut bytes = Vec::with_capacity(expected);
    serde_json::to_writer(&mut bytes, value).map_err(|error| {
        let why = format!("the answer cannot be written as JSON: {error}");
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", why)
    })?;
    let mut response = Response::new(Body::from(bytes));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(response)
}
