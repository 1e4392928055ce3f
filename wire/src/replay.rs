//! The way on: a converted stream into the reply parser, so that every provider's answer ends as the same blocks.
//!
//! In: [`StreamEvent`]s. Out: the parser's events and blocks. Never: a call as complete that was cut.

use promptweave_reply::{Event, NativeEvent, Parser, StopReason};

use crate::event::{Delta, Failure, StartBlock, Stop, StreamEvent};

/// Feeds a parser with the events of a stream.
///
/// Text goes in as native text, which is not searched for tags; calls that stand in text were found before, by
/// [`Answering::text_calls`](crate::Answering::text_calls). A signature without a block of its own to stand in, such as that of redacted
/// reasoning, has no place among the parser's blocks; the message of [`fold`](crate::fold) has it.
#[derive(Debug)]
pub struct Replay {
    parser: Parser,
    open: Open,
    failure: Option<Failure>,
}

/// The block that is open, as the parser knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    Nothing,
    /// Nothing was added to it.
    Bare,
    Content,
    /// A call whose end was not told: that of the whole answer decides how.
    Call,
}

impl Replay {
    /// Feeds this parser, which knows the tools.
    pub fn new(parser: Parser) -> Self {
        Self { parser, open: Open::Nothing, failure: None }
    }

    /// Takes an event; `each` is told what changed.
    pub fn take(&mut self, event: &StreamEvent, mut each: impl FnMut(Event<'_>)) {
        match event {
            StreamEvent::BlockStart { block, .. } => self.begin(block, &mut each),
            StreamEvent::BlockDelta { delta, .. } => self.add(delta, &mut each),
            StreamEvent::BlockStop { .. } => {
                if self.open == Open::Content {
                    self.end_block(&mut each);
                }
            }
            StreamEvent::MessageDelta { stop_reason, .. } => {
                let reason = reason(stop_reason);
                // A call that the limit may have cut is left to `finish`, which says how it ended.
                if matches!(reason, StopReason::EndTurn) {
                    self.end_block(&mut each);
                }
                self.parser.finish(reason).for_each(each);
            }
            StreamEvent::Error(failure) => {
                self.failure = Some(failure.clone());
                self.parser.finish(StopReason::Aborted).for_each(each);
            }
            StreamEvent::MessageStart { .. } | StreamEvent::MessageStop | StreamEvent::Ping => {}
        }
    }

    /// The parser with its blocks.
    pub fn parser(&self) -> &Parser {
        &self.parser
    }

    /// Why the answer failed, if it did.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    fn begin(&mut self, block: &StartBlock, each: &mut impl FnMut(Event<'_>)) {
        self.end_block(each);
        self.open = match block {
            StartBlock::ToolUse { id, name } => {
                self.parser.push_event(NativeEvent::CallStart { id, name }).for_each(each);
                Open::Call
            }
            StartBlock::Text
            | StartBlock::Thinking
            | StartBlock::RedactedThinking { .. }
            | StartBlock::Other(_) => Open::Bare,
        };
    }

    fn add(&mut self, delta: &Delta, each: &mut impl FnMut(Event<'_>)) {
        let event = match delta {
            Delta::Text(text) => NativeEvent::Text(text),
            Delta::Thinking(text) => NativeEvent::Reasoning(text),
            Delta::InputJson(text) if self.open == Open::Call => NativeEvent::CallArguments(text),
            Delta::Signature(text) if self.open == Open::Content => NativeEvent::Signature(text),
            // Nothing holds them among the parser's blocks.
            Delta::InputJson(_) | Delta::Signature(_) | Delta::Other(_) => return,
        };
        if self.open == Open::Bare {
            self.open = Open::Content;
        }
        self.parser.push_event(event).for_each(each);
    }

    /// Ends what is open: blocks stay apart that the provider told apart.
    fn end_block(&mut self, each: &mut impl FnMut(Event<'_>)) {
        match std::mem::replace(&mut self.open, Open::Nothing) {
            Open::Nothing | Open::Bare => {}
            Open::Content | Open::Call => {
                self.parser.push_event(NativeEvent::CallEnd).for_each(each);
            }
        }
    }
}

/// The reason as the parser knows it.
fn reason(stop: &Stop) -> StopReason {
    match stop {
        Stop::EndTurn | Stop::ToolUse | Stop::PauseTurn => StopReason::EndTurn,
        Stop::StopSequence => StopReason::StopSequence,
        Stop::MaxTokens | Stop::ContextWindow => StopReason::MaxTokens,
        Stop::Refusal => StopReason::Aborted,
        Stop::Other(_) => StopReason::Unknown,
    }
}
