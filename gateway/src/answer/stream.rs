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
use promptweave_loopback::Shutdown;
use promptweave_wire::{Failure, FailureKind, Stream, StreamEvent};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use super::conceal::Concealed;
use super::story::{End, Story};
use super::watch::{Due, Watch};
use crate::refusal;
use crate::secret::Secret;
use crate::upstream::{Begun, without_keys};

/// The body of a response that streams. Dropping it closes the connection to the upstream, unless its answer is whole.
pub(crate) struct Answer {
    /// None once the answer is over, or nothing more of it can come.
    upstream: Option<Incoming>,
    stream: Stream,
    ready: Option<Bytes>,
    timer: Pin<Box<Sleep>>,
    watch: Watch,
    story: Story,
    /// What no event may repeat.
    keys: Vec<Secret>,
    /// Comes when the gateway must end.
    over: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// How long the end of an upstream's body is waited for, so that its connection can be used again.
const DRAIN: Duration = Duration::from_secs(2);

impl Answer {
    /// Goes on with what has begun, until `over` says that the gateway must end.
    pub(crate) fn new(begun: Begun, idle: Duration, story: Story, over: &Shutdown) -> Self {
        let Begun { body, stream, events, keys, until } = begun;
        let now = Instant::now();
        let mut answer = Self {
            upstream: body,
            stream,
            ready: None,
            timer: Box::pin(sleep_until(now)),
            watch: Watch::new(now, idle, until),
            story,
            keys,
            over: Box::pin(over.begun_owned()),
        };
        answer.story.began();
        answer.take(events);
        answer
    }

    /// Writes events, and looks whether they end the answer.
    fn take(&mut self, events: Vec<StreamEvent>) {
        let mut text = String::new();
        for event in events {
            match &event {
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
            let concealed = Concealed { keys: &self.keys, id: &self.story.id };
            concealed.of(event).write_sse(&mut text);
        }
        if !text.is_empty() {
            self.story.wrote(text.len());
            self.ready = Some(text.into());
        }
        if self.stream.is_over() {
            self.story.noted(self.stream.notes());
            drain(self.upstream.take());
        }
    }

    /// Ends with a failure of the way there.
    fn fail(&mut self, kind: FailureKind, message: String) {
        let events = self.stream.fail(Failure { kind, message });
        // What is left of it is of no use, and neither is its connection.
        self.upstream = None;
        self.take(events);
    }

    /// The upstream failed.
    fn fault(&mut self, kind: FailureKind, what: &str) {
        self.fail(kind, format!("upstream `{}` {what}", self.story.upstream));
    }

    /// Does what is due; `Pending` where nothing is.
    fn wait(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.over.as_mut().poll(context).is_ready() {
            self.fail(FailureKind::Overloaded, "the gateway is being stopped".to_owned());
            return Poll::Ready(());
        }
        loop {
            match self.watch.due(Instant::now()) {
                Due::Late => self.fault(FailureKind::Timeout, "did not end its answer in time"),
                Due::Idle => {
                    self.fault(FailureKind::Timeout, "did not go on with its answer in time");
                }
                Due::Ping => self.ready = Some(StreamEvent::Ping.to_sse().into()),
                Due::Nothing(until) => {
                    // The timer is not set anew with each piece: when it is over there may be time left.
                    if self.timer.deadline() > until || self.timer.is_elapsed() {
                        self.timer.as_mut().reset(until);
                    }
                    if self.timer.as_mut().poll(context).is_pending() {
                        return Poll::Pending;
                    }
                    continue;
                }
            }
            return Poll::Ready(());
        }
    }

    /// Takes the next piece of the upstream's, if there is one; `Pending` where there is none yet.
    fn hear(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(body) = &mut self.upstream else { return Poll::Ready(()) };
        let Poll::Ready(frame) = Pin::new(body).poll_frame(context) else { return Poll::Pending };
        let now = Instant::now();
        self.watch.heard(now);
        match frame {
            // A firehose is always ready: time passes all the same.
            Some(Ok(_)) if self.watch.due(now) == Due::Late => {
                self.fault(FailureKind::Timeout, "did not end its answer in time");
            }
            Some(Ok(frame)) => {
                if let Ok(bytes) = frame.into_data() {
                    let events = self.stream.push(&bytes);
                    self.take(events);
                }
            }
            Some(Err(_)) => self.fault(FailureKind::Api, "closed the connection within its answer"),
            None => {
                let events = self.stream.finish();
                self.take(events);
            }
        }
        Poll::Ready(())
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
                self.watch.wrote(Instant::now());
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            if self.upstream.is_none() {
                return Poll::Ready(None);
            }
            if self.hear(context).is_pending() && self.wait(context).is_pending() {
                return Poll::Pending;
            }
        }
    }
}
