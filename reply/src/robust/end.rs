//! The end of the stream: what is undecided is decided, what is open stays partial.
//!
//! In: why the stream ended. Out: the last changes. Never: completes a call that was cut.

use super::level::TagCall;
use super::{Choice, Robust, Room, State, Step};
use crate::event::{BlockKind, End, Repair, StopReason};
use crate::flow::{Flow, Trim};
use crate::specs::ParamKind;
use crate::store::{Phase, Store};

impl Robust {
    pub(crate) fn finish(&mut self, room: &mut Room<'_>, reason: StopReason) {
        self.stop = Some(reason);
        while self.step(room) == Step::Again {}
        match std::mem::replace(&mut self.state, State::Rest) {
            State::Value(call) => self.end_value(room, *call, reason),
            state => {
                self.state = state;
                self.tell(room);
            }
        }
        self.end_blocks(room, reason);
    }

    /// A value that looks as if it ended within an example, which was never closed, ends there; unless it was cut.
    fn end_value(&mut self, room: &mut Room<'_>, mut call: TagCall, reason: StopReason) {
        let cut = call.value.example.filter(|_| {
            call.value.kind == ParamKind::Raw
                && !matches!(reason, StopReason::MaxTokens | StopReason::Aborted)
        });
        let Some(cut) = cut else {
            call.value.tell(room.store, self.at);
            return;
        };
        call.value.close(room.store, cut.to);
        room.store.repair(call.block, Repair::UnclosedExample);
        room.store.close(call.block, Some(End::Text));
        self.from = cut.resume;
        self.flow = Flow::new(Trim::Space, cut.resume);
        self.at = room.store.buffer.len();
        self.tell_text(room, BlockKind::Text, self.at);
    }

    fn end_blocks(&mut self, room: &mut Room<'_>, reason: StopReason) {
        let Some(how) = reason.end() else { return };
        let last = room.store.blocks.len().checked_sub(1);
        if let Some(last) = last.filter(|last| room.store.blocks[*last].phase == Phase::Open) {
            room.store.close(last, Some(how));
        }
    }

    /// A fence that holds one call, and nothing else, is the call.
    pub(super) fn fenced_call(
        &mut self,
        room: &mut Room<'_>,
        (outside, inside): (usize, usize),
        (hit, end): (usize, usize),
    ) -> Step {
        self.no_fence_before = end;
        let holds = self.holds_one_call(room, inside, hit);
        let at = crate::space::skip(room.store.bytes(), inside);
        if holds && let crate::pattern::Look::Yes(start) = self.peek(room).call(at) {
            self.fence_end = Some((hit, end));
            return self.begin_call(room, start, outside);
        }
        self.at = end;
        self.again(State::Text)
    }

    fn holds_one_call(&self, room: &Room<'_>, inside: usize, hit: usize) -> bool {
        let options = super::Options { fenced_calls: Choice::Off, ..super::Options::default() };
        let mut alone = Self::new(options);
        let mut part = Store::default();
        part.buffer.push(&room.store.bytes()[inside..hit]);
        let inner = &mut Room { store: &mut part, grammar: room.grammar, specs: room.specs };
        alone.advance(inner);
        alone.finish(inner, StopReason::Unknown);
        match &part.blocks[..] {
            [only] => {
                only.kind == BlockKind::ToolUse
                    && only.end == Some(End::Text)
                    && only.repaired.is_none()
            }
            _ => false,
        }
    }
}
