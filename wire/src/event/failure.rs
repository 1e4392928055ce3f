//! Failures in the words of Anthropic's API.
//!
//! In: a kind and a message. Out: JSON. Never: a key or a header.

use serde_json::{Value as Json, json};

/// Why there is no answer, or no whole one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure.
    pub kind: FailureKind,
    /// The provider's words, or ours.
    pub message: String,
}

impl Failure {
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// Anthropic's `{type: "error", error: {type, message}}`.
    pub fn to_json(&self) -> Json {
        let error = json!({ "type": self.kind.as_str(), "message": self.message });
        json!({ "type": "error", "error": error })
    }
}

/// The kinds of errors of Anthropic's API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// 400.
    InvalidRequest,
    /// 401.
    Authentication,
    /// 402.
    Billing,
    /// 403.
    Permission,
    /// 404.
    NotFound,
    /// 413.
    TooLarge,
    /// 429.
    RateLimit,
    /// 500, and whatever has no other kind.
    Api,
    /// 504.
    Timeout,
    /// 529.
    Overloaded,
}

impl FailureKind {
    /// All of them, with the HTTP status that goes with each.
    pub const ALL: &[(Self, u16)] = &[
        (Self::InvalidRequest, 400),
        (Self::Authentication, 401),
        (Self::Billing, 402),
        (Self::Permission, 403),
        (Self::NotFound, 404),
        (Self::TooLarge, 413),
        (Self::RateLimit, 429),
        (Self::Api, 500),
        (Self::Timeout, 504),
        (Self::Overloaded, 529),
    ];

    /// Anthropic's name, e.g. `rate_limit_error`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request_error",
            Self::Authentication => "authentication_error",
            Self::Billing => "billing_error",
            Self::Permission => "permission_error",
            Self::NotFound => "not_found_error",
            Self::TooLarge => "request_too_large",
            Self::RateLimit => "rate_limit_error",
            Self::Api => "api_error",
            Self::Timeout => "timeout_error",
            Self::Overloaded => "overloaded_error",
        }
    }

    /// The kind that goes with an HTTP status.
    pub fn of_status(status: u16) -> Self {
        let exact = Self::ALL.iter().find(|(_, its)| *its == status).map(|(kind, _)| *kind);
        exact.unwrap_or(match status {
            408 => Self::Timeout,
            503 => Self::Overloaded,
            400..=499 => Self::InvalidRequest,
            _ => Self::Api,
        })
    }
}
