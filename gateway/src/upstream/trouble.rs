//! What may be in the way of an answer, and whether it is worth another try.
//!
//! In: errors of connections, responses with an error status. Out: [`Trouble`]. Never: a key; what a provider says about a key is
//! not told, since it often quotes it.

use std::time::{Duration, SystemTime};

use axum::http::{HeaderMap, Response, header};
use hyper::body::Incoming;
use hyper_util::client::legacy::Error;
use promptweave_wire::{Failure, FailureKind, failure};

use super::begun::collected;
use crate::config::Upstream;
use crate::refusal::{Refusal, Tried};
use crate::secret::Secret;

/// What was in the way of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) failure: Failure,
    /// A word for logs and metrics.
    pub(crate) reason: &'static str,
    pub(crate) again: Again,
    /// How long the provider wants us to wait.
    pub(crate) wait: Option<Duration>,
}

/// Whether another try may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Again {
    Maybe,
    Never,
}

/// How much of an error is read, in bytes.
const MAX_ERROR_BYTES: usize = 64 << 10;

impl Trouble {
    fn new(kind: FailureKind, message: String, reason: &'static str, again: Again) -> Self {
        Self { failure: Failure { kind, message }, reason, again, wait: None }
    }

    /// There was no connection, or it broke.
    pub(super) fn connection(upstream: &str, error: &Error) -> Self {
        let (what, reason) = if error.is_connect() {
            ("cannot be reached", "connect")
        } else {
            ("closed the connection before it answered", "cut")
        };
        let message = format!("upstream `{upstream}` {what}");
        Self::new(FailureKind::Api, message, reason, Again::Maybe)
    }

    /// The connection broke while the answer came.
    pub(super) fn cut(upstream: &str) -> Self {
        let message = format!("upstream `{upstream}` closed the connection within its answer");
        Self::new(FailureKind::Api, message, "cut", Again::Maybe)
    }

    /// It took too long. Whoever waited as long as that does not want to wait once more.
    pub(super) fn slow(upstream: &str, what: &str) -> Self {
        let message = format!("upstream `{upstream}` {what} in time");
        Self::new(FailureKind::Timeout, message, "timeout", Again::Never)
    }

    /// The answer is too long.
    pub(super) fn endless(upstream: &str, limit: usize) -> Self {
        let message = format!("the answer of upstream `{upstream}` is longer than {limit} bytes");
        Self::new(FailureKind::Api, message, "endless", Again::Never)
    }

    /// The key cannot be read.
    pub(super) fn keyless(upstream: &Upstream) -> Self {
        tracing::error!(upstream = upstream.name, "a key cannot be read, or is no header's value");
        let message = format!("the gateway has no key for upstream `{}`", upstream.name);
        Self::new(FailureKind::Api, message, "key", Again::Never)
    }

    /// The answer says that it failed.
    pub(crate) fn of(failure: Failure) -> Self {
        let again = match failure.kind {
            FailureKind::RateLimit
            | FailureKind::Overloaded
            | FailureKind::Api
            | FailureKind::Timeout => Again::Maybe,
            FailureKind::InvalidRequest
            | FailureKind::Authentication
            | FailureKind::Billing
            | FailureKind::Permission
            | FailureKind::NotFound
            | FailureKind::TooLarge => Again::Never,
        };
        Self { reason: failure.kind.as_str(), failure, again, wait: None }
    }

    /// What the client is told.
    pub(crate) fn refusal(self) -> Refusal {
        let mut refusal = Refusal::of(self.failure);
        refusal.tried = Tried::Enough;
        refusal.retry_after = self.wait.map(|wait| wait.as_secs_f64().ceil() as u64);
        refusal
    }
}

/// A failure as an upstream tells it, without the keys that it may repeat.
pub(crate) fn without_keys(failure: Failure, upstream: &str, keys: &[Secret]) -> Failure {
    let message = match failure.kind {
        FailureKind::Authentication => format!("upstream `{upstream}` refuses the gateway's key"),
        _ => failure.message,
    };
    let message = keys.iter().fold(message, |message, key| key.hidden_in(&message));
    Failure { message, ..failure }
}

/// What a response with an error status says.
pub(super) async fn told(
    response: Response<Incoming>,
    upstream: &Upstream,
    keys: &[Secret],
) -> Trouble {
    let (head, body) = response.into_parts();
    let limits = (upstream.timeouts.idle, MAX_ERROR_BYTES);
    // What it says beyond its status may be cut.
    let body = collected(body, &upstream.name, limits).await.unwrap_or_default();
    let failure = failure(head.status.as_u16(), &body);
    let mut trouble = Trouble::of(without_keys(failure, &upstream.name, keys));
    trouble.wait = wait(&head.headers);
    if says_never(&head.headers) {
        trouble.again = Again::Never;
    }
    trouble
}

/// Whether the provider says that another try is of no use, as Anthropic's API does.
fn says_never(headers: &HeaderMap) -> bool {
    headers.get("x-should-retry").is_some_and(|value| value == "false")
}

/// How long the provider wants us to wait: `retry-after-ms`, or `retry-after` in seconds or as a date.
fn wait(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let seconds = |text: &str| {
        let seconds = text.trim().parse::<f64>().ok()?;
        Duration::try_from_secs_f64(seconds).ok()
    };
    let exact = text("retry-after-ms").and_then(seconds).map(|wait| wait / 1000);
    exact.or_else(|| {
        let text = text(header::RETRY_AFTER.as_str())?;
        seconds(text).or_else(|| {
            let date = httpdate::parse_http_date(text).ok()?;
            Some(date.duration_since(SystemTime::now()).unwrap_or_default())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_in_all_their_forms() {
        let of = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            wait(&headers)
        };
        assert_eq!(of("retry-after", "2"), Some(Duration::from_secs(2)));
        assert_eq!(of("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(of("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(of("retry-after", "soon"), None);
        assert_eq!(of("retry-after", "-1"), None);
    }
}
