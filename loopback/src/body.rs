//! Bodies: how long they may be, and what they may hold.
//!
//! In: a request's body. Out: the same, which ends with an error at its limit. Never: keeps a body.

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use http_body_util::BodyExt;

use crate::problem::Problem;

/// A client that still writes when its connection ends may never see the answer. So what is left of the body of a refused request
/// is read, up to here.
const MAX_DRAINED_BYTES: usize = 128 << 20;
const DRAIN_TIME: Duration = Duration::from_secs(2);

/// A body has more bytes than the server takes.
#[derive(Debug)]
pub(crate) struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body is longer than the server takes")
    }
}

impl Error for TooLong {}

/// A request's body, which both a handler and the gate behind it may read.
#[derive(Clone)]
pub(crate) struct Shared {
    body: Arc<Mutex<Body>>,
    complete: Arc<AtomicBool>,
}

impl Shared {
    pub(crate) fn new(body: Body) -> Self {
        let complete = Arc::new(AtomicBool::new(body.is_end_stream()));
        Self { body: Arc::new(Mutex::new(body)), complete }
    }

    /// Whether it has been read to its end, or had none.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete.load(Ordering::Relaxed)
    }

    /// The body for a handler: it ends with [`TooLong`] at its limit.
    pub(crate) fn limited(&self, most: usize) -> Body {
        Body::new(Limited { body: self.clone(), left: most })
    }

    /// Reads what is left, as long as that is bearable.
    pub(crate) async fn drain(&self) {
        let mut left = MAX_DRAINED_BYTES;
        let read = async {
            while let Some(Ok(frame)) = poll_fn(|context| self.poll(context)).await {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                let Some(less) = left.checked_sub(bytes) else { return };
                left = less;
            }
        };
        let _ = tokio::time::timeout(DRAIN_TIME, read).await;
    }

    fn poll(&self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        // A body that panicked is at its end.
        let mut body = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        let polled = ready!(Pin::new(&mut *body).poll_frame(context));
        if polled.as_ref().is_none_or(Result::is_err) || body.is_end_stream() {
            self.complete.store(true, Ordering::Relaxed);
        }
        Poll::Ready(polled)
    }
}

struct Limited {
    body: Shared,
    left: usize,
}

impl HttpBody for Limited {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = ready!(self.body.poll(context));
        let bytes = polled.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref());
        match self.left.checked_sub(bytes.map_or(0, Bytes::len)) {
            Some(left) => {
                self.left = left;
                Poll::Ready(polled)
            }
            None => Poll::Ready(Some(Err(axum::Error::new(TooLong)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_complete()
    }
}

/// Reads a body whole.
///
/// # Errors
/// 413 at the limit of the gate, 400 when the client ends it too early.
pub async fn read(body: Body) -> Result<Bytes, Problem> {
    body.collect().await.map(|body| body.to_bytes()).map_err(broken)
}

/// Why a body cannot be read on: 413 at the limit of the gate, 400 when the client ended it too early.
pub fn broken(error: axum::Error) -> Problem {
    if is_too_long(&error) {
        return Problem::too_large();
    }
    Problem::new(StatusCode::BAD_REQUEST, "body-broken", "the body ends before its end")
}

/// Whether the cause of an error is that a body was too long.
fn is_too_long(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<TooLong>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The length that a request says its body has.
pub(crate) fn said_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Whether a request says that its body is of one of these media types, or has none where none is needed.
///
/// A form of a foreign page can send only three types, of which none is JSON.
pub(crate) fn is_of(kinds: &[&str], method: &Method, headers: &HeaderMap) -> bool {
    let mut said = headers.get_all(CONTENT_TYPE).iter();
    let is_known = |value: &axum::http::HeaderValue| {
        let value = value.to_str().unwrap_or_default();
        let kind = value.split(';').next().unwrap_or_default().trim();
        kinds.iter().any(|known| known.eq_ignore_ascii_case(kind))
    };
    let has_body = headers.contains_key(TRANSFER_ENCODING)
        || said_length(headers).is_some_and(|length| length > 0);
    match (said.next(), said.next()) {
        (Some(only), None) => !takes_body(method) || is_known(only),
        (None, _) => !has_body,
        (Some(_), Some(_)) => false,
    }
}

fn takes_body(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
