//! A call in JSON, or in the form of a Python call: its end is found by structure.
//!
//! In: the buffer from an opener on. Out: parameters as they stream. Never: takes a closer within a string for one, or
//! opens a call before it knows the tool.

mod keys;
mod values;

use super::peek::{CallStart, Ended};
use super::{Choice, Robust, Room, State, Step};
use crate::buffer::Span;
use crate::dialect::{Body, Closer, Data, Format, Grammar, Style};
use crate::event::{BlockKind, End, Repair};
use crate::pattern::{Known, Look};
use crate::space;
use crate::store::Store;
use crate::text::Coding;

#[derive(Debug)]
pub(in crate::robust) struct DataCall {
    format: usize,
    /// Where the opener, or what is before it and belongs to the call, begins.
    start: usize,
    tool: Option<usize>,
    id: Span,
    wrapped: Choice,
    block: Option<usize>,
    list: List,
    frame: Frame,
    phase: Phase,
    /// Parameters that came before the tool was known.
    early: Vec<(Span, Span, Coding)>,
    /// The arguments have been seen.
    arguments: Seen,
    /// The provider gives it as such: it ends when the provider says so.
    given: Given,
    /// A string of arguments that came before the tool was known.
    inner: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    No,
    Yes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    No,
    Yes,
}

/// Whose keys are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    /// The object that holds name and arguments.
    Outer,
    Arguments,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    Element,
    Key,
    InKey { from: usize, quote: u8 },
    Colon { key: Span },
    Value { key: Span },
    InString { key: Span, from: usize, quote: u8, param: Option<usize> },
    Bare(Bare),
    After,
}

/// A value that is no string.
#[derive(Clone, Copy, Debug)]
struct Bare {
    key: Span,
    from: usize,
    depth: u32,
    /// Within a string in it.
    quote: Option<u8>,
    param: Option<usize>,
}

impl DataCall {
    fn format<'g>(&self, grammar: &'g Grammar) -> &'g Format {
        &grammar.formats[self.format]
    }

    pub(in crate::robust) fn block(&self) -> Option<usize> {
        self.block
    }

    /// What is certain of a value that streams; white space at the end of one that is no string waits for more.
    pub(in crate::robust) fn tell(&self, store: &mut Store, at: usize, ended: Ended) {
        let (param, from, to) = match self.phase {
            Phase::InString { param: Some(param), from, .. } => (param, from, at.max(from)),
            Phase::Bare(Bare { param: Some(param), from, .. }) => {
                let to = at.max(from);
                match (ended, space::trailing(&store.bytes()[from..to])) {
                    (Ended::No, 1..) => return,
                    (Ended::No, 0) => (param, from, to),
                    (Ended::Yes, _) => (param, from, space::trim_end(store.bytes(), from, to)),
                }
            }
            _ => return,
        };
        store.show_param(param, Span::new(from, to));
        store.tell_param(param, to);
    }

    /// The next call of the same list, which begins at `at`.
    fn behind(before: &Self, grammar: &Grammar, at: usize) -> Self {
        let (format, id) = (before.format, Span::default());
        let start = CallStart { format, tool: None, body: at, id, wrapped: Choice::Off };
        Self { list: before.list, ..Self::new(grammar, start, at) }
    }

    fn new(grammar: &Grammar, start: CallStart, at: usize) -> Self {
        let format = &grammar.formats[start.format];
        let frame = match &format.body {
            Body::Data(data) if !data.name.is_empty() => Frame::Outer,
            Body::Data(_) | Body::Tags(_) => Frame::Arguments,
        };
        Self {
            format: start.format,
            start: at,
            tool: start.tool,
            id: start.id,
            wrapped: start.wrapped,
            block: None,
            list: List::No,
            frame,
            phase: Phase::Element,
            early: Vec::new(),
            arguments: Seen::No,
            given: Given::No,
            inner: None,
        }
    }

    /// A call whose arguments are the JSON from `at` on, until somebody says that it ends.
    pub(in crate::robust) fn given(
        grammar: &Grammar,
        block: usize,
        tool: usize,
        at: usize,
    ) -> Self {
        let format = grammar.given;
        let start = CallStart {
            format,
            tool: Some(tool),
            body: at,
            id: Span::default(),
            wrapped: Choice::Off,
        };
        Self { block: Some(block), given: Given::Yes, ..Self::new(grammar, start, at) }
    }

    pub(in crate::robust) fn is_given(&self) -> bool {
        self.given == Given::Yes
    }

    /// Its arguments have ended, or it has none.
    pub(in crate::robust) fn is_whole(&self, store: &Store) -> bool {
        match self.phase {
            Phase::After => true,
            Phase::Element => space::skip(store.bytes(), self.start) == store.buffer.len(),
            _ => false,
        }
    }

    /// Name and arguments stand side by side in an object.
    fn has_outer(&self, data: &Data) -> bool {
        !data.name.is_empty() || data.style == Style::Python
    }
}

/// What a phase leads to.
enum Turn {
    /// To the next phase, at a place.
    To(Phase, usize),
    More,
    /// It is no call, or no longer one.
    Broken,
}

impl Robust {
    pub(in crate::robust) fn begin_data(
        &mut self,
        room: &mut Room<'_>,
        start: CallStart,
        at: usize,
    ) -> Step {
        // Text goes on until the tool is known.
        self.tell_text(room, BlockKind::Text, at);
        self.at = start.body;
        let call = Box::new(DataCall::new(room.grammar, start, at));
        self.again(State::Data(call))
    }

    /// Whether data that begins there was looked at before, and was no call.
    pub(in crate::robust) fn is_spent(
        &self,
        room: &Room<'_>,
        start: CallStart,
        hit: usize,
    ) -> bool {
        let data = matches!(room.grammar.formats[start.format].body, Body::Data(_));
        data && hit < self.no_data_before
    }

    pub(in crate::robust) fn in_data(
        &mut self,
        room: &mut Room<'_>,
        mut call: Box<DataCall>,
    ) -> Step {
        let grammar = room.grammar;
        let Body::Data(data) = &grammar.formats[call.format].body else {
            return self.again(State::Text);
        };
        loop {
            if let Some(step) = self.implied_end(room, &mut call) {
                return match step {
                    Step::Again => step,
                    Step::Wait => self.wait(State::Data(call)),
                };
            }
            let turn = match call.phase {
                Phase::Element => self.element(room, &mut call, data),
                Phase::Key => self.key(room, &mut call, data),
                Phase::InKey { from, quote } => self.in_key(room.store, from, quote),
                Phase::Colon { key } => self.colon(room, key, data.style),
                Phase::Value { key } => self.value(room, &mut call, data, key),
                Phase::InString { key, from, quote, param } => {
                    self.in_string(room, &mut call, data, (key, from, quote, param))
                }
                Phase::Bare(bare) => self.in_bare(room, &mut call, data, bare),
                Phase::After => return self.after(room, call, data),
            };
            match turn {
                Turn::To(phase, at) => (call.phase, self.at) = (phase, at),
                Turn::More if self.stop.is_none() => return self.wait(State::Data(call)),
                Turn::More => return self.cut_data(room, call),
                Turn::Broken => return self.break_data(room, call),
            }
        }
    }

    /// Data without its end: a call that is known stays open, else it was text.
    fn cut_data(&mut self, room: &mut Room<'_>, call: Box<DataCall>) -> Step {
        match call.block {
            Some(_) => self.wait(State::Data(call)),
            None => self.break_data(room, call),
        }
    }

    fn break_data(&mut self, room: &mut Room<'_>, call: Box<DataCall>) -> Step {
        match call.block {
            None => {
                self.no_data_before = self.at.max(call.start + 1);
                // The text goes on where the opener begins.
                self.at = call.start + 1;
                self.again(State::Text)
            }
            Some(_) => {
                // What cannot be understood is passed over, up to the next thing that can.
                self.at += room.store.bytes()[self.at..].first().map_or(0, |_| 1);
                self.again(State::Data(call))
            }
        }
    }

    /// The call's closer stands where the structure has not ended: brackets are missing.
    fn implied_end(&mut self, room: &mut Room<'_>, call: &mut DataCall) -> Option<Step> {
        let block = call.block?;
        let open = match call.phase {
            Phase::Key | Phase::Colon { .. } | Phase::Value { .. } => None,
            Phase::Bare(bare) if bare.quote.is_none() => Some(bare),
            _ => return None,
        };
        let byte = *room.store.bytes().get(self.at)?;
        let grammar = room.grammar;
        let closers = &grammar.formats[call.format].close;
        if !closers.iter().any(|closer| closer.byte(0) == Some(byte)) {
            return None;
        }
        let at = self.at;
        let found = match self.peek(room).any(closers, at, Known::Any) {
            Look::Yes(found) => found,
            Look::More => return Some(Step::Wait),
            Look::No => return None,
        };
        let mut how = Some(End::Text);
        if let Some(Bare { param: Some(param), from, depth, .. }) = open {
            let to = space::trim_end(room.store.bytes(), from, self.at);
            room.store.close_param(param, Span::new(from, to));
            how = how.filter(|_| depth == 0);
        }
        room.store.repair(block, Repair::ImpliedCloser);
        Some(self.close_call(room, block, how, found.end))
    }

    /// Behind a call: its closer, the next one of a list, or anything else.
    fn after(&mut self, room: &mut Room<'_>, mut call: Box<DataCall>, data: &Data) -> Step {
        let Some(block) = call.block else { return self.break_data(room, call) };
        if call.given == Given::Yes {
            self.at = room.store.buffer.len();
            return self.wait(State::Data(call));
        }
        let at = match self.solid(room) {
            Look::Yes(at) => at,
            Look::More | Look::No => return self.wait(State::Data(call)),
        };
        let grammar = room.grammar;
        let format = &grammar.formats[call.format];
        let next = room.store.bytes().get(at).copied();
        let separator = match call.list {
            List::Yes => next == Some(b','),
            List::No => next.is_some() && next == data.separator,
        };
        if separator {
            let _ = self.close_call(room, block, Some(End::Text), at + 1);
            let next = DataCall::behind(&call, grammar, at + 1);
            return self.again(State::Data(Box::new(next)));
        }
        if call.list == List::Yes && next == Some(b']') {
            call.list = List::No;
            self.at = at + 1;
            return self.again(State::Data(call));
        }
        match self.peek(room).any(&format.close, at, Known::Any) {
            Look::More => self.wait(State::Data(call)),
            Look::Yes(found) => self.close_call(room, block, Some(End::Text), found.end),
            Look::No => {
                if format.closer == Closer::Required {
                    room.store.repair(block, Repair::ImpliedCloser);
                }
                self.close_call(room, block, Some(End::Text), self.at)
            }
        }
    }
}
