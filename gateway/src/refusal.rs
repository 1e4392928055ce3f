//! What a client is told instead of an answer.
//!
//! In: a failure in the words of Anthropic's API. Out: a response with the status that goes with it. Never: a key, or text of a
//! request.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use promptweave_loopback::{Problem, RequestId};
use promptweave_wire::{Failure, FailureKind};
use serde_json::Value as Json;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) failure: Failure,
    /// After how many seconds to ask again, where somebody said.
    pub(crate) retry_after: Option<u64>,
    /// The status, where it is not the one that goes with the failure.
    pub(crate) status: Option<StatusCode>,
    /// Whether the gateway tried again in vain, so that its client need not.
    pub(crate) tried: Tried,
}

/// Whether the gateway tried as often as it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tried {
    /// The client may try by itself.
    No,
    /// More of the same would be of no use.
    Enough,
}

/// A refusal, or a problem of the gate that leads here.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    Refusal(Refusal),
    Problem(Problem),
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self::Refusal(refusal)
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl Refused {
    /// The response to the request of this id.
    pub(crate) fn response(self, id: &str) -> Response {
        match self {
            Self::Refusal(refusal) => refusal.response(id),
            Self::Problem(problem) => problem.into_response(),
        }
    }
}

/// The id of a request, as Anthropic's API would write it.
pub(crate) fn named(id: &RequestId) -> String {
    format!("req_{id}")
}

/// A problem of the gate in the form of Anthropic's API.
pub(crate) fn shape(problem: &Problem, id: &RequestId) -> (&'static str, String) {
    let kind = FailureKind::of_status(problem.status.as_u16());
    let help = problem.help.iter().map(|help| format!("; {help}"));
    let message = help.fold(problem.detail.clone(), |told, help| told + &help);
    ("application/json", json(&Failure { kind, message }, &named(id)).to_string())
}

/// Read by the official libraries.
const SHOULD_RETRY: &str = "x-should-retry";

impl Refusal {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self::of(Failure { kind, message: message.into() })
    }

    pub(crate) fn of(failure: Failure) -> Self {
        Self { failure, retry_after: None, status: None, tried: Tried::No }
    }

    /// The same, and another try is of no use.
    pub(crate) fn final_with(self, status: StatusCode) -> Self {
        Self { status: Some(status), tried: Tried::Enough, ..self }
    }

    /// The status that it is told with.
    pub(crate) fn status(&self) -> StatusCode {
        let its = FailureKind::ALL.iter().find(|(kind, _)| *kind == self.failure.kind);
        let its = its.and_then(|(_, status)| StatusCode::from_u16(*status).ok());
        self.status.or(its).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// The response to the request of this id.
    fn response(self, id: &str) -> Response {
        let body = json(&self.failure, id).to_string();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.tried == Tried::Enough {
            headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        response
    }
}

/// A failure as Anthropic's API tells it.
pub(crate) fn json(failure: &Failure, id: &str) -> Json {
    let mut told = failure.to_json();
    told["request_id"] = id.into();
    told
}
