//! The beginning of an answer: as long as nothing of it went to the client, it may be had again.
//!
//! In: a response. Out: a stream with its first events, or the whole body. Never: more than a limit held.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use promptweave_wire::{Answering, Stream, StreamEvent};
use tokio::time::timeout;

use super::attempts::Read;
use super::{Trouble, without_keys};
use crate::config::Upstream;
use crate::secret::Secret;

/// A stream whose first events are there.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) body: Incoming,
    pub(crate) stream: Stream,
    pub(crate) events: Vec<StreamEvent>,
    /// What no event may repeat.
    pub(crate) keys: Vec<Secret>,
}

/// Reads a stream until there is an event; one that begins with a failure is none.
#[derive(Debug)]
pub(crate) struct Begin<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) answering: Answering,
}

impl Read for Begin<'_> {
    type Made = Begun;

    async fn read(&self, mut body: Incoming, keys: Vec<Secret>) -> Result<Begun, Trouble> {
        let Self { upstream, answering } = self;
        let mut stream = Stream::new(upstream.target, answering.clone());
        let mut events = Vec::new();
        while events.is_empty() {
            match next(&mut body, &upstream.name, upstream.timeouts.idle).await? {
                Some(bytes) => events = stream.push(&bytes),
                None => events = stream.finish(),
            }
            events.retain(|event| !matches!(event, StreamEvent::Ping));
        }
        match events.first() {
            Some(StreamEvent::Error(failure)) => {
                Err(Trouble::of(without_keys(failure.clone(), &upstream.name, &keys)))
            }
            _ => Ok(Begun { body, stream, events, keys }),
        }
    }
}

/// The next bytes of a body; none at its end.
async fn next(body: &mut Incoming, name: &str, idle: Duration) -> Result<Option<Bytes>, Trouble> {
    loop {
        let frame = timeout(idle, body.frame()).await;
        match frame.map_err(|_| Trouble::slow(name, "did not go on with its answer"))? {
            None => return Ok(None),
            Some(Err(_)) => return Err(Trouble::cut(name)),
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    return Ok(Some(bytes));
                }
            }
        }
    }
}

/// A whole body.
///
/// # Errors
/// It is longer than the limit in bytes, is cut, or pauses for longer than the limit of time.
pub(crate) async fn collected(
    mut body: Incoming,
    name: &str,
    (idle, limit): (Duration, usize),
) -> Result<Bytes, Trouble> {
    let mut held = BytesMut::new();
    while let Some(bytes) = next(&mut body, name, idle).await? {
        if held.len() + bytes.len() > limit {
            return Err(Trouble::endless(name, limit));
        }
        held.extend_from_slice(&bytes);
    }
    Ok(held.freeze())
}
