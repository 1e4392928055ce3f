//! Stands before the service that speaks streamable HTTP.
//!
//! In: requests that the gate let pass. Out: those that the service answers as the protocol says; all others are refused here, with a
//! reason. Never: answers a request of the protocol itself.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use promptweave_loopback::{Gate, Problem, read};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use crate::message::{self, Heard, Refused};

/// Names a session, in requests and in the answer to `initialize`.
const SESSION: &str = "mcp-session-id";
/// Clients at a time; more is 503.
const MAX_SESSIONS: usize = 256;
/// Bytes of a reason that the service gives.
const MAX_REASON: usize = 4 << 10;

/// Stands before the service. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Guard {
    gate: Gate,
    sessions: Arc<LocalSessionManager>,
    asked: Asked,
}

impl Guard {
    pub(crate) fn new(gate: &Gate, sessions: Arc<LocalSessionManager>) -> Self {
        Self { gate: gate.clone(), sessions, asked: Asked::default() }
    }

    /// Puts it before these routes.
    pub(crate) fn before(self, routes: Router) -> Router {
        routes.route_layer(middleware::from_fn_with_state(self, guard))
    }

    async fn get(&self, request: Request, next: Next) -> Result<Response, Problem> {
        // Only this kind of stream stays open for as long as its client likes.
        let place = self.gate.streams().open()?;
        Ok(keep(place, next.run(request).await))
    }

    async fn delete(&self, request: Request, next: Next) -> Result<Response, Problem> {
        match session(request.headers()) {
            Some(named) if !self.sessions.sessions.read().await.contains_key(named) => {
                Err(problem(StatusCode::NOT_FOUND, "Session not found"))
            }
            _ => Ok(next.run(request).await),
        }
    }

    async fn post(&self, request: Request, next: Next) -> Result<Response, Problem> {
        let (head, body) = request.into_parts();
        let bytes = read(body).await?;
        let message = match message::read(&bytes) {
            Ok(Heard::Message(message)) => message,
            Ok(Heard::Nothing) => return Ok(StatusCode::ACCEPTED.into_response()),
            Err(refused) => return Ok(refuse(&refused)),
        };
        let named = session(&head.headers);
        let mut asked = None;
        if let ClientJsonRpcMessage::Request(request) = *message {
            match (named, request.request) {
                (None, ClientRequest::InitializeRequest(_)) => self.another_client().await?,
                (None, _) => {}
                (Some(named), _) => match self.asked.add(named, request.id) {
                    Ok(one) => asked = Some(one),
                    Err(refused) => return Ok(refuse(&refused)),
                },
            }
        }
        // The service reads it once more, and in fewer ways.
        let body = message::plain(&bytes).map_or_else(|_| Body::from(bytes), Body::from);
        let response = next.run(Request::from_parts(head, body)).await;
        Ok(keep(asked, response))
    }

    async fn another_client(&self) -> Result<(), Problem> {
        match self.sessions.sessions.read().await.len() {
            MAX_SESSIONS.. => Err(Problem::overloaded("there are as many clients as there may be")),
            _ => Ok(()),
        }
    }
}

async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let answer = match *request.method() {
        Method::GET => guard.get(request, next).await,
        Method::POST => guard.post(request, next).await,
        Method::DELETE => guard.delete(request, next).await,
        _ => Ok(next.run(request).await),
    };
    match answer {
        Ok(response) => reasoned(response).await,
        Err(problem) => problem.into_response(),
    }
}

/// The requests of all sessions that are worked on.
#[derive(Clone, Default)]
struct Asked(Arc<Mutex<HashSet<(String, RequestId)>>>);

/// One of them, until it is dropped.
struct AskedOne(Asked, (String, RequestId));

impl Asked {
    fn add(&self, session: &str, id: RequestId) -> Result<AskedOne, Refused> {
        let one = (session.to_owned(), id);
        let is_new = self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(one.clone());
        match is_new {
            true => Ok(AskedOne(self.clone(), one)),
            false => Err(Refused::repeated(one.1.into_json_value())),
        }
    }
}

impl Drop for AskedOne {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.1);
    }
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// The same answer; what it needs lives until it is sent or nobody reads it.
fn keep<T: Send + 'static>(needs: T, response: Response) -> Response {
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |part| {
            let _needs = &needs;
            part
        }))
    })
}

/// 400, with an error of JSON-RPC.
fn refuse(why: &Refused) -> Response {
    let kind = [(CONTENT_TYPE, "application/json")];
    (StatusCode::BAD_REQUEST, kind, why.to_json().to_string()).into_response()
}

/// The service gives its reasons as texts without a type, which the gate would take for a bare status.
async fn reasoned(response: Response) -> Response {
    let status = response.status();
    if !status.is_client_error() || response.headers().contains_key(CONTENT_TYPE) {
        return response;
    }
    let (head, body) = response.into_parts();
    let text = to_bytes(body, MAX_REASON).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    match text.split_once(": ") {
        Some((_, reason)) => problem(status, reason).into_response(),
        None => Response::from_parts(head, Body::empty()),
    }
}

fn problem(status: StatusCode, reason: &str) -> Problem {
    let code = status.canonical_reason().unwrap_or("refused").to_ascii_lowercase();
    let mut detail = reason.to_owned();
    if let Some(first) = detail.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let problem = Problem::new(status, code.replace(' ', "-"), detail);
    match status {
        StatusCode::NOT_FOUND => problem.help("begin a session with `initialize`"),
        StatusCode::BAD_REQUEST if reason.starts_with("Session ID") => problem
            .help("begin a session with `initialize`, and send the `Mcp-Session-Id` of its answer"),
        _ => problem,
    }
}
