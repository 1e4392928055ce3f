//! The end of the stream: what is undecided is decided, what is open stays partial.
//!
//! In: why the stream ended. Out: the last changes. Never: completes a call that was cut.

use super::level::TagCall;
use super::value::OpenValue;
use super::{Choice, Robust, State, Step};
use crate::event::{BlockKind, End, Repair, StopReason};
use crate::flow::{Flow, Trim};
use crate::specs::ParamKind;
use crate::store::{Phase, Store};

impl Robust {
    pub(crate) fn finish(&mut self, store: &mut Store, reason: StopReason) {
        self.stop = Some(reason);
        while self.step(store) == Step::Again {}
        match std::mem::replace(&mut self.state, State::Rest) {
            State::Value(call, value) => self.end_value(store, &call, value, reason),
            state => {
                self.state = state;
                self.tell(store);
            }
        }
        self.end_blocks(store, reason);
    }

    /// A value that looks as if it ended within an example, which was never closed, ends there; unless it was cut.
    fn end_value(
        &mut self,
        store: &mut Store,
        call: &TagCall,
        mut value: OpenValue,
        reason: StopReason,
    ) {
        let cut = value.example.filter(|_| {
            value.kind == ParamKind::Raw
                && !matches!(reason, StopReason::MaxTokens | StopReason::Aborted)
        });
        let Some(cut) = cut else {
            value.tell(store, self.at);
            return;
        };
        value.close(store, cut.to);
        store.repair(call.block, Repair::UnclosedExample);
        store.close(call.block, Some(End::Text));
        self.from = cut.resume;
        self.flow = Flow::new(Trim::Space, cut.resume);
        self.at = store.buffer.len();
        self.tell_text(store, BlockKind::Text, self.at);
    }

    fn end_blocks(&mut self, store: &mut Store, reason: StopReason) {
        let Some(how) = reason.end() else { return };
        let last = store.blocks.len().checked_sub(1);
        if let Some(last) = last.filter(|last| store.blocks[*last].phase == Phase::Open) {
            store.close(last, Some(how));
        }
    }

    /// A fence that holds one call, and nothing else, is the call.
    pub(super) fn fenced_call(
        &mut self,
        store: &mut Store,
        (outside, inside): (usize, usize),
        (hit, end): (usize, usize),
    ) -> Step {
        self.no_fence_before = end;
        let holds = self.holds_one_call(store, inside, hit);
        let at = crate::space::skip(store.bytes(), inside);
        if holds && let crate::pattern::Look::Yes(start) = self.peek(store).call(at) {
            self.end_text(store, BlockKind::Text, outside);
            self.fence_end = Some((hit, end));
            return self.begin_call(store, start, outside);
        }
        self.at = end;
        self.again(State::Text)
    }

    fn holds_one_call(&self, store: &Store, inside: usize, hit: usize) -> bool {
        let options = super::Options { fenced_calls: Choice::Off, ..super::Options::default() };
        let mut alone = Self::new(self.grammar.clone(), self.specs.clone(), options);
        let mut part = Store::default();
        part.buffer.push(&store.bytes()[inside..hit]);
        alone.advance(&mut part);
        alone.finish(&mut part, StopReason::Unknown);
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
