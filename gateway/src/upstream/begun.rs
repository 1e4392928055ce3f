//! The beginning of an answer: as long as nothing of it went to the client, it may be had again.
//!
//! In: a response. Out: a stream with its first events. Never: longer waited than `timeouts` says, however much comes that is no event.

use bytes::{Bytes, BytesMut};
use hyper::body::Incoming;
use promptweave_wire::{Answering, Stream, StreamEvent};
use serde_json::Value as Json;
use tokio::time::Instant;

use super::attempts::Read;
use super::opened::{Looks, Opened};
use super::{MAX_ANSWER_BYTES, Trouble, without_keys};
use crate::config::Upstream;
use crate::secret::Secret;

/// A stream whose first events are there.
#[derive(Debug)]
pub(crate) struct Begun {
    /// What is still to come; none where all is there.
    pub(crate) body: Option<Incoming>,
    pub(crate) stream: Stream,
    pub(crate) events: Vec<StreamEvent>,
    /// What no event may repeat.
    pub(crate) keys: Vec<Secret>,
    /// When the answer must be whole.
    pub(crate) until: Instant,
}

/// Reads a stream until there is an event; one that begins with a failure is none.
#[derive(Debug)]
pub(crate) struct Begin<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) answering: Answering,
}

impl Read for Begin<'_> {
    type Made = Begun;

    async fn read(&self, mut opened: Opened) -> Result<Begun, Trouble> {
        let name = &self.upstream.name;
        let first = opened.until(self.upstream.timeouts.first());
        let mut stream = Stream::new(self.upstream.target, self.answering.clone());
        let Some((looks, bytes)) = self.first(&mut opened, first).await? else {
            // An empty answer says so in the words of any other that was cut.
            return Err(told(stream.finish(), self.upstream, &opened.keys));
        };
        match looks {
            Looks::Page => return Err(Trouble::senseless(name, "a page instead of events")),
            Looks::Compressed => return Err(Trouble::senseless(name, "compressed bytes")),
            Looks::Json => return self.whole(opened, bytes, stream).await,
            Looks::Events => {}
        }
        let mut events = stream.push(&bytes);
        loop {
            // A ping begins no answer.
            let begins = events.iter().position(|event| *event != StreamEvent::Ping);
            if let Some(at) = begins {
                events.drain(..at);
                break;
            }
            events = match opened.next(self.upstream, first).await? {
                Some(bytes) => stream.push(&bytes),
                None => stream.finish(),
            };
        }
        if matches!(events.first(), Some(StreamEvent::Error(_))) {
            return Err(told(events, self.upstream, &opened.keys));
        }
        let until = opened.until(self.upstream.timeouts.whole);
        Ok(Begun { body: Some(opened.body), stream, events, keys: opened.keys, until })
    }
}

impl Begin<'_> {
    /// The first bytes that are more than white space, and what they look like; none where the body ends without any.
    async fn first(
        &self,
        opened: &mut Opened,
        until: Instant,
    ) -> Result<Option<(Looks, Bytes)>, Trouble> {
        while let Some(bytes) = opened.next(self.upstream, until).await? {
            if let Some(looks) = opened.looks(&bytes) {
                return Ok(Some((looks, bytes)));
            }
        }
        Ok(None)
    }

    /// An answer that came whole, though a stream was asked for.
    async fn whole(
        &self,
        mut opened: Opened,
        begun: Bytes,
        mut stream: Stream,
    ) -> Result<Begun, Trouble> {
        let rest = opened.rest(self.upstream, MAX_ANSWER_BYTES).await?;
        let mut bytes = BytesMut::from(begun.as_ref());
        bytes.extend_from_slice(&rest);
        let name = &self.upstream.name;
        let json = serde_json::from_slice::<Json>(&bytes);
        let json = json.map_err(|_| Trouble::senseless(name, "neither events nor JSON"))?;
        let events = stream.push_whole(&json);
        if let Some(StreamEvent::Error(failure)) = events.first() {
            return Err(Trouble::first(failure, &json, self.upstream, &opened.keys));
        }
        let until = opened.until(self.upstream.timeouts.whole);
        Ok(Begun { body: None, stream, events, keys: opened.keys, until })
    }
}

/// The failure that an answer begins with.
fn told(events: Vec<StreamEvent>, upstream: &Upstream, keys: &[Secret]) -> Trouble {
    let failure = events.into_iter().find_map(|event| match event {
        StreamEvent::Error(failure) => Some(failure),
        _ => None,
    });
    match failure {
        Some(failure) => Trouble::of(without_keys(failure, &upstream.name, keys)),
        None => Trouble::cut(&upstream.name),
    }
}
