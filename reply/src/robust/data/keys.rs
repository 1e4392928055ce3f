//! The keys of an object, and the keywords of a call.
//!
//! In: the buffer before a key. Out: the key, the end of the object, or that it is none. Never: reads a value.

use super::{DataCall, Frame, List, Phase, Seen, Turn};
use crate::buffer::Span;
use crate::dialect::{Data, Style};
use crate::pattern::Look;
use crate::robust::{Choice, Robust, Room};
use crate::store::Store;

/// No keyword of a Python call is longer.
const MAX_KEYWORD: usize = 128;

impl Robust {
    pub(super) fn element(
        &mut self,
        room: &mut Room<'_>,
        call: &mut DataCall,
        data: &Data,
    ) -> Turn {
        let Look::Yes(at) = self.solid(room) else { return Turn::More };
        let Some(first) = room.store.bytes().get(at) else { return Turn::More };
        match (data.style, first) {
            (_, b'[') if call.list == List::No && call.has_outer(data) => {
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
    pub(super) fn open_data(&mut self, room: &mut Room<'_>, call: &mut DataCall, tool: usize) {
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

    pub(super) fn param_number(&self, room: &Room<'_>, tool: usize, name: Span) -> Option<usize> {
        room.specs.tools.get(tool)?.params.names.find(room.store.buffer.slice(name))
    }

    pub(super) fn key(&mut self, room: &mut Room<'_>, call: &mut DataCall, data: &Data) -> Turn {
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
                match rest.iter().take(MAX_KEYWORD).position(ends) {
                    Some(length) => {
                        Turn::To(Phase::Colon { key: Span::new(at, at + length) }, at + length)
                    }
                    None if rest.len() < MAX_KEYWORD => Turn::More,
                    None => Turn::Broken,
                }
            }
            _ => Turn::Broken,
        }
    }

    pub(super) fn colon(&mut self, room: &Room<'_>, key: Span, style: Style) -> Turn {
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
        if call.frame == Frame::Arguments && call.has_outer(data) && data.style == Style::Json {
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

    pub(super) fn in_key(&mut self, store: &Store, from: usize, quote: u8) -> Turn {
        match super::values::string_end(store.bytes(), self.at, quote) {
            Ok(end) => Turn::To(Phase::Colon { key: Span::new(from, end) }, end + 1),
            Err(at) => {
                self.at = at;
                Turn::More
            }
        }
    }
}

pub(super) fn is_one(store: &Store, key: Span, names: &[String]) -> bool {
    names.iter().any(|name| name.as_bytes() == store.buffer.slice(key))
}
