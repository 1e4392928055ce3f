//! Calls that a model writes as text become calls: one loop of the host serves both.
//!
//! In: an assembled stream. Out: the same stream, with what the reply parser finds in its text as blocks of their own. Never: a call
//! that is not complete; it stays the text that it is.

use promptweave_reply::{Block, BlockKind, End, Event, Parser, Specs, StopReason, ToolUse};
use serde_json::{Map, Value as Json};

use crate::answering::Answering;
use crate::assemble::cleaned;
use crate::event::{Delta, StartBlock, Stop, StreamEvent};

#[derive(Debug)]
pub(crate) struct Textual {
    specs: Specs,
    seed: Option<String>,
    id: String,
    /// The parser of the text block that is open.
    parser: Option<Parser>,
    open: Open,
    next: usize,
    calls: usize,
}

/// What is open on the way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    Thinking,
    Other,
}

/// What one push of the parser makes.
enum Step {
    Open(StartBlock),
    Add(String),
    Close,
    Call {
        name: String,
        input: String,
    },
    /// A call that is not complete, by its index.
    Half(usize),
}

impl Textual {
    pub(crate) fn new(specs: Specs, answering: &Answering) -> Self {
        let (seed, id) = (answering.seed.clone(), String::new());
        Self { specs, seed, id, parser: None, open: Open::Nothing, next: 0, calls: 0 }
    }

    pub(crate) fn take(&mut self, event: StreamEvent, out: &mut Vec<StreamEvent>) {
        match event {
            StreamEvent::BlockStart { block: StartBlock::Text, .. } => {
                self.parser = Some(Parser::new(self.specs.clone()));
            }
            StreamEvent::BlockDelta { delta: Delta::Text(text), .. } if self.parser.is_some() => {
                self.parse(Some(&text), out);
            }
            StreamEvent::BlockStop { .. } if self.parser.is_some() => {
                self.parse(None, out);
                self.close(out);
                self.parser = None;
            }
            StreamEvent::BlockStart { block, .. } => {
                self.calls += usize::from(matches!(block, StartBlock::ToolUse { .. }));
                self.begin(block, out);
            }
            StreamEvent::BlockDelta { delta, .. } => self.add(delta, out),
            StreamEvent::BlockStop { .. } => self.close(out),
            StreamEvent::MessageDelta { stop_reason, stop_sequence, usage } => {
                let found =
                    self.calls > 0 && matches!(stop_reason, Stop::EndTurn | Stop::StopSequence);
                let stop_reason = if found { Stop::ToolUse } else { stop_reason };
                let stop_sequence = stop_sequence.filter(|_| stop_reason == Stop::StopSequence);
                out.push(StreamEvent::MessageDelta { stop_reason, stop_sequence, usage });
            }
            StreamEvent::MessageStart { id, model, usage } => {
                self.id = id.trim_start_matches("msg_").to_owned();
                out.push(StreamEvent::MessageStart { id, model, usage });
            }
            StreamEvent::MessageStop | StreamEvent::Ping | StreamEvent::Error(_) => out.push(event),
        }
    }

    fn parse(&mut self, text: Option<&str>, out: &mut Vec<StreamEvent>) {
        let Some(mut parser) = self.parser.take() else { return };
        for step in steps(&mut parser, text) {
            match step {
                Step::Open(block) => self.begin(block, out),
                Step::Add(text) if self.open == Open::Thinking => {
                    self.add(Delta::Thinking(text), out);
                }
                Step::Add(text) => self.add(Delta::Text(text), out),
                Step::Close => self.close(out),
                Step::Call { name, input } => self.call(name, input, out),
                Step::Half(index) => self.half(&raw(&parser, index), out),
            }
        }
        self.parser = Some(parser);
    }

    /// A call that is not complete is text, as it was written.
    fn half(&mut self, written: &str, out: &mut Vec<StreamEvent>) {
        if !written.trim().is_empty() {
            self.begin(StartBlock::Text, out);
            self.add(Delta::Text(written.to_owned()), out);
            self.close(out);
        }
    }

    fn call(&mut self, name: String, input: String, out: &mut Vec<StreamEvent>) {
        let seed = cleaned(self.seed.as_deref().unwrap_or(&self.id));
        let id = format!("toolu_{seed}_text_{}", self.calls);
        self.calls += 1;
        self.begin(StartBlock::ToolUse { id, name }, out);
        self.add(Delta::InputJson(input), out);
        self.close(out);
    }

    fn begin(&mut self, block: StartBlock, out: &mut Vec<StreamEvent>) {
        self.close(out);
        let is_thinking = matches!(block, StartBlock::Thinking);
        self.open = if is_thinking { Open::Thinking } else { Open::Other };
        out.push(StreamEvent::BlockStart { index: self.next, block });
    }

    fn add(&mut self, delta: Delta, out: &mut Vec<StreamEvent>) {
        if self.open != Open::Nothing {
            out.push(StreamEvent::BlockDelta { index: self.next, delta });
        }
    }

    fn close(&mut self, out: &mut Vec<StreamEvent>) {
        if self.open != Open::Nothing {
            self.open = Open::Nothing;
            out.push(StreamEvent::BlockStop { index: self.next });
            self.next += 1;
        }
    }
}

/// What more text makes, or its end.
fn steps(parser: &mut Parser, text: Option<&str>) -> Vec<Step> {
    let events = match text {
        Some(text) => parser.push(text),
        // Nobody closes what the text leaves open; the blocks of the answer say why it ended.
        None => parser.finish(StopReason::EndTurn),
    };
    let step = |event: Event<'_>| match event {
        Event::Opened { kind: BlockKind::Text, .. } => Some(Step::Open(StartBlock::Text)),
        Event::Opened { kind: BlockKind::Reasoning, .. } => Some(Step::Open(StartBlock::Thinking)),
        Event::Delta { text, .. } => Some(Step::Add(text.to_string())),
        Event::Closed { block: Block::ToolUse(call), end: Some(End::Text), .. } => {
            Some(Step::Call { name: call.name().to_owned(), input: input(call) })
        }
        Event::Closed { block: Block::ToolUse(_), index, .. } => Some(Step::Half(index)),
        Event::Closed { .. } => Some(Step::Close),
        // A call is told when it is whole: until then its parameters may change.
        _ => None,
    };
    events.filter_map(step).collect()
}

/// A block as it was written.
fn raw(parser: &Parser, index: usize) -> String {
    let mut slices = parser.raw().filter(|(block, _)| *block == Some(index));
    slices
        .next()
        .map_or_else(String::new, |(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
}

/// A call's input, typed as its schema says.
fn input(call: ToolUse<'_>) -> String {
    let params = call.params().map(|param| (param.name.to_string(), param.typed()));
    Json::Object(params.collect::<Map<_, _>>()).to_string()
}
