//! Robust mode: text, reasoning and calls in any dialect, told apart by what follows them.
//!
//! In: the buffer as it grows. Out: blocks that never change their kind. Never: looks at a byte more than a few times,
//! whatever the chunks.
//!
//! `docs/replies.md` draws the states. Everything before `at` is decided; a candidate that is not decided yet stands at
//! `at`, and nothing from there on is told.

mod code;
mod data;
mod end;
mod heads;
mod level;
mod native;
mod peek;
mod quick;
mod split;
mod text;
mod value;

use crate::buffer::Span;
use crate::dialect::Grammar;
use crate::event::{BlockKind, End, StopReason};
use crate::flow::{Flow, Trim};
use crate::pattern::Look;
use crate::scan::Ahead;
use crate::specs::Specs;
use crate::store::{Extra, Store};
pub use native::NativeEvent;

use code::{Fence, Line};
use data::DataCall;
use heads::Heads;
use level::TagCall;
use peek::{CallStart, Ended, Gaps, Peek};
use quick::Pending;

/// What a host may ask for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub(crate) fenced_calls: Choice,
    pub(crate) starts_in_reasoning: Choice,
    pub(crate) call_ends_reasoning: Choice,
    pub(crate) suffix: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Choice {
    #[default]
    Off,
    On,
}

#[derive(Debug)]
pub(crate) struct Robust {
    options: Options,
    state: State,
    /// Everything before is decided.
    at: usize,
    /// Up to here text may be told, also if what follows `at` is not decided.
    loose: usize,
    ahead: Ahead,
    flow: Flow,
    /// The text or reasoning that is open, once it has a character.
    text: Option<usize>,
    /// Where what belongs to the next block begins.
    from: usize,
    /// A wrapper is open: its closer is no text.
    wrapped: Choice,
    gaps: Gaps,
    /// By format and tool: what the tags of the last calls can begin with.
    heads: Vec<((usize, usize), Heads)>,
    line: Line,
    /// Data that begins before is text: it was looked at as a call, and was none.
    no_data_before: usize,
    /// A fence before is no call: it was looked at as one.
    no_fence_before: usize,
    /// The closing fence around the call that is open: where it begins and ends.
    fence_end: Option<(usize, usize)>,
    /// What `at` waits for.
    pending: Pending,
    stop: Option<StopReason>,
}

#[derive(Debug)]
enum State {
    /// At the beginning, or right after a block.
    Start,
    Text,
    Fence(Box<Fence>),
    /// Ended by the closers of this pair; by any, if the host began it.
    Reasoning(Option<u32>),
    /// In a call, between parameters.
    Level(Box<TagCall>),
    Value(Box<TagCall>),
    Data(Box<DataCall>),
    /// In text or reasoning that a provider gives as such.
    Given(BlockKind),
    /// Nothing more is looked for.
    Rest,
}

/// What the machine works on.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) grammar: &'a Grammar,
    pub(crate) specs: &'a Specs,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Again,
    /// More bytes must come first.
    Wait,
}

impl Robust {
    pub(crate) fn new(options: Options) -> Self {
        Self {
            options,
            state: State::Start,
            at: 0,
            loose: 0,
            ahead: Ahead::default(),
            flow: Flow::new(Trim::Space, 0),
            text: None,
            from: 0,
            wrapped: Choice::Off,
            gaps: Gaps::default(),
            heads: Vec::new(),
            line: Line::default(),
            no_data_before: 0,
            no_fence_before: 0,
            fence_end: None,
            pending: Pending::Other,
            stop: None,
        }
    }

    #[inline(never)]
    pub(crate) fn advance(&mut self, room: &mut Room<'_>) {
        while self.step(room) == Step::Again {}
        self.tell(room);
        self.note_pending(room);
        self.note_tip(room);
    }

    #[inline]
    fn step(&mut self, room: &mut Room<'_>) -> Step {
        // Nothing has to be taken out of the state that most of a reply is in.
        if let State::Text = self.state {
            return self.in_text(room);
        }
        match std::mem::replace(&mut self.state, State::Text) {
            State::Start => self.start(room),
            State::Text => self.in_text(room),
            State::Fence(fence) => self.in_fence(room, fence),
            State::Reasoning(pair) => self.in_reasoning(room, pair),
            State::Level(call) => self.in_level(room, call),
            State::Value(call) => self.in_value(room, call),
            State::Data(call) => self.in_data(room, call),
            state @ (State::Given(_) | State::Rest) => {
                self.at = room.store.buffer.len();
                self.wait(state)
            }
        }
    }

    fn peek<'a>(&'a mut self, room: &'a Room<'_>) -> Peek<'a> {
        let ended = if self.stop.is_some() { Ended::Yes } else { Ended::No };
        Peek {
            bytes: room.store.bytes(),
            ended,
            grammar: room.grammar,
            specs: room.specs,
            gaps: &mut self.gaps,
        }
    }

    /// As if more could come: what may be a tag is not part of a value, also at the end.
    fn peek_on<'a>(&'a mut self, room: &'a Room<'_>) -> Peek<'a> {
        Peek { ended: Ended::No, ..self.peek(room) }
    }

    /// The stream has ended where the model had not.
    fn is_cut(&self) -> bool {
        matches!(self.stop, Some(StopReason::MaxTokens | StopReason::Aborted))
    }

    /// The next place from `at` on that is not white space.
    fn solid(&mut self, room: &Room<'_>) -> Look<usize> {
        let at = self.at;
        self.peek(room).after_space(at)
    }

    /// Keeps the state and waits.
    fn wait(&mut self, state: State) -> Step {
        self.state = state;
        Step::Wait
    }

    fn again(&mut self, state: State) -> Step {
        self.state = state;
        Step::Again
    }

    /// What is decided of what is open.
    #[inline]
    fn tell(&mut self, room: &mut Room<'_>) {
        let ended = self.ended();
        match &mut self.state {
            State::Start | State::Text | State::Fence(_) | State::Rest => {
                self.tell_text(room, BlockKind::Text, self.at.max(self.loose));
            }
            State::Reasoning(_) => self.tell_text(room, BlockKind::Reasoning, self.at),
            State::Given(kind) => {
                let kind = *kind;
                self.tell_text(room, kind, self.at);
            }
            State::Level(_) => {}
            State::Value(call) => call.value.tell(room.store, self.at),
            State::Data(call) => call.tell(room.store, self.at, ended),
        }
    }

    #[inline]
    fn tell_text(&mut self, room: &mut Room<'_>, kind: BlockKind, to: usize) {
        let content = self.flow.advance(room.store.bytes(), to);
        if content.is_empty() {
            return;
        }
        let text = match self.text {
            Some(text) => text,
            None => self.open_text(room, kind, content.start),
        };
        room.store.blocks[text].content = content;
        room.store.tell(text, content.end);
    }

    fn open_text(&mut self, room: &mut Room<'_>, kind: BlockKind, start: usize) -> usize {
        let text = room.store.open_block(kind, self.from);
        room.store.blocks[text].told = start;
        room.store.announce(text);
        self.text = Some(text);
        text
    }

    /// Ends the text or reasoning before `to`, if there is any.
    fn end_text(&mut self, room: &mut Room<'_>, kind: BlockKind, to: usize) {
        self.tell_text(room, kind, to);
        if let Some(text) = self.text.take() {
            room.store.close(text, Some(End::Text));
            self.from = to;
        }
    }

    /// Begins to follow text at `from`.
    fn follow_text(&mut self, from: usize) {
        self.at = from;
        self.loose = from;
        self.flow = Flow::new(Trim::Space, from);
    }

    /// Whether nothing but white space stands between the last block and `at`.
    fn is_blank(&mut self, room: &Room<'_>, at: usize) -> bool {
        self.text.is_none() && self.flow.advance(room.store.bytes(), at).is_empty()
    }

    /// Opens the block of a call whose opener, or the wrapper around it, begins at `at`.
    fn open_call(&mut self, room: &mut Room<'_>, tool: usize, id: Span, at: usize) -> usize {
        self.end_text(room, BlockKind::Text, at);
        let block = room.store.open_block(BlockKind::ToolUse, self.from);
        room.store.blocks[block].tool = tool as u32;
        if !id.is_empty() {
            let id = room.store.buffer.text(id).into_owned();
            room.store.blocks[block].extra = Some(Box::new(Extra { id, native: None }));
        }
        room.store.announce(block);
        block
    }

    /// The call is over, and what follows `end` does not belong to it.
    fn close_call(
        &mut self,
        room: &mut Room<'_>,
        block: usize,
        how: Option<End>,
        end: usize,
    ) -> Step {
        room.store.close(block, how);
        let end = match self.fence_end.take() {
            Some((begins, ends)) if crate::space::skip(room.store.bytes(), end) == begins => ends,
            Some(_) | None => end,
        };
        self.from = end;
        self.follow_text(end);
        self.again(State::Start)
    }

    /// Begins a call that was found at `at`.
    fn begin_call(&mut self, room: &mut Room<'_>, start: CallStart, at: usize) -> Step {
        let grammar = room.grammar;
        match &grammar.formats[start.format].body {
            crate::dialect::Body::Tags(_) => self.begin_tags(room, start, at),
            crate::dialect::Body::Data(_) => self.begin_data(room, start, at),
        }
    }
}
