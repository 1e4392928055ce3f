//! One request on its way: read, routed, given its prompt, brought into the form of its upstream.
//!
//! In: the client's request. Out: [`Exchange`], ready to be sent. Never: a request that the upstream would not know.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, Uri, header};
use promptweave_loopback::read;
use promptweave_wire::{
    AbilityData, Answering, FailureKind, Note, Outgoing, Target, request as convert,
};
use serde_json::{Map, Value as Json};
use tokio::time::timeout;

use super::gateway::Inner;
use super::{hops, routing};
use crate::config::{HOPS, Route};
use crate::prompts;
use crate::refusal::{Refusal, Refused};
use crate::upstream::{Attempts, Call, Door};

/// How long the body of a request may take.
pub(super) const BODY: Duration = Duration::from_secs(60);
/// Where Anthropic's API counts tokens.
const COUNT_PATH: &str = "/v1/messages/count_tokens";
/// What the client wants of the API beyond its version.
const BETA: HeaderName = HeaderName::from_static("anthropic-beta");

/// A request as a client sent it.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) headers: HeaderMap,
    pub(super) request: Map<String, Json>,
    pub(super) model: String,
}

/// A request with its route and its prompt.
#[derive(Debug)]
pub(super) struct Routed<'g> {
    pub(super) route: &'g Route,
    door: &'g Door,
    asked: Asked,
    /// Headers of our own.
    ours: Ours,
}

/// Headers of our own.
#[derive(Debug)]
struct Ours {
    /// Those that go with promptweave's prompt, to Anthropic's own form alone.
    prompt: Vec<(String, String)>,
    /// The gateways on the way.
    hops: HeaderValue,
}

/// A request in the form of its upstream.
#[derive(Debug)]
pub(super) struct Exchange<'g> {
    pub(super) route: &'g Route,
    pub(super) attempts: Attempts<'g>,
    pub(super) answering: Answering,
    pub(super) notes: Vec<Note>,
}

/// What a request is sent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// An answer.
    Answer,
    /// A count of its tokens, by Anthropic's API.
    Count,
}

impl Asked {
    /// Reads a request to its end; one that this gateway sent itself is refused.
    pub(super) async fn read(request: Request<Body>, gateway: &Inner) -> Result<Self, Refused> {
        let (head, body) = request.into_parts();
        hops::check(&head.headers, &gateway.id)?;
        let late = |_| Refusal::new(FailureKind::Timeout, "the request did not come in time");
        let bytes = timeout(BODY, read(body)).await.map_err(late)??;
        let invalid = |why: &str| Refusal::new(FailureKind::InvalidRequest, why);
        let request = serde_json::from_slice::<Json>(&bytes)
            .map_err(|error| invalid(&format!("the request is not JSON: {error}")))?;
        let Json::Object(request) = request else {
            return Err(invalid("the request is no JSON object").into());
        };
        let model = request.get("model").and_then(Json::as_str);
        let model = model.ok_or_else(|| invalid("`/model` is not a text"))?.to_owned();
        Ok(Self { headers: head.headers, request, model })
    }
}

impl<'g> Routed<'g> {
    /// Finds the route of a request, and adds the prompt that the route says.
    pub(super) fn new(gateway: &'g Inner, mut asked: Asked) -> Result<Self, Refusal> {
        let (route, door) = routing::route(gateway, &asked.model)?;
        let hops = hops::added(&asked.headers, &gateway.id);
        let prompt = match &route.prompt {
            Some(rule) => prompts::add(&gateway.engine, rule, &mut asked.request)?,
            None => Vec::new(),
        };
        if let Some(renamed) = &route.model {
            asked.request.insert("model".into(), renamed.as_str().into());
        }
        Ok(Self { route, door, asked, ours: Ours { prompt, hops } })
    }

    /// The request as it stands now.
    pub(super) fn request(&self) -> &Map<String, Json> {
        &self.asked.request
    }

    /// Fails as bringing it into the form of its upstream would.
    pub(super) fn check(&self) -> Result<(), Refusal> {
        outgoing(self.route, self.asked.request.clone()).map(|_| ())
    }

    /// Brings it into the form of its upstream. `id` is the gateway's name for it.
    pub(super) fn exchange(
        self,
        gateway: &'g Inner,
        id: &str,
        purpose: Purpose,
    ) -> Result<Exchange<'g>, Refusal> {
        let Self { route, door, asked: Asked { headers, request, model }, ours } = self;
        let mut outgoing = outgoing(route, request)?;
        if purpose == Purpose::Count {
            COUNT_PATH.clone_into(&mut outgoing.path);
        }
        let mut answering = std::mem::take(&mut outgoing.answering);
        answering.model = Some(model);
        answering.seed = Some(id.trim_start_matches("req_").to_owned());
        let notes = std::mem::take(&mut outgoing.notes);
        notes.iter().for_each(|note| gateway.metrics.note(note.code.as_str()));
        let betas = headers.get_all(BETA).into_iter().cloned();
        let call = call(door, outgoing, betas.collect(), ours)?;
        let (retries, metrics, over) = (route.retries, &gateway.metrics, &gateway.over);
        let attempts = Attempts { door, call, retries, metrics, over };
        Ok(Exchange { route, attempts, answering, notes })
    }
}

/// The request as its target takes it.
fn outgoing(route: &Route, request: Map<String, Json>) -> Result<Outgoing, Refusal> {
    let target = route.upstream.target;
    let model = request.get("model").and_then(Json::as_str).unwrap_or_default();
    let mut abilities = AbilityData::builtin().abilities(target, model);
    if let Some(calls) = route.tool_calls {
        abilities.tool_calls = calls;
    }
    convert(target, &abilities, &Json::Object(request)).map_err(|error| {
        let message = format!("{error}; {}", error.help());
        Refusal::new(FailureKind::InvalidRequest, message)
    })
}

/// What is sent. Betas go to Anthropic's own form alone: nobody else knows them.
fn call(
    door: &Door,
    outgoing: Outgoing,
    betas: Vec<HeaderValue>,
    ours: Ours,
) -> Result<Call, Refusal> {
    let upstream = &door.upstream;
    let path = upstream.path.as_ref().unwrap_or(&outgoing.path);
    let broken = |_| Refusal::new(FailureKind::InvalidRequest, "model: it cannot stand in a URL");
    let uri: Uri = format!("{}{path}", upstream.base_url).parse().map_err(broken)?;
    let mut headers = HeaderMap::new();
    let own = matches!(upstream.target, Target::Anthropic | Target::Vertex);
    for (name, value) in outgoing.headers.into_iter().chain(ours.prompt.into_iter().filter(|_| own))
    {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    for beta in betas.into_iter().filter(|_| own) {
        headers.append(BETA, beta);
    }
    let accept = match (upstream.target, streams(&outgoing.body, path)) {
        (Target::Bedrock, true) => "application/vnd.amazon.eventstream",
        (_, true) => "text/event-stream",
        (_, false) => "application/json",
    };
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    headers.insert(HOPS, ours.hops);
    Ok(Call { uri, headers, body: outgoing.body.to_string().into() })
}

/// Whether a stream is asked for: in the body, or by the path.
fn streams(body: &Json, path: &str) -> bool {
    let asked = body.get("stream").and_then(Json::as_bool).unwrap_or_default();
    asked || path.contains("stream")
}
