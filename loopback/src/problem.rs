//! Why a request is refused, and how that is written.
//!
//! In: what is wrong. Out: an answer by RFC 9457, or in the form that a server of another API has. Never: the text of a body, a
//! prompt or a value.

use std::borrow::Cow;

use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::{Value as Json, json};

use crate::gate::RequestId;

/// Why a request is refused.
///
/// A handler returns it as its error; the gate writes it, in the server's [`Shape`] and with the request's id.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The status.
    pub status: StatusCode,
    /// A stable name for tools: lower case, with `-`.
    pub code: Cow<'static, str>,
    /// What is wrong with this request: lower case, no full stop.
    pub detail: String,
    /// Where, as JSON.
    pub origin: Option<Json>,
    /// What to do about it.
    pub help: Option<String>,
    /// Headers that the status asks for; boxed since errors should be small.
    headers: Box<HeaderMap>,
}

impl Problem {
    /// A problem with a name and a sentence.
    pub fn new(
        status: StatusCode,
        code: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Self {
        let headers = Box::default();
        Self { status, code: code.into(), detail: detail.into(), origin: None, help: None, headers }
    }

    /// The same with a help line.
    #[must_use]
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }

    /// The same with a place.
    #[must_use]
    pub fn at(self, origin: Json) -> Self {
        Self { origin: Some(origin), ..self }
    }

    /// 503: too much at a time; the client may come again in a second.
    pub fn overloaded(detail: &str) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", detail);
        problem.header(RETRY_AFTER, "1").help("ask again later")
    }

    /// 401: who asks is not known.
    pub fn unauthorised(detail: &str) -> Self {
        let problem = Self::new(StatusCode::UNAUTHORIZED, "unauthorised", detail);
        problem
            .header(WWW_AUTHENTICATE, "Bearer")
            .help("send `Authorization: Bearer` with the token")
    }

    /// 413, and the connection ends: what is left of the body is not read.
    pub(crate) fn too_large() -> Self {
        let detail = "the body has more bytes than this server takes";
        let problem = Self::new(StatusCode::PAYLOAD_TOO_LARGE, "body-too-large", detail);
        problem.header(CONNECTION, "close")
    }

    /// What another part answered with a bare status.
    pub(crate) fn of_status(status: StatusCode, headers: HeaderMap) -> Self {
        let words = status.canonical_reason().unwrap_or("refused").to_ascii_lowercase();
        let code = words.replace(' ', "-");
        Self { headers: Box::new(headers), ..Self::new(status, code, words) }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: &'static str) -> Self {
        self.headers.insert(name, HeaderValue::from_static(value));
        self
    }

    /// The members of RFC 9457; `type` is about:blank, since `code` is the name that tools read.
    pub fn to_json(&self, id: &RequestId) -> Json {
        let mut json = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or("Refused"),
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
            "request_id": id.as_str(),
        });
        if let Some(origin) = &self.origin {
            json["origin"] = origin.clone();
        }
        if let Some(help) = &self.help {
            json["help"] = json!(help);
        }
        json
    }

    /// Writes it.
    pub(crate) fn write(self, shape: Shape, id: &RequestId) -> Response {
        let (kind, body) = shape(&self, id);
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status;
        *response.headers_mut() = *self.headers;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        response
    }
}

/// How problems are written: the content type and the body.
pub type Shape = fn(&Problem, &RequestId) -> (&'static str, String);

/// `application/problem+json`.
pub fn rfc9457(problem: &Problem, id: &RequestId) -> (&'static str, String) {
    ("application/problem+json", problem.to_json(id).to_string())
}

/// A bare status that carries the problem to the gate.
impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}
