//! A call in tags, between its parameters.
//!
//! In: the buffer behind a tag. Out: the next parameter, the call's end, or the next call. Never: shows what stands
//! between parameters; it is in the raw slice of the call.

use super::heads::Heads;
use super::peek::{CallStart, Tag};
use super::value::OpenValue;
use super::{Choice, Robust, Room, State, Step};
use crate::buffer::Span;
use crate::dialect::{Body, Format, Grammar, Tags};
use crate::event::{End, Repair};
use crate::flow::{Flow, Trim};
use crate::pattern::{Found, Look};
use crate::scan::{self, Stops};
use crate::specs::ParamKind;
use crate::store::{ParamState, Store};
use crate::text::Coding;

/// So many are kept.
const MAX_HEADS: usize = 16;

#[derive(Debug)]
pub(super) struct TagCall {
    pub(super) block: usize,
    pub(super) tool: usize,
    pub(super) format: usize,
    /// The byte that all of its tags begin with.
    pub(super) lead: u8,
    /// The bytes that may follow it.
    pub(super) heads: Heads,
    /// Raw values that ended because another parameter followed: a later closer may show that they did not.
    pub(super) doubtful: Vec<Doubtful>,
    /// The value that is open, or the last one that was.
    pub(super) value: OpenValue,
    /// What is read a second time is read without counting depths.
    pub(super) reread: Choice,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Doubtful {
    pub(super) param: usize,
    pub(super) from: usize,
    pub(super) trim: Trim,
}

impl TagCall {
    /// The next place in its value where one of its tags may stand.
    pub(super) fn next_tag(&self, bytes: &[u8], mut from: usize) -> Option<usize> {
        loop {
            let hit = scan::byte(self.lead, bytes, from)?;
            if self.value.kind != ParamKind::Raw || self.heads.may_begin(bytes, hit) {
                return Some(hit);
            }
            from = hit + 1;
        }
    }

    /// Whether a piece of its value that is all there holds nothing that may be a tag of the call.
    pub(super) fn has_no_tag(&self, piece: &[u8]) -> bool {
        match self.value.kind {
            ParamKind::Raw => {
                scan::marks(piece, [self.lead]).all(|at| !self.heads.may_begin(piece, at))
            }
            ParamKind::Scalar => self.has_no_lead(piece),
        }
    }

    /// Whether a piece of ASCII holds nothing that a tag begins with.
    pub(super) fn has_no_lead(&self, piece: &[u8]) -> bool {
        scan::marks(piece, [self.lead]).next().is_none()
    }

    /// Its value grows by itself, if it has begun.
    pub(super) fn let_grow(&self, store: &mut Store) {
        if self.value.flow.has_begun() {
            store.let_value_grow(self.value.param, self.value.trim, Stops::one(self.lead));
        }
    }

    pub(super) fn format<'g>(&self, grammar: &'g Grammar) -> &'g Format {
        &grammar.formats[self.format]
    }
}

/// The tags of a format that has them.
pub(super) fn tags(format: &Format) -> Option<&Tags> {
    match &format.body {
        Body::Tags(tags) => Some(tags),
        Body::Data(_) => None,
    }
}

impl Robust {
    pub(super) fn begin_tags(&mut self, room: &mut Room<'_>, start: CallStart, at: usize) -> Step {
        let Some(tool) = start.tool else {
            self.at = at + 1;
            return self.again(State::Text);
        };
        if start.wrapped == Choice::On {
            self.wrapped = Choice::On;
        }
        let format = &room.grammar.formats[start.format];
        let Some(tags) = tags(format) else { return self.again(State::Text) };
        let block = self.open_call(room, tool, start.id, at);
        self.at = start.body;
        let call = Box::new(TagCall {
            block,
            tool,
            format: start.format,
            lead: tags.lead,
            heads: self.heads_of(room, start.format, tool),
            value: OpenValue::none(),
            doubtful: Vec::new(),
            reread: Choice::Off,
        });
        self.again(State::Level(call))
    }

    /// Most calls are written as one before.
    fn heads_of(&mut self, room: &Room<'_>, format: usize, tool: usize) -> Heads {
        if let Some((_, heads)) = self.heads.iter().find(|(of, _)| *of == (format, tool)) {
            return *heads;
        }
        let (written, of_tool) = (&room.grammar.formats[format], &room.specs.tools[tool]);
        let heads =
            tags(written).map_or_else(Heads::default, |tags| Heads::of(written, tags, of_tool));
        if self.heads.len() == MAX_HEADS {
            self.heads.clear();
        }
        self.heads.push(((format, tool), heads));
        heads
    }

    pub(super) fn in_level(&mut self, room: &mut Room<'_>, call: Box<TagCall>) -> Step {
        let grammar = room.grammar;
        let format = &grammar.formats[call.format];
        let Some(tags) = tags(format) else { return self.again(State::Text) };
        let Some(hit) = scan::byte(tags.lead, room.store.bytes(), self.at) else {
            self.at = room.store.buffer.len();
            return self.wait(State::Level(call));
        };
        self.at = hit;
        let tag = self.peek(room).tag(format, tags, call.tool, hit);
        match &tag {
            Look::More => self.wait(State::Level(call)),
            Look::No => self.at_other(room, call, hit),
            Look::Yes(Tag::Param(found)) => self.open_value(room, call, found),
            Look::Yes(Tag::CallEnd(found)) => {
                self.close_call(room, call.block, Some(End::Text), found.end)
            }
            Look::Yes(Tag::OuterEnd(found)) => self.close_implied(room, &call, found.end),
            Look::Yes(Tag::ParamEnd(found)) => self.at_stray(room, call, hit, found),
            Look::Yes(Tag::Ignored(found)) => {
                self.at = found.end;
                self.again(State::Level(call))
            }
        }
    }

    /// The next call ends this one as incomplete; anything else means nothing.
    fn at_other(&mut self, room: &mut Room<'_>, call: Box<TagCall>, hit: usize) -> Step {
        match self.peek(room).call(hit) {
            Look::Yes(start) if !self.is_spent(room, start, hit) => {
                self.next_call(room, call.block, start, hit)
            }
            Look::More => self.wait(State::Level(call)),
            Look::Yes(_) | Look::No => {
                self.at = hit + 1;
                self.again(State::Level(call))
            }
        }
    }

    pub(super) fn next_call(
        &mut self,
        room: &mut Room<'_>,
        block: usize,
        start: CallStart,
        hit: usize,
    ) -> Step {
        let _ = self.close_call(room, block, None, hit);
        self.begin_call(room, start, hit)
    }

    /// The wrapper ends, and so does the call.
    pub(super) fn close_implied(
        &mut self,
        room: &mut Room<'_>,
        call: &TagCall,
        end: usize,
    ) -> Step {
        room.store.repair(call.block, Repair::ImpliedCloser);
        self.wrapped = Choice::Off;
        self.close_call(room, call.block, Some(End::Text), end)
    }

    /// The closer of a value that has ended already: directly before the call's end it is the real one.
    fn at_stray(
        &mut self,
        room: &mut Room<'_>,
        call: Box<TagCall>,
        hit: usize,
        found: &Found,
    ) -> Step {
        let Some(place) = self.doubtful_of(room, &call, found) else {
            self.at = found.end;
            return self.again(State::Level(call));
        };
        match self.call_end_after(room, &call, found.end) {
            Look::Yes(end) => self.undo(room, &call, (place, hit), end),
            Look::More => self.wait(State::Level(call)),
            Look::No => {
                self.at = found.end;
                self.again(State::Level(call))
            }
        }
    }

    /// The doubtful value that a closer may belong to.
    pub(super) fn doubtful_of(
        &self,
        room: &Room<'_>,
        call: &TagCall,
        found: &Found,
    ) -> Option<usize> {
        if found.name.is_empty() {
            return call.doubtful.len().checked_sub(1);
        }
        let name = room.store.buffer.slice(found.name);
        call.doubtful.iter().position(|doubtful| {
            room.store.buffer.slice(room.store.params[doubtful.param].name) == name
        })
    }

    /// Behind the call's closer, if nothing but white space stands before it.
    pub(super) fn call_end_after(
        &mut self,
        room: &Room<'_>,
        call: &TagCall,
        from: usize,
    ) -> Look<usize> {
        let Some(tags) = tags(call.format(room.grammar)) else { return Look::No };
        let mut peek = self.peek(room);
        let at = match peek.after_space(from) {
            Look::Yes(at) => at,
            Look::More => return Look::More,
            Look::No => return Look::No,
        };
        match peek.tag(call.format(room.grammar), tags, call.tool, at) {
            Look::Yes(Tag::CallEnd(found)) => Look::Yes(found.end),
            Look::Yes(Tag::OuterEnd(found)) if call.doubtful.is_empty() => Look::Yes(found.end),
            Look::More => Look::More,
            Look::Yes(_) | Look::No => Look::No,
        }
    }

    /// The doubtful value at `place` ends only at `to`: what was taken for parameters since then is part of it.
    pub(super) fn undo(
        &mut self,
        room: &mut Room<'_>,
        call: &TagCall,
        (place, to): (usize, usize),
        end: usize,
    ) -> Step {
        let doubtful = call.doubtful[place];
        for param in room.store.params_of(call.block).filter(|param| *param > doubtful.param) {
            room.store.params[param].state = ParamState::Dropped;
        }
        let value = Flow::new(doubtful.trim, doubtful.from).finish(room.store.bytes(), to);
        room.store.params[doubtful.param].value = value;
        room.store.repair(call.block, Repair::LaterCloser);
        self.close_call(room, call.block, Some(End::Text), end)
    }

    fn open_value(&mut self, room: &mut Room<'_>, mut call: Box<TagCall>, found: &Found) -> Step {
        let params = &room.specs.tools[call.tool].params;
        let find = || params.names.find(room.store.buffer.slice(found.name));
        let number = found.number.or_else(find);
        let spec = number.map(|number| params.list[number].kind);
        let kind = tags(call.format(room.grammar))
            .and_then(|tags| tags.kind)
            .or(spec)
            .unwrap_or(ParamKind::Raw);
        let coding = if found.is_json { Coding::Json } else { Coding::Text };
        let trim = match kind {
            _ if found.is_json => Trim::Space,
            ParamKind::Scalar => Trim::Space,
            ParamKind::Raw => Trim::Line,
        };
        if let Some(before) = room.store.has_param(call.block, found.name) {
            room.store.params[before].state = ParamState::Dropped;
            room.store.repair(call.block, Repair::Repeated);
        }
        let param = room.store.open_param(found.name, number, coding, found.end);
        self.at = found.end;
        call.value = OpenValue::new(param, kind, trim, Span::new(found.end, found.end));
        self.again(State::Value(call))
    }
}
