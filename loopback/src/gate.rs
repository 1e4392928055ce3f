//! What every request passes through, and what its answer gets on its way back.
//!
//! In: requests. Out: those that may be answered, in turn; all others as a [`Problem`]. Never: reads a body of who may not ask, unless
//! to throw it away.

use std::any::Any;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, EXPECT, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use prometheus_client::registry::Registry;
use tokio::sync::Semaphore;

use crate::allowed::Allowed;
use crate::body::{self, Room, Shared, read};
use crate::head;
use crate::limits::Limits;
use crate::metrics::{Asked, Metrics, Refused, Route};
use crate::problem::{Problem, Shape, rfc9457};
use crate::streams::Streams;
use crate::token::Token;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// What every answer has unless its handler says otherwise.
const HEADERS: [(HeaderName, HeaderValue); 6] = [
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
    (CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'"),
    ),
];

/// What a gate is made of.
#[derive(Debug)]
pub struct Setup {
    /// The names that the server answers to.
    pub allowed: Allowed,
    /// How much it takes.
    pub limits: Limits,
    /// Who asks must know it.
    pub token: Option<Token>,
    /// A header beside `Authorization` in which the token may come, in lower case, e.g. `x-api-key`.
    pub key: Option<&'static str>,
    /// The name of the cookie that stands for the token.
    pub cookie: Option<String>,
    /// The media types that bodies may have.
    pub kinds: &'static [&'static str],
    /// Those of them whose bodies handlers read while they arrive, and which may take as long as they like to do so: their requests
    /// take no turn.
    pub arriving: &'static [&'static str],
    /// How problems are written.
    pub shape: Shape,
}

/// No names, the usual limits, no token, JSON alone, problems by RFC 9457.
impl Default for Setup {
    fn default() -> Self {
        Self {
            allowed: Allowed::default(),
            limits: Limits::default(),
            token: None,
            key: None,
            cookie: None,
            kinds: &["application/json"],
            arriving: &[],
            shape: rfc9457,
        }
    }
}

/// What every request of a server passes through. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    setup: Setup,
    metrics: Metrics,
    streams: Streams,
    room: Room,
    /// For requests that are worked on or wait.
    places: Semaphore,
    /// For those that are worked on.
    turns: Semaphore,
    process: u64,
    counted: AtomicU64,
}

/// Names a request in its answer, in problems and in the log; in the extensions of each request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

impl RequestId {
    /// Letters, digits and `-`; no two of them are the same.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Gate {
    /// A gate; `more` registers what the server itself counts.
    pub fn new(setup: Setup, more: impl FnOnce(&mut Registry)) -> Self {
        let metrics = Metrics::new(more);
        let Limits { held_bytes, streams, concurrency, queue, .. } = setup.limits;
        // Without randomness ids of two processes may be the same, and nothing else.
        let process = getrandom::u64().unwrap_or_default();
        Self(Arc::new(Inner {
            streams: Streams::new(streams, metrics.streams.clone()),
            room: Room::new(held_bytes),
            places: Semaphore::new(concurrency + queue),
            turns: Semaphore::new(concurrency),
            counted: AtomicU64::new(0),
            process,
            metrics,
            setup,
        }))
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.0.setup.limits
    }

    /// The token, when there is one.
    pub fn token(&self) -> Option<&Token> {
        self.0.setup.token.as_ref()
    }

    /// The name of the cookie that stands for the token.
    pub fn cookie(&self) -> Option<&str> {
        self.0.setup.cookie.as_deref()
    }

    /// What was counted so far.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// The places for streams.
    pub fn streams(&self) -> &Streams {
        &self.0.streams
    }

    /// Puts the gate around all routes: the outermost of all layers.
    pub fn admit<S: Clone + Send + Sync + 'static>(&self, routes: Router<S>) -> Router<S> {
        let routes = routes.layer(DefaultBodyLimit::disable());
        routes.layer(middleware::from_fn_with_state(self.clone(), admit))
    }

    /// Lets nobody pass to these routes without the token, when there is one, and each request only in its turn: when its body is
    /// there, and not too many others are worked on. Routes beside these are to be answered at once, whatever else goes on.
    pub fn authorise<S: Clone + Send + Sync + 'static>(&self, routes: Router<S>) -> Router<S> {
        routes.route_layer(middleware::from_fn_with_state(self.clone(), authorise))
    }

    fn next_id(&self) -> RequestId {
        let number = self.0.counted.fetch_add(1, Ordering::Relaxed);
        RequestId(format!("{:016x}-{number:x}", self.0.process).into())
    }

    /// Whether the head of a request lets it pass.
    fn judge(&self, request: &Request) -> Result<(), Problem> {
        let Setup { allowed, kinds, .. } = &self.0.setup;
        let (uri, headers) = (request.uri(), request.headers());
        if !allowed.host_of(uri, headers) {
            let why = "the request is for a host that this server is not";
            let problem = Problem::new(StatusCode::MISDIRECTED_REQUEST, "foreign-host", why);
            return Err(
                problem.help("ask by the address that the server listens to, or allow the name")
            );
        }
        if !allowed.origin_of(headers) {
            let why = "the request comes from a page of another site";
            return Err(Problem::new(StatusCode::FORBIDDEN, "foreign-origin", why));
        }
        head::fits(uri, headers)?;
        if !body::is_of(kinds, request.method(), headers) {
            let why = format!("the body is none of {}", kinds.join(", "));
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", why);
            return Err(problem.help("send `Content-Type: application/json`"));
        }
        if body::is_encoded(headers) {
            let why = "the body has a `Content-Encoding`, and this server unpacks none";
            let problem = Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "body-encoded", why);
            return Err(problem.help("send the body as it is"));
        }
        Ok(())
    }

    /// Answers a request in time.
    async fn pass(&self, request: Request, body: &Shared, next: Next) -> Result<Response, Problem> {
        self.judge(&request)?;
        let Limits { body_bytes, request_time, .. } = *self.limits();
        if body::said_length(request.headers()).is_some_and(|length| length > body_bytes as u64) {
            return Err(Problem::too_large());
        }
        let request = request.map(|_| body.limited(body_bytes, &self.0.room));
        let answer = AssertUnwindSafe(next.run(request)).catch_unwind();
        match tokio::time::timeout(request_time, answer).await {
            Ok(answer) => answer.map_err(|panic| failed(&*panic)),
            Err(_) if body.is_complete() => Err(Problem::overloaded("the answer took too long")),
            Err(_) => Err(late()),
        }
    }

    /// Answers a request in its turn: a client that is slow to send its body takes none from others.
    async fn turn(&self, request: Request, next: Next) -> Result<Response, Problem> {
        let Setup { arriving, .. } = &self.0.setup;
        if body::is_one_of(arriving, request.headers()) {
            return Ok(next.run(request).await);
        }
        let (head, body) = request.into_parts();
        let bytes = tokio::time::timeout(self.limits().body_time, read(body)).await;
        let request = Request::from_parts(head, Body::from(bytes.map_err(|_| late())??));
        let full = |_| Problem::overloaded("too many requests wait");
        let _place = self.0.places.try_acquire().map_err(full)?;
        // Nobody closes the semaphore.
        let _turn = self.0.turns.acquire().await;
        Ok(next.run(request).await)
    }

    /// Writes the problem that an answer carries or is; says who answered.
    fn finish(&self, mut response: Response, id: &RequestId) -> Response {
        let problem = response.extensions_mut().remove::<Problem>();
        if let Some(problem) = problem.or_else(|| bare(&response)) {
            let code = problem.code.to_string();
            self.0.metrics.refused.get_or_create(&Refused { code }).inc();
            response = problem.write(self.0.setup.shape, id);
        }
        let headers = response.headers_mut();
        for (name, value) in HEADERS {
            headers.entry(name).or_insert(value);
        }
        if let Ok(id) = HeaderValue::from_str(id.as_str()) {
            headers.insert(REQUEST_ID, id);
        }
        response
    }

    fn count(&self, asked: Asked, began: Instant) {
        let seconds = began.elapsed().as_secs_f64();
        let Metrics { requests, seconds: family, .. } = &self.0.metrics;
        tracing::debug!(method = asked.method, route = asked.route, status = asked.status, seconds);
        family.get_or_create(&Route { route: asked.route.clone() }).observe(seconds);
        requests.get_or_create(&asked).inc();
    }
}

/// Counts a request while it lives, also when its client goes away.
struct Running<'g>(&'g Gate);

impl<'g> Running<'g> {
    fn new(gate: &'g Gate) -> Self {
        gate.0.metrics.running.inc();
        Self(gate)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.0.metrics.running.dec();
    }
}

async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let began = Instant::now();
    let _running = Running::new(&gate);
    let id = gate.next_id();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = known(request.method());
    request.extensions_mut().insert(id.clone());
    let waits = request.headers().contains_key(EXPECT);
    let body = Shared::new(std::mem::take(request.body_mut()));
    let answer = gate.pass(request, &body, next).await;
    let response = gate.finish(answer.unwrap_or_else(Problem::into_response), &id);
    let status = response.status();
    let is_refused = status.is_client_error() || status.is_server_error();
    // Who waits for leave to send has sent nothing; who is late sends nothing more.
    if is_refused && !body.is_complete() && !waits && status != StatusCode::REQUEST_TIMEOUT {
        body.drain().await;
    }
    let route = route.as_ref().map_or("other", MatchedPath::as_str).to_owned();
    gate.count(Asked { method, route, status: response.status().as_u16() }, began);
    response
}

async fn authorise(State(gate): State<Gate>, request: Request, next: Next) -> Response {
    let Setup { token, key, cookie, .. } = &gate.0.setup;
    let is_known = |token: &Token| token.is_in(request.headers(), *key, cookie.as_deref());
    if token.as_ref().is_none_or(is_known) {
        return gate.turn(request, next).await.unwrap_or_else(Problem::into_response);
    }
    Problem::unauthorised("the token is missing or another one").into_response()
}

/// What a part that knows nothing of problems answered: an error without a body of its own.
fn bare(response: &Response) -> Option<Problem> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_bare = kind.is_none_or(|kind| kind.starts_with("text/plain"));
    let is_error = status.is_client_error() || status.is_server_error();
    (is_error && is_bare).then(|| {
        let allowed = response.headers().get(ALLOW).cloned();
        let headers: HeaderMap = allowed.into_iter().map(|value| (ALLOW, value)).collect();
        Problem::of_status(status, headers)
    })
}

fn late() -> Problem {
    let why = "the body was not there in time";
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body-late", why)
}

/// A handler that panicked; its words may hold anything, so they are only logged as far as they are fixed.
fn failed(panic: &(dyn Any + Send)) -> Problem {
    let words = panic.downcast_ref::<&'static str>().copied().unwrap_or("a panic");
    tracing::error!(words, "a handler failed");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the server failed at this request")
}

/// A method as a label; clients may invent others.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
