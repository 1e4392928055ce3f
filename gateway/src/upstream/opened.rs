//! A response that has begun: what its body is, and how long it may take.
//!
//! In: a response of an upstream. Out: its bytes in time, and what they look like. Never: more than a limit held, or longer waited.

use std::time::Duration;

use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::Trouble;
use crate::config::Upstream;
use crate::secret::Secret;

/// A response whose head is there.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) body: Incoming,
    pub(crate) headers: HeaderMap,
    /// The keys that the request carried: nothing that the answer says beside the model's words may repeat them.
    pub(crate) keys: Vec<Secret>,
    /// When the request was sent.
    pub(crate) begun: Instant,
}

/// A moment, and a time after it.
pub(crate) fn after(moment: Instant, time: Duration) -> Instant {
    moment.checked_add(time).unwrap_or(moment + FOR_EVER)
}

/// Nobody waits for longer.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// What the bytes of an answer look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Looks {
    /// Events, of whatever kind.
    Events,
    /// A JSON value.
    Json,
    /// A page of HTML or XML.
    Page,
    /// Compressed, though nobody asked for that.
    Compressed,
}

/// What a gzip file begins with.
const GZIP: &[u8] = &[0x1f, 0x8b];

impl Opened {
    /// The next bytes of the body, until then at most; none at its end.
    pub(crate) async fn next(
        &mut self,
        upstream: &Upstream,
        until: Instant,
    ) -> Result<Option<Bytes>, Trouble> {
        let name = &upstream.name;
        loop {
            let idle = after(Instant::now(), upstream.timeouts.idle);
            let frame = timeout_at(until.min(idle), self.body.frame()).await;
            match frame.map_err(|_| Trouble::slow(name, "did not go on with its answer"))? {
                None => return Ok(None),
                Some(Err(_)) => return Err(Trouble::cut(name)),
                Some(Ok(frame)) => match frame.into_data() {
                    // A firehose is always ready: time passes all the same.
                    Ok(_) if Instant::now() >= until => {
                        return Err(Trouble::slow(name, "did not end its answer"));
                    }
                    Ok(bytes) => return Ok(Some(bytes)),
                    Err(_) => {}
                },
            }
        }
    }

    /// All that is left of the body.
    ///
    /// # Errors
    /// It is longer than the limit in bytes, is cut, or takes too long.
    pub(crate) async fn rest(
        &mut self,
        upstream: &Upstream,
        limit: usize,
    ) -> Result<Bytes, Trouble> {
        let until = self.until(upstream.timeouts.whole);
        let mut held = BytesMut::new();
        while let Some(bytes) = self.next(upstream, until).await? {
            if held.len() + bytes.len() > limit {
                return Err(Trouble::endless(&upstream.name, limit));
            }
            held.extend_from_slice(&bytes);
        }
        Ok(held.freeze())
    }

    /// The end of a time that began with the request.
    pub(crate) fn until(&self, time: Duration) -> Instant {
        after(self.begun, time)
    }

    /// What bytes at the beginning of the body look like; none as long as they are white space.
    pub(crate) fn looks(&self, bytes: &[u8]) -> Option<Looks> {
        let encodings = self.headers.get_all(header::CONTENT_ENCODING);
        if encodings.iter().any(|encoding| encoding != "identity") || bytes.starts_with(GZIP) {
            return Some(Looks::Compressed);
        }
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
        bytes.first().map(|first| match first {
            b'{' | b'[' => Looks::Json,
            b'<' => Looks::Page,
            _ => Looks::Events,
        })
    }
}
