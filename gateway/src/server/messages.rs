//! `POST /v1/messages`.
//!
//! In: a request. Out: a stream or a message. Never: a head before the first event is there: until then another try is possible.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Request, Response, header};
use promptweave_loopback::Shutdown;
use promptweave_wire::{FailureKind, Note};
use serde_json::Value as Json;

use super::app::App;
use super::exchange::{Asked, Exchange, Purpose, Routed};
use super::gateway::Inner;
use crate::answer::{Answer, End, Story, Whole};
use crate::refusal::{Refusal, Refused};
use crate::upstream::Begin;

/// When to come again where there is no room.
const OVERLOAD_SECONDS: u64 = 1;
/// What was adapted, by code.
const NOTES: HeaderName = HeaderName::from_static("promptweave-notes");

pub(super) async fn messages(
    app: &App,
    request: Request<Body>,
    id: &Arc<str>,
) -> Result<Response<Body>, Refused> {
    let mut story = story(app, id)?;
    let prepared = prepared(&app.gateway, request, id).await;
    let (exchange, wanted) = prepared.inspect_err(|_| story.ended(End::Failed))?;
    story.upstream.clone_from(&exchange.route.upstream.name);
    let answered = match wanted {
        Wanted::Stream => stream(exchange, story, &app.gateway.over).await,
        Wanted::Whole => whole(exchange, story).await,
    };
    let (mut response, notes) = answered?;
    note(&mut response, &notes);
    Ok(response)
}

/// How the client wants its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Stream,
    Whole,
}

/// Reads a request, and brings it into the form of its upstream.
async fn prepared<'g>(
    gateway: &'g Inner,
    request: Request<Body>,
    id: &str,
) -> Result<(Exchange<'g>, Wanted), Refused> {
    let asked = Asked::read(request, gateway).await?;
    let wanted = match asked.request.get("stream").and_then(Json::as_bool) {
        Some(true) => Wanted::Stream,
        Some(false) | None => Wanted::Whole,
    };
    let exchange = Routed::new(gateway, asked)?.exchange(gateway, id, Purpose::Answer)?;
    Ok((exchange, wanted))
}

/// Begins the story of a request, if there is room for one more.
pub(super) fn story(app: &App, id: &Arc<str>) -> Result<Story, Refusal> {
    let place = app.gate.streams().open();
    let place = place.map_err(|_| {
        let message = "the gateway has too many open requests";
        let refusal = Refusal::new(FailureKind::Overloaded, message);
        Refusal { retry_after: Some(OVERLOAD_SECONDS), ..refusal }
    })?;
    Ok(Story::new(Arc::clone(id), Arc::clone(&app.gateway.metrics), place))
}

type Answered = Result<(Response<Body>, Vec<Note>), Refusal>;

async fn stream(exchange: Exchange<'_>, mut story: Story, over: &Shutdown) -> Answered {
    let Exchange { route, attempts, answering, notes } = exchange;
    let upstream = &route.upstream;
    let begun = attempts.until(&Begin { upstream, answering }).await;
    let begun = begun.inspect_err(|_| story.ended(End::Failed))?;
    let body = Answer::new(begun, upstream.timeouts.idle, story, over);
    let mut response = Response::new(Body::new(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok((response, notes))
}

async fn whole(exchange: Exchange<'_>, mut story: Story) -> Answered {
    let Exchange { route, attempts, answering, notes } = exchange;
    let (upstream, id) = (&*route.upstream, Arc::clone(&story.id));
    let read = attempts.until(&Whole { upstream, answering, id: &id }).await;
    let message = read.inspect_err(|_| story.ended(End::Failed))?;
    let text = message.json.to_string();
    story.cost(&message.usage);
    story.noted(&message.notes);
    story.wrote(text.len());
    story.ended(End::Whole);
    Ok((json(text), notes))
}

/// A response of JSON.
pub(super) fn json(text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Says what was adapted.
pub(super) fn note(response: &mut Response<Body>, notes: &[Note]) {
    let codes: Vec<_> = notes.iter().map(|note| note.code.as_str()).collect();
    if let Ok(value) = HeaderValue::try_from(codes.join(", "))
        && !codes.is_empty()
    {
        response.headers_mut().insert(NOTES, value);
    }
}
