//! What may be in the way of an answer, and whether it is worth another try.
//!
//! In: errors of connections, responses with an error status. Out: [`Trouble`]. Never: a key; what a provider says about a key is
//! not told, since it often quotes it.

use std::time::{Duration, SystemTime};

use axum::http::{HeaderMap, StatusCode, header};
use hyper_util::client::legacy::Error;
use promptweave_wire::{Failure, FailureKind, failure};
use serde_json::Value as Json;
use tokio::time::timeout;

use super::opened::Opened;
use crate::config::Upstream;
use crate::refusal::{Refusal, Tried};
use crate::secret::Secret;

/// What was in the way of an answer.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) failure: Failure,
    /// The status, where it is not the one that goes with the failure.
    status: Option<StatusCode>,
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
/// How long that may take.
const ERROR_TIME: Duration = Duration::from_secs(10);

impl Trouble {
    fn new(kind: FailureKind, message: String, reason: &'static str, again: Again) -> Self {
        Self { failure: Failure { kind, message }, status: None, reason, again, wait: None }
    }

    /// The upstream is not there, or makes no sense: it says nothing of its own that could be told.
    fn gateway(message: String, reason: &'static str, again: Again) -> Self {
        let status = Some(StatusCode::BAD_GATEWAY);
        Self { status, ..Self::new(FailureKind::Api, message, reason, again) }
    }

    /// There was no connection, or it broke.
    pub(super) fn connection(upstream: &str, error: &Error) -> Self {
        let (what, reason) = if error.is_connect() {
            ("cannot be reached", "connect")
        } else {
            ("closed the connection before it answered", "cut")
        };
        Self::gateway(format!("upstream `{upstream}` {what}"), reason, Again::Maybe)
    }

    /// It leads elsewhere. The key would go there too.
    pub(super) fn redirected(upstream: &str, status: StatusCode) -> Self {
        let status = status.as_u16();
        let message = format!(
            "upstream `{upstream}` redirects with status {status}, and redirects are not followed"
        );
        Self::gateway(message, "redirect", Again::Never)
    }

    /// It answers with something that is no answer.
    pub(crate) fn senseless(upstream: &str, what: &str) -> Self {
        Self::gateway(
            format!("upstream `{upstream}` answered with {what}"),
            "senseless",
            Again::Never,
        )
    }

    /// An answer that came whole is none, or not all of it is there.
    pub(crate) fn unread(upstream: &str) -> Self {
        let message = format!("the answer of upstream `{upstream}` is not JSON, or cut");
        Self::gateway(message, "senseless", Again::Maybe)
    }

    /// An answer that came whole is the failure that it tells, or no answer at all.
    pub(crate) fn first(
        failure: &Failure,
        answer: &Json,
        upstream: &Upstream,
        keys: &[Secret],
    ) -> Self {
        let failure = without_keys(failure.clone(), &upstream.name, keys);
        match failure.kind {
            FailureKind::Api if !tells(answer) => {
                let what = format!("JSON that is no answer: {}", failure.message);
                Self::senseless(&upstream.name, &what)
            }
            _ => Self::of(failure),
        }
    }

    /// The connection broke while the answer came.
    pub(super) fn cut(upstream: &str) -> Self {
        let message = format!("upstream `{upstream}` closed the connection within its answer");
        Self::gateway(message, "cut", Again::Maybe)
    }

    /// It took too long. Whoever waited as long as that does not want to wait once more.
    pub(super) fn slow(upstream: &str, what: &str) -> Self {
        let message = format!("upstream `{upstream}` {what} in time");
        Self::new(FailureKind::Timeout, message, "timeout", Again::Never)
    }

    /// The answer is too long.
    pub(super) fn endless(upstream: &str, limit: usize) -> Self {
        let message = format!("the answer of upstream `{upstream}` is longer than {limit} bytes");
        Self::gateway(message, "endless", Again::Never)
    }

    /// The key cannot be had. The file of a key is told to whoever runs the gateway, and to nobody else.
    pub(super) fn keyless(upstream: &Upstream, why: &str) -> Self {
        tracing::error!(upstream = upstream.name, why, "there is no key");
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
        let reason = failure.kind.as_str();
        Self { failure, status: None, reason, again, wait: None }
    }

    /// What the client is told.
    pub(crate) fn refusal(self) -> Refusal {
        let mut refusal = Refusal::of(self.failure);
        refusal.status = self.status;
        refusal.tried = Tried::Enough;
        refusal.retry_after = self.wait.map(|wait| wait.as_secs_f64().ceil() as u64);
        refusal
    }
}

/// Whether an answer tells an error, and is not just one that nobody can read.
fn tells(answer: &Json) -> bool {
    let answer = answer.as_array().and_then(|answers| answers.first()).unwrap_or(answer);
    answer.get("error").is_some_and(|error| !error.is_null())
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
pub(super) async fn told(status: StatusCode, mut opened: Opened, upstream: &Upstream) -> Trouble {
    // What it says beyond its status may be cut, or be late.
    let body = timeout(ERROR_TIME, opened.rest(upstream, MAX_ERROR_BYTES)).await;
    let body = body.ok().and_then(Result::ok).unwrap_or_default();
    let failure = failure(status.as_u16(), &body);
    let mut trouble = Trouble::of(without_keys(failure, &upstream.name, &opened.keys));
    trouble.wait = wait(&opened.headers);
    if says_never(&opened.headers) {
        trouble.again = Again::Never;
    }
    if status == StatusCode::LOOP_DETECTED {
        (trouble.status, trouble.again) = (Some(status), Again::Never);
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
