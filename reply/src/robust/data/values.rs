//! The values of an object or a call, and the strings that say which call it is.
//!
//! In: the buffer within a value. Out: its end, as far as it is certain. Never: counts a bracket within a string.

use super::keys::is_one;
use super::{Bare, DataCall, Frame, Phase, Seen, Turn};
use crate::buffer::Span;
use crate::dialect::{Data, Style};
use crate::event::Repair;
use crate::pattern::Look;
use crate::robust::{Robust, Room, split};
use crate::store::ParamState;
use crate::text::Coding;
use crate::{literal, scan, space};

impl Robust {
    pub(super) fn value(
        &mut self,
        room: &mut Room<'_>,
        call: &mut DataCall,
        data: &Data,
        key: Span,
    ) -> Turn {
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
        let phase = if quoted {
            Phase::InString { key, from, quote: first, param }
        } else {
            Phase::Bare(Bare { key, from, depth: 0, quote: None, param })
        };
        Turn::To(phase, from)
    }

    fn open_data_param(
        &self,
        room: &mut Room<'_>,
        block: usize,
        tool: usize,
        (key, coding, from): (Span, Coding, usize),
    ) -> usize {
        if let Some(before) = room.store.has_param(block, key) {
            room.store.params[before].state = ParamState::Dropped;
            room.store.repair(block, Repair::Repeated);
        }
        let number = self.param_number(room, tool, key);
        room.store.open_param(key, number, coding, from)
    }

    pub(super) fn in_string(
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
    pub(super) fn inner_arguments(&mut self, room: &mut Room<'_>, tool: usize, inside: Span) {
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

    pub(super) fn in_bare(
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
                    Err(to) => return self.wait_in_bare(call, bare, to),
                }
            }
            let Some(byte) = room.store.bytes().get(at).copied() else {
                return self.wait_in_bare(call, bare, at);
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
        close_bare(room, call, data, (bare, at));
        Turn::To(Phase::Key, at)
    }

    fn wait_in_bare(&mut self, call: &mut DataCall, bare: Bare, at: usize) -> Turn {
        (self.at, call.phase) = (at, Phase::Bare(bare));
        Turn::More
    }
}

/// Ends a value without quotes before `at`.
fn close_bare(room: &mut Room<'_>, call: &mut DataCall, data: &Data, (bare, at): (Bare, usize)) {
    let value = Span::new(bare.from, space::trim_end(room.store.bytes(), bare.from, at));
    match bare.param {
        Some(param) => room.store.close_param(param, value),
        None if call.frame == Frame::Arguments => {
            let coding = if data.style == Style::Json { Coding::Json } else { Coding::Python };
            call.early.push((bare.key, value, coding));
        }
        None => {}
    }
}

/// The closing quote; else how far it is certain that there is none.
pub(super) fn string_end(bytes: &[u8], mut at: usize, quote: u8) -> Result<usize, usize> {
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
