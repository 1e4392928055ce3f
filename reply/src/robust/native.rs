//! Calls, text and reasoning that a provider gives as events of its own.
//!
//! In: such events, in the order in which they came. Out: the same blocks as from text. Never: looks for tags in them.

use super::data::DataCall;
use super::{Robust, Room, State, Step};
use crate::event::{BlockKind, End, StopReason};
use crate::flow::{Flow, Trim};
use crate::store::{Extra, Native, Store};

/// A piece of a reply as a provider's API gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NativeEvent<'e> {
    /// More text.
    Text(&'e str),
    /// More reasoning.
    Reasoning(&'e str),
    /// A call begins; one that is open ends.
    CallStart {
        /// Its id.
        id: &'e str,
        /// The tool, known or not.
        name: &'e str,
    },
    /// More of the call's arguments, as JSON text that may be cut anywhere.
    CallArguments(&'e str),
    /// What the provider wants to get back with the last block, unread.
    Signature(&'e str),
    /// The call is complete; if its arguments are not, it stays partial.
    CallEnd,
}

impl Robust {
    pub(crate) fn take(&mut self, room: &mut Room<'_>, event: NativeEvent<'_>) {
        match event {
            NativeEvent::Text(text) => self.given(room, BlockKind::Text, text),
            NativeEvent::Reasoning(text) => self.given(room, BlockKind::Reasoning, text),
            NativeEvent::CallStart { id, name } => self.given_call(room, id, name),
            NativeEvent::CallArguments(text) => {
                if !matches!(&self.state, State::Data(call) if call.is_given()) {
                    self.given_call(room, "", "");
                }
                room.store.buffer.push(text.as_bytes());
                self.advance(room);
            }
            NativeEvent::Signature(signature) => {
                if let Some(block) = room.store.blocks.last_mut() {
                    let native = block.extra.get_or_insert_default().native.get_or_insert_default();
                    native.signature.get_or_insert_default().push_str(signature);
                }
            }
            NativeEvent::CallEnd => self.settle(room),
        }
        self.note_tip(room);
    }

    fn given(&mut self, room: &mut Room<'_>, kind: BlockKind, text: &str) {
        if text.is_empty() {
            return;
        }
        if !matches!(self.state, State::Given(open) if open == kind) {
            self.settle(room);
            self.state = State::Given(kind);
            self.flow = Flow::new(Trim::Nothing, self.at);
        }
        room.store.buffer.push(text.as_bytes());
        self.advance(room);
        let block = self.text.map(|text| &mut room.store.blocks[text]);
        if let Some(block) = block {
            block.extra.get_or_insert_default().native.get_or_insert_default();
        }
    }

    fn given_call(&mut self, room: &mut Room<'_>, id: &str, name: &str) {
        self.settle(room);
        let tool = room.specs.names.find(name.as_bytes()).unwrap_or(usize::MAX);
        let block = room.store.open_block(BlockKind::ToolUse, self.from);
        room.store.blocks[block].tool = u32::try_from(tool).unwrap_or(u32::MAX);
        let native = Native { name: name.into(), signature: None };
        room.store.blocks[block].extra =
            Some(Box::new(Extra { id: id.into(), native: Some(native) }));
        room.store.announce(block);
        self.state = State::Data(Box::new(DataCall::given(room.grammar, block, tool, self.at)));
    }

    /// What another machine has taken in the meantime is behind.
    pub(crate) fn resume(&mut self, store: &Store) {
        self.from = if store.blocks.is_empty() { 0 } else { store.buffer.len() };
        self.follow_text(store.buffer.len());
        self.state = State::Start;
    }

    /// Decides what is undecided, and ends what is open: something else follows.
    pub(crate) fn settle(&mut self, room: &mut Room<'_>) {
        room.store.buffer.end();
        self.stop = Some(StopReason::Unknown);
        while self.step(room) == Step::Again {}
        self.tell(room);
        let end = room.store.buffer.len();
        match std::mem::replace(&mut self.state, State::Start) {
            State::Start | State::Text | State::Fence(_) | State::Rest => {
                self.end_text(room, BlockKind::Text, end);
            }
            State::Reasoning(_) => self.end_text(room, BlockKind::Reasoning, end),
            State::Given(kind) => self.end_text(room, kind, end),
            State::Level(call) | State::Value(call) => room.store.close(call.block, None),
            State::Data(call) => {
                let how = call.is_whole(room.store).then_some(End::Text);
                if let Some(block) = call.block() {
                    room.store.close(block, how);
                }
            }
        }
        self.stop = None;
        self.from = if room.store.blocks.is_empty() { 0 } else { end };
        self.follow_text(end);
    }
}
