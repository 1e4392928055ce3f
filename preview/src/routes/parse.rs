//! Cuts replies: whole ones, and those that arrive.
//!
//! In: a reply in a JSON body, or in lines of JSON. Out: its blocks, or its events as they are known. Never: reads faster than its
//! client takes events, or goes on when the client has gone.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event as Sent, KeepAlive};
use axum::response::{IntoResponse, Response, Sse};
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use promptweave_inspect::{self as inspect, Choice, Chosen, Cut};
use promptweave_loopback::{Problem, RequestId, Stream, broken};
use promptweave_reply::{Block, Event, Parser, Specs, StopReason, Typed, Typing};
use serde_json::{Value as Json, json};
use tokio::sync::mpsc;

use super::App;
use crate::asked::{ChunkLine, Object, ParseMode, ParseQuery, ParseRequest};
use crate::body::{is, malformed, not_json, posted, query};
use crate::builds::answer;
use crate::preview::LINES;
use crate::refusal::{invalid, of_specs};
use crate::work::{Threads, Work};

const EVENTS: &str = "text/event-stream";
/// Events that wait for a client.
const KEPT: usize = 64;
/// How much of a reply is looked at together: what comes of it is held at once, and nothing else is done on its thread meanwhile.
const CHUNK_BYTES: usize = 64 << 10;

pub(super) async fn parse(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let wants_events = wants(request.headers(), EVENTS);
    let id = request.extensions().get::<RequestId>().cloned();
    let (source, cutting) = if is(request.headers(), LINES) {
        let query: ParseQuery = query(request.uri())?;
        let cutting = Cutting::new(&app, query.into())?;
        (Source::Lines(Lines::new(request.into_body())), cutting)
    } else if is(request.headers(), "application/json") {
        if request.uri().query().is_some_and(|query| !query.is_empty()) {
            return Err(invalid("request-invalid", "a JSON body says all: leave out the query"));
        }
        let (mut request, _) = posted::<ParseRequest>(request.into_body()).await?;
        let reply = std::mem::take(&mut request.reply);
        let size = request.chunk.map_or(CHUNK_BYTES, |size| CHUNK_BYTES.min(size as usize));
        if size == 0 {
            return Err(invalid("request-invalid", "a chunk has at least one byte"));
        }
        (Source::Whole { reply, at: 0, size }, Cutting::new(&app, request)?)
    } else {
        return Err(not_json());
    };
    if wants_events {
        let place = app.gate.streams().open()?;
        let patience = app.gate.limits().request_time;
        let threads = app.preview.threads().clone();
        return Ok(streamed(&app, Streamed { source, cutting, threads, place, patience, id }));
    }
    blocks(&app, source, cutting).await
}

/// Reads the reply to its end, then answers with its blocks.
async fn blocks(app: &App, mut source: Source, mut cutting: Cutting) -> Result<Response, Problem> {
    let mut reply = String::new();
    while let Some(chunk) = source.next().await? {
        reply.push_str(&chunk);
    }
    let cut = move || {
        for part in reply.as_bytes().chunks(CHUNK_BYTES) {
            cutting.parser.push(part);
        }
        cutting.parser.finish(cutting.reason);
        answer(&cutting.blocks())
    };
    app.preview.threads().run(Work::Slow, cut).await?
}

/// What a stream of events is made of.
struct Streamed {
    source: Source,
    cutting: Cutting,
    threads: Threads,
    place: Stream,
    /// How long the next part of the reply may take.
    patience: Duration,
    id: Option<RequestId>,
}

fn streamed(app: &App, streamed: Streamed) -> Response {
    let (to, events) = mpsc::channel(KEPT);
    // When nobody listens any more the channel says so, and the task ends.
    tokio::spawn(feed(streamed, to));
    let events = stream::unfold(events, async |mut events| {
        let event: Sent = events.recv().await?;
        Some((Ok::<_, Infallible>(event), events))
    });
    let events = events.take_until(app.shutdown.begun_owned());
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// Cuts the reply and hands on what comes of it, while somebody takes it.
async fn feed(streamed: Streamed, to: mpsc::Sender<Sent>) {
    let Streamed { mut source, mut cutting, threads, place: _place, patience, id } = streamed;
    let last = loop {
        let next = tokio::select! {
            next = tokio::time::timeout(patience, source.next()) => next,
            () = to.closed() => return,
        };
        match next.unwrap_or_else(|_| Err(late())) {
            Ok(Some(chunk)) => {
                for part in chunk.as_bytes().chunks(CHUNK_BYTES) {
                    if hand(&to, cutting.push(part)).await.is_none() {
                        return;
                    }
                }
            }
            // All blocks at once may be long.
            Ok(None) => break threads.run(Work::Slow, move || cutting.finish()).await,
            Err(problem) => break Err(problem),
        }
    };
    hand(&to, last.unwrap_or_else(|problem| vec![failed(&problem, id.as_ref())])).await;
}

/// Hands on events; none when nobody takes them any more.
async fn hand(to: &mpsc::Sender<Sent>, events: Vec<Sent>) -> Option<()> {
    for event in events {
        to.send(event).await.ok()?;
    }
    Some(())
}

fn late() -> Problem {
    let why = "the next part of the reply was not there in time";
    Problem::new(StatusCode::REQUEST_TIMEOUT, "body-late", why)
}

fn failed(problem: &Problem, id: Option<&RequestId>) -> Sent {
    let json = id.map_or_else(|| json!({ "detail": problem.detail }), |id| problem.to_json(id));
    Sent::default().event("error").data(json.to_string())
}

/// A parser and how its results are written.
struct Cutting {
    parser: Parser,
    typing: Typing,
    reason: StopReason,
}

impl Cutting {
    fn new(app: &App, request: ParseRequest) -> Result<Self, Problem> {
        let problem = |why: &dyn std::fmt::Display| invalid("request-invalid", why);
        let reason = inspect::stop_reason(request.stop_reason.as_deref());
        let reason = reason.map_err(|error| problem(&error))?;
        let typing = if request.typed { Typing::BySchema } else { Typing::AsWritten };
        let chosen = chosen(app, &request)?;
        let named = request.dialect.as_deref().or(chosen.dialect.as_deref());
        let dialect = named.map(inspect::dialect).transpose().map_err(|error| problem(&error))?;
        let cut = Cut {
            mode: match request.mode {
                ParseMode::Robust => inspect::Mode::Robust,
                ParseMode::Exact => inspect::Mode::Exact,
            },
            dialect,
            fenced_calls: request.fenced_calls,
            starts_in_reasoning: request.starts_in_reasoning,
            call_ends_reasoning: request.call_ends_reasoning,
            tag_suffix: request.tag_suffix,
        };
        let parser = cut.parser(&chosen).map_err(|error| of_specs(&error))?;
        Ok(Self { parser, typing, reason })
    }

    fn push(&mut self, part: &[u8]) -> Vec<Sent> {
        let typing = self.typing;
        self.parser.push(part).map(|event| sent(&event, typing)).collect()
    }

    fn finish(mut self) -> Vec<Sent> {
        let typing = self.typing;
        let last: Vec<_> =
            self.parser.finish(self.reason).map(|event| sent(&event, typing)).collect();
        let done = Sent::default().event("done").data(self.blocks().to_string());
        last.into_iter().chain([done]).collect()
    }

    /// `{blocks}`.
    fn blocks(&self) -> Json {
        let blocks: Vec<Block<'_>> = self.parser.blocks().collect();
        let blocks: Vec<_> = blocks.iter().map(|block| Typed(block, self.typing)).collect();
        json!({ "blocks": blocks })
    }
}

fn sent(event: &Event<'_>, typing: Typing) -> Sent {
    // A map of texts and numbers is always JSON.
    let data = serde_json::to_string(&Typed(event, typing)).unwrap_or_default();
    Sent::default().event(event.name()).data(data)
}

fn chosen(app: &App, request: &ParseRequest) -> Result<Chosen, Problem> {
    let specs = request.specs.as_ref().map(|specs| Specs::read_tools(&specs.to_string()));
    let choice = Choice {
        specs: specs.transpose().map_err(|error| invalid("request-invalid", error))?,
        tools: request.tools.clone(),
        params: request.params.clone(),
        raw: request.raw.clone(),
        variant: request.variant.clone(),
    };
    let loaded = app.preview.loaded();
    choice.choose(loaded.engine.registry()).map_err(|error| of_specs(&error))
}

/// Where the next part of a reply comes from.
enum Source {
    Whole { reply: String, at: usize, size: usize },
    Lines(Lines),
}

impl Source {
    async fn next(&mut self) -> Result<Option<String>, Problem> {
        match self {
            Self::Lines(lines) => lines.next().await,
            Self::Whole { reply, at, size } => {
                let rest = &reply[*at..];
                let mut end = (*size).min(rest.len());
                while !rest.is_char_boundary(end) {
                    end += 1;
                }
                let chunk = rest[..end].to_owned();
                *at += end;
                Ok(Some(chunk).filter(|chunk| !chunk.is_empty()))
            }
        }
    }
}

/// Lines of `{"chunk": "…"}`, which a body may cut anywhere.
struct Lines {
    body: Body,
    held: Vec<u8>,
    lines: VecDeque<Vec<u8>>,
}

impl Lines {
    fn new(body: Body) -> Self {
        Self { body, held: Vec::new(), lines: VecDeque::new() }
    }

    async fn next(&mut self) -> Result<Option<String>, Problem> {
        loop {
            if let Some(line) = self.lines.pop_front() {
                if line.trim_ascii().is_empty() {
                    continue;
                }
                let Object(line): Object<ChunkLine> =
                    serde_json::from_slice(&line).map_err(|error| malformed(&error))?;
                return Ok(Some(line.chunk));
            }
            match self.body.frame().await {
                Some(frame) => self.take(&frame.map_err(broken)?.into_data().unwrap_or_default()),
                None if self.held.is_empty() => return Ok(None),
                None => self.lines.push_back(std::mem::take(&mut self.held)),
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.held.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.lines.push_back(std::mem::take(&mut self.held));
            }
        }
    }
}

fn wants(headers: &HeaderMap, kind: &str) -> bool {
    let said = headers.get_all(ACCEPT).iter().filter_map(|said| said.to_str().ok());
    let mut kinds = said.flat_map(|said| said.split(','));
    kinds.any(|said| said.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case(kind))
}

/// Lists have commas between.
impl From<ParseQuery> for ParseRequest {
    fn from(query: ParseQuery) -> Self {
        let list = |names: Option<String>| {
            names.map(|names| {
                let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
                names.map(str::to_owned).collect()
            })
        };
        Self {
            reply: String::new(),
            specs: None,
            tools: list(query.tools),
            params: list(query.params),
            raw: list(query.raw),
            chunk: None,
            mode: query.mode,
            dialect: query.dialect,
            variant: query.variant,
            stop_reason: query.stop_reason,
            typed: query.typed,
            fenced_calls: query.fenced_calls,
            starts_in_reasoning: query.starts_in_reasoning,
            call_ends_reasoning: query.call_ends_reasoning,
            tag_suffix: query.tag_suffix,
        }
    }
}
