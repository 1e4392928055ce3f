//! A call in JSON, or in the form of a Python call: its end is found by structure.
//!
//! In: the buffer from an opener on. Out: parameters as they stream. Never: takes a closer within a string for one, or
//! opens a call before it knows the tool.

use super::peek::CallStart;
use super::split;
use super::{Choice, Robust, Room, State, Step};
use crate::buffer::Span;
use crate::dialect::{Body, Closer, Data, Format, Grammar, Style};
use crate::event::{End, Repair};
use crate::literal;
use crate::pattern::{Known, Look};
use crate::scan;
use crate::store::{Coding, Store};

#[derive(Debug)]
pub(super) struct DataCall {
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

    pub(super) fn block(&self) -> Option<usize> {
        self.block
    }

    /// What is certain of a value that streams.
    pub(super) fn tell(&self, store: &mut Store, at: usize) {
        let (param, from) = match self.phase {
            Phase::InString { param: Some(param), from, .. } => (param, from),
            Phase::Bare(Bare { param: Some(param), from, .. }) => (param, from),
            _ => return,
        };
        let to = crate::space::trim_end(store.bytes(), from, at.max(from));
        let to = if matches!(self.phase, Phase::Bare(_)) { to } else { at.max(from) };
        store.show_param(param, Span::new(from, to));
        store.tell_param(param, to);
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
    pub(super) fn given(grammar: &Grammar, block: usize, tool: usize, at: usize) -> Self {
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

    pub(super) fn is_given(&self) -> bool {
        self.given == Given::Yes
    }

    /// Its arguments have ended, or it has none.
    pub(super) fn is_whole(&self, store: &Store) -> bool {
        match self.phase {
            Phase::After => true,
            Phase::Element => crate::space::skip(store.bytes(), self.start) == store.buffer.len(),
            _ => false,
        }
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
    pub(super) fn begin_data(&mut self, room: &mut Room<'_>, start: CallStart, at: usize) -> Step {
        // Text goes on until the tool is known.
        self.tell_text(room, crate::event::BlockKind::Text, at);
        self.at = start.body;
        let call = Box::new(DataCall::new(room.grammar, start, at));
        self.again(State::Data(call))
    }

    /// Whether data that begins there was looked at before, and was no call.
    pub(super) fn is_spent(&self, room: &Room<'_>, start: CallStart, hit: usize) -> bool {
        let data = matches!(room.grammar.formats[start.format].body, Body::Data(_));
        data && hit < self.no_data_before
    }

    pub(super) fn in_data(&mut self, room: &mut Room<'_>, mut call: Box<DataCall>) -> Step {
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
                Phase::InKey { from, quote } => in_key(room.store, from, quote, self.at),
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
        if !closers.iter().any(|closer| closer.lead() == Some(byte)) {
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
            let to = crate::space::trim_end(room.store.bytes(), from, self.at);
            room.store.close_param(param, Span::new(from, to));
            how = how.filter(|_| depth == 0);
        }
        room.store.repair(block, Repair::ImpliedCloser);
        Some(self.close_call(room, block, how, found.end))
    }

    fn element(&mut self, room: &mut Room<'_>, call: &mut DataCall, data: &Data) -> Turn {
        let Look::Yes(at) = self.solid(room) else { return Turn::More };
        let Some(first) = room.store.bytes().get(at) else { return Turn::More };
        match (data.style, first) {
            (_, b'[') if call.list == List::No && call.frame_is_outer(data) => {
                call.list = List::Yes;
                Turn::To(Phase::Element, at + 1)
            }
            (Style::Json, b'{') => {
                if let (Frame::Arguments, Some(tool), None) = (call.frame, call.tool, call.block) {
                    self.open_data(room, call, tool);
                }
                Turn::To(Phase::Key, at + 1)
            }
            (Style::Python, _) => match self.peek(room).python_call(at) {
                Look::Yes((tool, inside)) => {
                    call.frame = Frame::Arguments;
                    self.open_data(room, call, tool);
                    Turn::To(Phase::Key, inside)
                }
                Look::More => Turn::More,
                Look::No => Turn::Broken,
            },
            (Style::Json, _) => Turn::Broken,
        }
    }

    /// The tool is known: the block is there, with what came before.
    fn open_data(&mut self, room: &mut Room<'_>, call: &mut DataCall, tool: usize) {
        if call.wrapped == Choice::On {
            self.wrapped = Choice::On;
        }
        let block = self.open_call(room, tool, call.id, call.start);
        call.block = Some(block);
        call.tool = Some(tool);
        for (name, value, coding) in std::mem::take(&mut call.early) {
            let number = self.param_number(room, tool, name);
            let param = room.store.open_param(name, number, coding, value.start);
            room.store.close_param(param, value);
        }
        if let Some(inner) = call.inner.take() {
            self.inner_arguments(room, tool, inner);
        }
    }

    fn param_number(&self, room: &Room<'_>, tool: usize, name: Span) -> Option<usize> {
        room.specs.tools.get(tool)?.params.names.find(room.store.buffer.slice(name))
    }

    fn key(&mut self, room: &mut Room<'_>, call: &mut DataCall, data: &Data) -> Turn {
        let Look::Yes(at) = self.solid(room) else { return Turn::More };
        let Some(first) = room.store.bytes().get(at).copied() else { return Turn::More };
        match (data.style, first) {
            (_, b',') => Turn::To(Phase::Key, at + 1),
            (Style::Json, b'}') | (Style::Python, b')') => {
                self.frame_ends(room, call, data, at + 1)
            }
            (Style::Json, b'"' | b'\'') => {
                Turn::To(Phase::InKey { from: at + 1, quote: first }, at + 1)
            }
            (Style::Python, b'a'..=b'z' | b'A'..=b'Z' | b'_') => {
                let rest = &room.store.bytes()[at..];
                let ends = |byte: &u8| !byte.is_ascii_alphanumeric() && *byte != b'_';
                match rest.iter().position(ends) {
                    Some(length) => {
                        Turn::To(Phase::Colon { key: Span::new(at, at + length) }, at + length)
                    }
                    None => Turn::More,
                }
            }
            _ => Turn::Broken,
        }
    }

    fn colon(&mut self, room: &Room<'_>, key: Span, style: Style) -> Turn {
        let Look::Yes(at) = self.solid(room) else { return Turn::More };
        let mark = if style == Style::Json { b':' } else { b'=' };
        match room.store.bytes().get(at) {
            Some(byte) if *byte == mark => Turn::To(Phase::Value { key }, at + 1),
            Some(_) => Turn::Broken,
            None => Turn::More,
        }
    }

    /// An object ends; behind the arguments the outer one goes on.
    fn frame_ends(
        &mut self,
        room: &mut Room<'_>,
        call: &mut DataCall,
        data: &Data,
        at: usize,
    ) -> Turn {
        if call.frame == Frame::Arguments && call.frame_is_outer(data) && data.style == Style::Json
        {
            call.frame = Frame::Outer;
            return Turn::To(Phase::Key, at);
        }
        if call.block.is_none() {
            let bare = call.format(room.grammar).open.is_empty();
            match call.tool {
                Some(tool) if !bare || call.arguments == Seen::Yes => {
                    self.open_data(room, call, tool)
                }
                Some(_) | None => return Turn::Broken,
            }
        }
        Turn::To(Phase::After, at)
    }

    fn value(&mut self, room: &mut Room<'_>, call: &mut DataCall, data: &Data, key: Span) -> Turn {
        let Look::Yes(at) = self.solid(room) else { return Turn::More };
        let Some(first) = room.store.bytes().get(at).copied() else { return Turn::More };
        if call.frame == Frame::Outer && is_one(room.store, key, &data.arguments) {
            call.arguments = Seen::Yes;
            if let (None, Some(tool)) = (call.block, call.tool) {
                self.open_data(room, call, tool);
            }
            if first == b'{' {
                call.frame = Frame::Arguments;
                return Turn::To(Phase::Key, at + 1);
            }
        }
        let quoted = matches!(first, b'"' | b'\'');
        let coding = match (data.style, quoted) {
            (_, true) => Coding::Quoted,
            (Style::Json, false) => Coding::Json,
            (Style::Python, false) => Coding::Python,
        };
        let from = at + usize::from(quoted);
        let param = match (call.frame, call.block, call.tool) {
            (Frame::Arguments, Some(block), Some(tool)) => {
                Some(self.open_data_param(room, block, tool, (key, coding, from)))
            }
            _ => None,
        };
        Turn::To(
            if quoted {
                Phase::InString { key, from, quote: first, param }
            } else {
                Phase::Bare(Bare { key, from, depth: 0, quote: None, param })
            },
            from,
        )
    }

    fn open_data_param(
        &self,
        room: &mut Room<'_>,
        block: usize,
        tool: usize,
        (key, coding, from): (Span, Coding, usize),
    ) -> usize {
        if let Some(before) = room.store.has_param(block, key) {
            room.store.params[before].state = crate::store::ParamState::Dropped;
            room.store.repair(block, Repair::Repeated);
        }
        let number = self.param_number(room, tool, key);
        room.store.open_param(key, number, coding, from)
    }

    fn in_string(
        &mut self,
        room: &mut Room<'_>,
        call: &mut DataCall,
        data: &Data,
        (key, from, quote, param): (Span, usize, u8, Option<usize>),
    ) -> Turn {
        let end = match string_end(room.store.bytes(), self.at, quote) {
            Ok(end) => end,
            Err(at) => {
                self.at = at;
                return Turn::More;
            }
        };
        let inside = Span::new(from, end);
        match param {
            Some(param) => room.store.close_param(param, inside),
            None if call.frame == Frame::Arguments => {
                call.early.push((key, inside, Coding::Quoted))
            }
            None => {
                if !self.outer_string(room, call, data, (key, inside)) {
                    self.at = end + 1;
                    return Turn::Broken;
                }
            }
        }
        Turn::To(Phase::Key, end + 1)
    }

    /// The name, an id, or arguments as a string; false if the name is of no tool.
    fn outer_string(
        &mut self,
        room: &mut Room<'_>,
        call: &mut DataCall,
        data: &Data,
        (key, inside): (Span, Span),
    ) -> bool {
        if is_one(room.store, key, &data.name) {
            let name = room.store.buffer.slice(inside);
            let bare = name.strip_prefix(b"functions.").unwrap_or(name);
            call.tool = room.specs.names.find(name).or_else(|| room.specs.names.find(bare));
            let Some(tool) = call.tool else { return false };
            if call.arguments == Seen::Yes && call.block.is_none() {
                self.open_data(room, call, tool);
            }
        } else if is_one(room.store, key, &data.id) && call.block.is_none() {
            call.id = inside;
        } else if is_one(room.store, key, &data.arguments) {
            match (call.block, call.tool) {
                (Some(_), Some(tool)) => self.inner_arguments(room, tool, inside),
                _ => call.inner = Some(inside),
            }
        }
        true
    }

    /// Arguments that are JSON within a string.
    fn inner_arguments(&mut self, room: &mut Room<'_>, tool: usize, inside: Span) {
        let json = literal::unescape(room.store.buffer.text(inside)).into_owned();
        let shift = room.store.side.len();
        room.store.side.push_str(&json);
        for part in split::split(&json) {
            let moved = |span: Span| Span::new(span.start + shift, span.end + shift);
            let number = room.specs.tools[tool]
                .params
                .names
                .find(&json.as_bytes()[part.name.start..part.name.end]);
            let coding = if part.quoted { Coding::SideQuoted } else { Coding::SideJson };
            let param =
                room.store.open_param(moved(part.name), number, coding, moved(part.value).start);
            room.store.close_param(param, moved(part.value));
        }
    }

    fn in_bare(
        &mut self,
        room: &mut Room<'_>,
        call: &mut DataCall,
        data: &Data,
        bare: Bare,
    ) -> Turn {
        let mut bare = bare;
        let mut at = self.at;
        let close = if data.style == Style::Json { b'}' } else { b')' };
        loop {
            if let Some(quote) = bare.quote {
                match string_end(room.store.bytes(), at, quote) {
                    Ok(end) => (bare.quote, at) = (None, end + 1),
                    Err(to) => {
                        (self.at, call.phase) = (to, Phase::Bare(bare));
                        return Turn::More;
                    }
                }
            }
            let Some(byte) = room.store.bytes().get(at).copied() else {
                (self.at, call.phase) = (at, Phase::Bare(bare));
                return Turn::More;
            };
            match byte {
                b'"' => bare.quote = Some(byte),
                b'\'' if data.style == Style::Python => bare.quote = Some(byte),
                b'{' | b'[' | b'(' => bare.depth += 1,
                b',' if bare.depth == 0 => break,
                _ if byte == close && bare.depth == 0 => break,
                b'}' | b']' | b')' => bare.depth = bare.depth.saturating_sub(1),
                b'<' | b'`' if at > self.at => {
                    // It may be the closer of the call.
                    (self.at, call.phase) = (at, Phase::Bare(bare));
                    return Turn::To(Phase::Bare(bare), at);
                }
                _ => {}
            }
            at += 1;
        }
        let value = Span::new(bare.from, crate::space::trim_end(room.store.bytes(), bare.from, at));
        match bare.param {
            Some(param) => room.store.close_param(param, value),
            None if call.frame == Frame::Arguments => {
                let coding = if data.style == Style::Json { Coding::Json } else { Coding::Python };
                call.early.push((bare.key, value, coding));
            }
            None => {}
        }
        Turn::To(Phase::Key, at)
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
            let start = CallStart {
                format: call.format,
                tool: None,
                body: at + 1,
                id: Span::default(),
                wrapped: Choice::Off,
            };
            let mut next = DataCall::new(grammar, start, at + 1);
            next.list = call.list;
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

impl DataCall {
    fn frame_is_outer(&self, data: &Data) -> bool {
        !data.name.is_empty() || data.style == Style::Python
    }
}

fn is_one(store: &Store, key: Span, names: &[String]) -> bool {
    names.iter().any(|name| name.as_bytes() == store.buffer.slice(key))
}

fn in_key(store: &Store, from: usize, quote: u8, at: usize) -> Turn {
    match string_end(store.bytes(), at, quote) {
        Ok(end) => Turn::To(Phase::Colon { key: Span::new(from, end) }, end + 1),
        Err(_) => Turn::More,
    }
}

/// The closing quote; else how far it is certain that there is none.
fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> Result<usize, usize> {
    while let Some(hit) = scan::either(quote, b'\\', bytes, at) {
        if bytes[hit] == quote {
            return Ok(hit);
        }
        at = match literal::escape_length(bytes, hit) {
            Some(length) => hit + length,
            None => return Err(hit),
        };
    }
    Err(bytes.len())
}
