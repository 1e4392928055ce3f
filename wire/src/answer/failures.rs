//! Errors as providers write them.
//!
//! In: a body, or an event. Out: [`Failure`]. Never: a key or a header.

use serde_json::Value as Json;

use super::text;
use crate::event::{Failure, FailureKind};

/// Words that stand in the code, status or type of an error, and what they mean. The first that fits counts.
pub(crate) const WORDS: &[(&str, FailureKind)] = &[
    ("overloaded", FailureKind::Overloaded),
    ("unavailable", FailureKind::Overloaded),
    ("slow_down", FailureKind::Overloaded),
    ("rate_limit", FailureKind::RateLimit),
    ("throttling", FailureKind::RateLimit),
    ("resource_exhausted", FailureKind::RateLimit),
    ("too_many_requests", FailureKind::RateLimit),
    ("quota", FailureKind::Billing),
    ("billing", FailureKind::Billing),
    ("unauthenticated", FailureKind::Authentication),
    ("authentication", FailureKind::Authentication),
    ("invalid_api_key", FailureKind::Authentication),
    ("permission", FailureKind::Permission),
    ("accessdenied", FailureKind::Permission),
    ("not_found", FailureKind::NotFound),
    ("resourcenotfound", FailureKind::NotFound),
    ("too_large", FailureKind::TooLarge),
    ("timeout", FailureKind::Timeout),
    ("deadline", FailureKind::Timeout),
    ("context_length", FailureKind::InvalidRequest),
    ("invalid", FailureKind::InvalidRequest),
    ("validation", FailureKind::InvalidRequest),
    ("failed_precondition", FailureKind::InvalidRequest),
];

/// The error of a body: `{error: {…}}`, `{error: "…"}`, `{message: …}`, or the error itself. `status` is that of the answer, if
/// it has one of its own.
pub(crate) fn failure(body: &Json, status: Option<u16>) -> Failure {
    let error = match body.get("error") {
        Some(Json::Null) | None => body,
        Some(error) => error,
    };
    let told = match error {
        Json::String(words) => Some(words.as_str()),
        error => ["message", "Message", "detail", "msg"].iter().find_map(|key| text(error, key)),
    };
    let numbered = |key: &str| {
        let number = error.get(key).and_then(Json::as_u64).filter(|code| (400..600).contains(code));
        number.and_then(|code| u16::try_from(code).ok())
    };
    let words: String = ["status", "code", "type", "__type"]
        .iter()
        .filter_map(|key| text(error, key))
        .map(|word| word.to_ascii_lowercase() + " ")
        .collect();
    let worded = WORDS.iter().find(|(word, _)| words.contains(word)).map(|(_, kind)| *kind);
    let status = status.or_else(|| numbered("code")).or_else(|| numbered("status"));
    // Statuses such as 400 say less than the words do, others more than nothing.
    let kind = worded.or_else(|| status.map(FailureKind::of_status)).unwrap_or(FailureKind::Api);
    let message = told.filter(|told| !told.is_empty()).unwrap_or("the provider failed");
    Failure::new(kind, message)
}
