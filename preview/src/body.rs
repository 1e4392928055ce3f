//! Reads what a request says.
//!
//! In: requests. Out: typed values, or a problem. Never: takes JSON for another type, or an unknown name for nothing.

use axum::body::Body;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use promptweave_loopback::{Problem, read, read_at_most};
use serde::de::DeserializeOwned;

use crate::asked::{NoRequest, Object};

const JSON: &str = "application/json";

/// A JSON body, and how many bytes it had.
pub(crate) struct Posted<T>(pub(crate) T, pub(crate) usize);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Posted<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is(request.headers(), JSON) {
            return Err(not_json());
        }
        let (value, bytes) = posted(request.into_body()).await?;
        Ok(Self(value, bytes))
    }
}

/// Reads a JSON body whole.
pub(crate) async fn posted<T: DeserializeOwned>(body: Body) -> Result<(T, usize), Problem> {
    let bytes = read(body).await?;
    Ok((object(&bytes)?, bytes.len()))
}

fn object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let Object(value) = serde_json::from_slice(bytes).map_err(|error| malformed(&error))?;
    Ok(value)
}

/// A JSON body of who need not be known: it is short.
pub(crate) struct Short<T>(pub(crate) T);

/// Bytes of a short body; a token of 4096 characters fits, however they are escaped.
const MAX_SHORT_BYTES: usize = 32 << 10;

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Short<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is(request.headers(), JSON) {
            return Err(not_json());
        }
        object(&read_at_most(request.into_body(), MAX_SHORT_BYTES).await?).map(Self)
    }
}

/// No body, or an object without keys.
pub(crate) struct Nothing;

impl<S: Send + Sync> FromRequest<S> for Nothing {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let is_json = is(request.headers(), JSON);
        let bytes = read_at_most(request.into_body(), MAX_SHORT_BYTES).await?;
        if bytes.is_empty() {
            return Ok(Self);
        }
        if !is_json {
            return Err(not_json());
        }
        object::<NoRequest>(&bytes).map(|NoRequest {}| Self)
    }
}

/// Whether a request says that its body is of this media type.
pub(crate) fn is(headers: &HeaderMap, kind: &str) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|said| said.to_str().ok()).unwrap_or_default();
    said.split(';').next().is_some_and(|said| said.trim().eq_ignore_ascii_case(kind))
}

/// The body is of another type.
pub(crate) fn not_json() -> Problem {
    Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", "the body is not JSON")
        .help("send `Content-Type: application/json`")
}

/// JSON that is broken is 400, JSON that says something else 422.
pub(crate) fn malformed(error: &serde_json::Error) -> Problem {
    match error.classify() {
        serde_json::error::Category::Data => {
            Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "request-invalid", error.to_string())
                .help("`GET /v1/openapi.json` describes what may stand there; packs and plugins are named on the command line of the server alone")
        }
        serde_json::error::Category::Io
        | serde_json::error::Category::Syntax
        | serde_json::error::Category::Eof => {
            let detail = format!("the body is no JSON: {error}");
            Problem::new(StatusCode::BAD_REQUEST, "json-invalid", detail)
        }
    }
}

/// The parts of a path.
pub(crate) struct Named<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found = Path::<T>::from_request_parts(parts, state).await;
        found.map(|Path(named)| Self(named)).map_err(|error| {
            let why = match error {
                PathRejection::FailedToDeserializePathParams(failed) => match failed.into_kind() {
                    ErrorKind::DeserializeError { message, .. } | ErrorKind::Message(message) => {
                        message
                    }
                    other => other.to_string(),
                },
                other => other.body_text(),
            };
            Problem::new(StatusCode::NOT_FOUND, "not-found", why)
        })
    }
}

/// The query of a path.
pub(crate) fn query<T: DeserializeOwned>(parts: &axum::http::Uri) -> Result<T, Problem> {
    let found = Query::<T>::try_from_uri(parts);
    found.map(|Query(query)| query).map_err(|error| {
        let text = error.body_text();
        let why = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "request-invalid", why)
    })
}
