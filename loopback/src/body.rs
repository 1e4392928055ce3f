//! Bodies: how long they may be, and what they may hold.
//!
//! In: a request's body. Out: the same, which ends with an error at its limit, or where all bodies are too much. Never: keeps a body.

use std::error::Error;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use axum::http::{HeaderMap, Method, StatusCode};
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame};
use http_body_util::{BodyExt, LengthLimitError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

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

/// There is no room for the bytes of another body.
#[derive(Debug)]
pub(crate) struct NoRoom;

impl fmt::Display for NoRoom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many bytes of bodies are there at a time")
    }
}

impl Error for NoRoom {}

/// Room for the bytes of all bodies of a server.
#[derive(Clone, Debug)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))))
    }

    fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(bytes).ok()?;
        Arc::clone(&self.0).try_acquire_many_owned(bytes).ok()
    }
}

/// A request's body, which both a handler and the gate behind it may read.
#[derive(Clone)]
pub(crate) struct Shared(Arc<Inner>);

struct Inner {
    body: Mutex<Body>,
    complete: AtomicBool,
    /// For all that a handler read of it, until its request is answered.
    taken: Mutex<Option<OwnedSemaphorePermit>>,
}

impl Shared {
    pub(crate) fn new(body: Body) -> Self {
        let complete = AtomicBool::new(body.is_end_stream());
        Self(Arc::new(Inner { body: Mutex::new(body), complete, taken: Mutex::default() }))
    }

    /// Whether it has been read to its end, or had none.
    pub(crate) fn is_complete(&self) -> bool {
        self.0.complete.load(Ordering::Relaxed)
    }

    /// The body for a handler: it ends with [`TooLong`] at its limit, and with [`NoRoom`] where all bodies together have too many bytes.
    pub(crate) fn limited(&self, most: usize, room: &Room) -> Body {
        Body::new(Limited { body: self.clone(), left: most, room: room.clone() })
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
        let mut body = self.0.body.lock().unwrap_or_else(PoisonError::into_inner);
        let polled = ready!(Pin::new(&mut *body).poll_frame(context));
        if polled.as_ref().is_none_or(Result::is_err) || body.is_end_stream() {
            self.0.complete.store(true, Ordering::Relaxed);
        }
        Poll::Ready(polled)
    }
}

struct Limited {
    body: Shared,
    left: usize,
    room: Room,
}

impl Limited {
    /// Counts bytes that came.
    fn count(&mut self, bytes: usize) -> Result<(), axum::Error> {
        self.left = self.left.checked_sub(bytes).ok_or_else(|| axum::Error::new(TooLong))?;
        let more = self.room.take(bytes).ok_or_else(|| axum::Error::new(NoRoom))?;
        let mut taken = self.body.0.taken.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut *taken {
            Some(all) => all.merge(more),
            none => *none = Some(more),
        }
        Ok(())
    }
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
        let counted = self.count(bytes.map_or(0, Bytes::len));
        Poll::Ready(counted.map_or_else(|error| Some(Err(error)), |()| polled))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_complete()
    }
}

/// Reads a body whole.
///
/// # Errors
/// As of [`broken`].
pub async fn read(body: Body) -> Result<Bytes, Problem> {
    body.collect().await.map(|body| body.to_bytes()).map_err(broken)
}

/// The same for a body that is small: 413 for one of more bytes.
///
/// # Errors
/// As of [`broken`].
pub async fn read_at_most(body: Body, most: usize) -> Result<Bytes, Problem> {
    read(Body::new(http_body_util::Limited::new(body, most))).await
}

/// Why a body cannot be read on: 413 at a limit, 503 when there is no room for it, 400 when the client ended it too early.
pub fn broken(error: axum::Error) -> Problem {
    if has_cause::<TooLong>(&error) || has_cause::<LengthLimitError>(&error) {
        return Problem::too_large();
    }
    if has_cause::<NoRoom>(&error) {
        return Problem::overloaded("the bodies of all requests have too many bytes");
    }
    Problem::new(StatusCode::BAD_REQUEST, "body-broken", "the body ends before its end")
}

fn has_cause<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<E>() {
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
    let has_body = headers.contains_key(TRANSFER_ENCODING)
        || said_length(headers).is_some_and(|length| length > 0);
    match (said.next(), said.next()) {
        (Some(_), None) => !takes_body(method) || is_one_of(kinds, headers),
        (None, _) => !has_body,
        (Some(_), Some(_)) => false,
    }
}

/// Whether a request says that its body is of one of these media types.
pub(crate) fn is_one_of(kinds: &[&str], headers: &HeaderMap) -> bool {
    let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let kind = said.split(';').next().unwrap_or_default().trim();
    kinds.iter().any(|known| known.eq_ignore_ascii_case(kind))
}

/// Whether a request says that its body is packed, which no handler unpacks.
pub(crate) fn is_encoded(headers: &HeaderMap) -> bool {
    let said = headers.get_all(CONTENT_ENCODING).iter();
    let mut codings = said.flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| !coding.trim_ascii().eq_ignore_ascii_case(b"identity"))
}

fn takes_body(method: &Method) -> bool {
    !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}
