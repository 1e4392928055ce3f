//! A stream on its way to the client: each piece of the upstream's goes on as the events that it becomes.
//!
//! In: the upstream's body. Out: a body of Anthropic's events. Never: an event held back while another is waited for.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use promptweave_wire::{Failure, FailureKind, Stream, StreamEvent};
use tokio::time::{Instant, Sleep, sleep, timeout};

use super::story::{End, Story};
use crate::refusal;
use crate::secret::Secret;
use crate::upstream::{Begun, without_keys};

/// The body of a response that streams. Dropping it closes the connection to the upstream, unless its answer is whole.
#[derive(Debug)]
pub(crate) struct Answer {
    /// None once the answer is over.
    upstream: Option<Incoming>,
    stream: Stream,
    ready: Option<Bytes>,
    timer: Pin<Box<Sleep>>,
    /// How long nothing has come.
    quiet: Duration,
    idle: Duration,
    story: Story,
    /// What no event may repeat.
    keys: Vec<Secret>,
}

/// After so long without an event the client is told that the connection is alive.
const PING: Duration = Duration::from_secs(15);
/// How long the end of an upstream's body is waited for, so that its connection can be used again.
const DRAIN: Duration = Duration::from_secs(2);

impl Answer {
    pub(crate) fn new(begun: Begun, idle: Duration, story: Story) -> Self {
        let Begun { body, stream, events, keys } = begun;
        let timer = Box::pin(sleep(PING.min(idle)));
        let mut answer = Self {
            upstream: Some(body),
            stream,
            ready: None,
            timer,
            quiet: Duration::ZERO,
            idle,
            story,
            keys,
        };
        answer.story.began();
        answer.take(&events);
        answer
    }

    /// Writes events, and looks whether they end the answer.
    fn take(&mut self, events: &[StreamEvent]) {
        let mut text = String::new();
        for event in events {
            match event {
                StreamEvent::Error(failure) => {
                    self.story.ended(End::Failed);
                    let failure = without_keys(failure.clone(), &self.story.upstream, &self.keys);
                    let told = refusal::json(&failure, &self.story.id);
                    text.push_str(&format!("event: error\ndata: {told}\n\n"));
                    continue;
                }
                StreamEvent::MessageDelta { usage, .. } => self.story.cost(usage),
                StreamEvent::MessageStop => self.story.ended(End::Whole),
                _ => {}
            }
            event.write_sse(&mut text);
        }
        if !text.is_empty() {
            self.story.wrote(text.len());
            self.ready = Some(text.into());
        }
        if self.stream.is_over() {
            drain(self.upstream.take());
        }
    }

    /// Ends with a failure of the way there.
    fn fail(&mut self, kind: FailureKind, what: &str) {
        let message = format!("upstream `{}` {what}", self.story.upstream);
        let events = self.stream.fail(Failure { kind, message });
        // What is left of it is of no use, and neither is its connection.
        self.upstream = None;
        self.take(&events);
    }

    /// What is due when nothing came for a while.
    fn waited(&mut self) {
        self.quiet += PING.min(self.idle.saturating_sub(self.quiet));
        if self.quiet >= self.idle {
            return self.fail(FailureKind::Timeout, "did not go on with its answer in time");
        }
        self.ready = Some(StreamEvent::Ping.to_sse().into());
        self.rearm();
    }

    fn rearm(&mut self) {
        let wait = PING.min(self.idle.saturating_sub(self.quiet));
        self.timer.as_mut().reset(Instant::now() + wait);
    }
}

/// Reads what is left of a body.
fn drain(body: Option<Incoming>) {
    let Some(mut body) = body.filter(|body| !body.is_end_stream()) else { return };
    tokio::spawn(async move {
        let rest = async { while let Some(Ok(_)) = body.frame().await {} };
        let _ = timeout(DRAIN, rest).await;
    });
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            if let Some(bytes) = self.ready.take() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            let Some(body) = &mut self.upstream else { return Poll::Ready(None) };
            match Pin::new(body).poll_frame(context) {
                Poll::Ready(Some(Ok(frame))) => {
                    let Ok(bytes) = frame.into_data() else { continue };
                    self.quiet = Duration::ZERO;
                    self.rearm();
                    let events = self.stream.push(&bytes);
                    self.take(&events);
                }
                Poll::Ready(Some(Err(_))) => {
                    self.fail(FailureKind::Api, "closed the connection within its answer");
                }
                Poll::Ready(None) => {
                    let events = self.stream.finish();
                    self.take(&events);
                }
                Poll::Pending => match self.timer.as_mut().poll(context) {
                    Poll::Pending => return Poll::Pending,
                    Poll::Ready(()) => self.waited(),
                },
            }
        }
    }
}
