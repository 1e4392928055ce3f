//! A provider's stream in, Anthropic's events out.
//!
//! In: bytes cut anywhere, or a provider's events one by one. Out: [`StreamEvent`]s. Never: waits, sends, or reads a clock.

use serde_json::Value as Json;

use crate::answer::{self, Reader};
use crate::answering::Answering;
use crate::assemble::Assembler;
use crate::event::{Failure, FailureKind, StreamEvent};
use crate::frame::FrameReader;
use crate::message;
use crate::note::Note;
use crate::piece::Piece;
use crate::sse::{ServerEvent, SseReader};
use crate::target::Target;
use crate::textual::Textual;

/// Converts one answer. Make a new one for each.
#[derive(Debug)]
pub struct Stream {
    bytes: Bytes,
    converter: Converter,
    /// Kept for its room.
    events: Vec<ServerEvent>,
}

/// What the bytes are made of.
#[derive(Debug)]
enum Bytes {
    /// The first byte decides.
    Unknown,
    Sse(SseReader),
    Frames(FrameReader),
}

impl Bytes {
    fn of(target: Target) -> Self {
        match target {
            Target::Bedrock => Self::Unknown,
            _ => Self::Sse(SseReader::default()),
        }
    }

    fn push(&mut self, chunk: &[u8], events: &mut Vec<ServerEvent>) -> Result<(), String> {
        match self {
            Self::Unknown => {
                let Some(first) = chunk.first() else { return Ok(()) };
                // A frame begins with its length, and none is so long that its first byte is not 0. Text has no such byte.
                *self = match first {
                    0 => Self::Frames(FrameReader::default()),
                    _ => Self::Sse(SseReader::default()),
                };
                self.push(chunk, events)
            }
            Self::Sse(reader) => reader.push(chunk, events).map_err(|error| error.to_string()),
            Self::Frames(reader) => reader.push(chunk, events).map_err(|error| error.to_string()),
        }
    }

    fn finish(&mut self, events: &mut Vec<ServerEvent>) -> Result<(), String> {
        match self {
            Self::Unknown => Ok(()),
            Self::Sse(reader) => {
                reader.finish(events);
                Ok(())
            }
            Self::Frames(reader) => reader.finish().map_err(|error| error.to_string()),
        }
    }
}

/// What follows the bytes.
#[derive(Debug)]
struct Converter {
    reader: Reader,
    assembler: Assembler,
    textual: Option<Box<Textual>>,
}

/// The data of the event that ends streams of OpenAI's kind.
const DONE: &str = "[DONE]";

impl Stream {
    /// A stream of this API.
    pub fn new(target: Target, answering: Answering) -> Self {
        let converter = Converter::new(target, answering);
        Self { bytes: Bytes::of(target), converter, events: Vec::new() }
    }

    /// Takes bytes of server-sent events, for Bedrock also of AWS's frames, and gives what they become. Costs what the bytes
    /// cost.
    ///
    /// After the end, whether `MessageStop` or `Error`, nothing is taken any more.
    pub fn push(&mut self, chunk: &[u8]) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        let mut events = std::mem::take(&mut self.events);
        let pushed = self.bytes.push(chunk, &mut events);
        self.convert(events, pushed, &mut out);
        out
    }

    fn convert(
        &mut self,
        mut events: Vec<ServerEvent>,
        read: Result<(), String>,
        out: &mut Vec<StreamEvent>,
    ) {
        events.drain(..).for_each(|event| self.converter.event(&event.name, &event.data, out));
        self.events = events;
        if let Err(message) = read {
            self.converter.fail(Failure::new(FailureKind::Api, message), out);
        }
    }

    /// Takes one event of the provider's, for those who read the stream by other means, such as AWS's library. `name` is the event's
    /// type, `data` its JSON.
    pub fn push_event(&mut self, name: &str, data: &str) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        self.converter.event(name, data, &mut out);
        out
    }

    /// Takes an answer that came whole, and gives the events that it would have streamed as.
    pub fn push_whole(&mut self, body: &Json) -> Vec<StreamEvent> {
        let (mut pieces, mut out) = (Vec::new(), Vec::new());
        self.converter.reader.whole(body, &mut pieces);
        self.converter.take(pieces, &mut out);
        out
    }

    /// The bytes ended. An answer that was not whole ends with an `Error`.
    pub fn finish(&mut self) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        let mut events = std::mem::take(&mut self.events);
        let read = self.bytes.finish(&mut events);
        self.convert(events, read, &mut out);
        self.converter.finish(&mut out);
        out
    }

    /// Something beside the bytes ended the answer, such as a time limit: closes what is open, and ends with this failure. Nothing
    /// comes of it where the end was told.
    pub fn fail(&mut self, failure: Failure) -> Vec<StreamEvent> {
        let mut out = Vec::new();
        self.converter.fail(failure, &mut out);
        out
    }

    /// What of the answer could not be passed on as it came, so far.
    pub fn notes(&self) -> &[Note] {
        self.converter.assembler.notes()
    }

    /// Whether the end was told.
    pub fn is_over(&self) -> bool {
        self.converter.assembler.is_over()
    }
}

/// Converts an answer that came whole to Anthropic's message.
///
/// # Errors
/// The provider's failure, or that the answer is none.
pub fn answer(target: Target, answering: Answering, body: &Json) -> Result<Json, Failure> {
    message::fold(&Stream::new(target, answering).push_whole(body))
}

/// What a provider's answer with an error status says, in Anthropic's words.
pub fn failure(status: u16, body: &[u8]) -> Failure {
    match serde_json::from_slice::<Json>(body) {
        Ok(json) => {
            let json = json.as_array().and_then(|list| list.first()).unwrap_or(&json).clone();
            answer::failure(&json, Some(status))
        }
        Err(_) => {
            let text = String::from_utf8_lossy(body);
            let told = match text.trim() {
                "" => format!("the provider answered with status {status}"),
                text => text.chars().take(MAX_TOLD).collect(),
            };
            Failure::new(FailureKind::of_status(status), told)
        }
    }
}

/// How much of a page of HTML is told, in characters.
const MAX_TOLD: usize = 500;

impl Converter {
    fn new(target: Target, answering: Answering) -> Self {
        let specs = answering.text_calls.clone();
        let textual = specs.map(|specs| Box::new(Textual::new(specs, &answering)));
        Self { reader: Reader::new(target), assembler: Assembler::new(answering), textual }
    }

    fn event(&mut self, name: &str, data: &str, out: &mut Vec<StreamEvent>) {
        if self.assembler.is_over() || data.trim().is_empty() {
            return;
        }
        if data.trim() == DONE {
            return self.take(vec![Piece::Done], out);
        }
        match serde_json::from_str::<Json>(data) {
            Ok(event) => {
                let mut pieces = Vec::new();
                self.reader.event(name, &event, &mut pieces);
                self.take(pieces, out);
            }
            Err(_) => {
                let message = "an event of the stream is not JSON, or cut";
                self.fail(Failure::new(FailureKind::Api, message), out);
            }
        }
    }

    fn take(&mut self, pieces: Vec<Piece>, out: &mut Vec<StreamEvent>) {
        self.through(out, |assembler, out| {
            pieces.into_iter().for_each(|piece| assembler.take(piece, out));
        });
    }

    fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.through(out, |assembler, out| assembler.finish(out));
    }

    fn fail(&mut self, failure: Failure, out: &mut Vec<StreamEvent>) {
        self.through(out, |assembler, out| assembler.fail(failure, out));
    }

    /// What the assembler emits goes to the host, by way of the parser where calls are text.
    fn through(
        &mut self,
        out: &mut Vec<StreamEvent>,
        emit: impl FnOnce(&mut Assembler, &mut Vec<StreamEvent>),
    ) {
        let Some(textual) = &mut self.textual else { return emit(&mut self.assembler, out) };
        let mut emitted = Vec::new();
        emit(&mut self.assembler, &mut emitted);
        emitted.into_iter().for_each(|event| textual.take(event, out));
    }
}
