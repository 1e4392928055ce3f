//! Puts the pieces of an answer in order: one start, blocks one after the other, one end.
//!
//! In: [`Piece`]s in any order. Out: [`StreamEvent`]s that are a valid stream whatever came. Never: ends cleanly what was
//! cut, or holds more than the blocks that are open.

mod held;
mod ids;

use std::collections::VecDeque;

use crate::answering::Answering;
use crate::event::{Delta, Failure, FailureKind, StartBlock, Stop, StreamEvent, Usage, input};
use crate::note::{Note, NoteCode, Notes};
use crate::piece::{Finish, Piece};
use held::{Held, Kind};
use ids::Ids;
pub(crate) use ids::cleaned;

/// How much of blocks that wait for their turn is held, and how much the input of a call may be, in bytes.
const MAX_HELD_BYTES: usize = 32 << 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Fresh,
    Started,
    Ended,
}

/// The machine. The first block of the queue is open as soon as it can be; those behind it wait.
#[derive(Debug, Default)]
pub(crate) struct Assembler {
    answering: Answering,
    phase: Phase,
    ids: Ids,
    queue: VecDeque<Held>,
    /// The index of the next block.
    next: usize,
    /// Calls that were emitted.
    calls: usize,
    /// The first block that is a call without a whole input.
    broken: Option<usize>,
    held: usize,
    finish: Option<Finish>,
    usage: Usage,
    id: Option<String>,
    model: Option<String>,
    notes: Notes,
}

impl Assembler {
    pub(crate) fn new(answering: Answering) -> Self {
        Self { answering, ..Self::default() }
    }

    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Ended
    }

    pub(crate) fn notes(&self) -> &[Note] {
        self.notes.as_slice()
    }

    pub(crate) fn take(&mut self, piece: Piece, out: &mut Vec<StreamEvent>) {
        if self.is_over() {
            return;
        }
        match piece {
            Piece::Start { id, model } => {
                self.id = self.id.take().or(id);
                self.model = self.model.take().or(model);
                self.start(out);
            }
            Piece::Usage(usage) => self.usage.update(usage),
            Piece::Finish(finish) => self.reason(finish),
            Piece::Fail(failure) => self.fail(failure, out),
            Piece::Ping => out.push(StreamEvent::Ping),
            Piece::Note(code) => self.notes.add(code, ""),
            Piece::Done if self.phase == Phase::Fresh && self.finish.is_none() => {
                self.fail(cut("the stream ended before an answer began"), out);
            }
            Piece::Done => self.end(out),
            Piece::TextEnd => self.end_text(),
            content => self.take_content(content),
        }
        self.advance(out);
    }

    /// The stream of bytes ended.
    pub(crate) fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        if self.is_over() {
            return;
        }
        match (self.phase, &self.finish) {
            (Phase::Fresh, None) => self.fail(cut("the stream ended before an answer began"), out),
            (_, None) => self.fail(cut("the stream ended before the answer did"), out),
            (_, Some(_)) => self.end(out),
        }
    }

    /// The last reason counts, but none takes back that the answer was cut or refused: some servers say `stop` with every
    /// chunk, and some once more at the end.
    fn reason(&mut self, finish: Finish) {
        let soft = |old: &Finish| matches!(old.stop, Stop::EndTurn | Stop::ToolUse);
        if self.finish.as_ref().is_none_or(soft) {
            self.finish = Some(finish);
        }
    }

    fn take_content(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) if !text.is_empty() => {
                self.append(Kind::Text, Delta::Text(text));
            }
            Piece::Thinking(text) if !text.is_empty() => {
                self.append(Kind::Thinking, Delta::Thinking(text));
            }
            Piece::Signature(signature) => self.sign(signature),
            Piece::Redacted(data) => self.push(Held::redacted(data)),
            Piece::Call { key, id, name, arguments } => {
                self.take_call(key, id, name);
                let at = self.call(key);
                self.add(at, Delta::InputJson(arguments));
            }
            Piece::CallWhole { key, arguments } => {
                let at = self.call(key);
                if self.queue[at].is_bare() {
                    self.add(at, Delta::InputJson(arguments));
                }
            }
            Piece::Block { key, block } => {
                let kind = Kind::of_block(block);
                self.push(Held::new(kind, Some(key)));
            }
            Piece::BlockDelta { key, delta } => self.take_delta(key, delta),
            Piece::BlockEnd { key } | Piece::CallEnd { key } => {
                if let Some(at) = self.at(key) {
                    self.queue[at].end();
                }
            }
            // Empty text opens nothing; the others were taken before.
            _ => {}
        }
    }

    fn take_delta(&mut self, key: usize, delta: Delta) {
        match (self.at(key), delta) {
            (Some(at), delta) if self.queue[at].takes(&delta) => self.add(at, delta),
            // Its block never began, has ended, or is of another kind; what is for people is kept.
            (_, Delta::Text(text)) => self.take_content(Piece::Text(text)),
            (_, Delta::Thinking(text)) => self.take_content(Piece::Thinking(text)),
            (_, Delta::Signature(_) | Delta::InputJson(_) | Delta::Other(_)) => {
                self.notes.add(NoteCode::PieceDropped, "");
            }
        }
    }

    /// What is known of a call; the first id and the first name count.
    fn take_call(&mut self, key: usize, id: Option<String>, name: Option<String>) {
        let at = self.call(key);
        if let Kind::Call { id: own, name: named } = &mut self.queue[at].kind {
            *own = own.take().or(id.filter(|id| !id.is_empty()));
            *named = named.take().or(name.filter(|name| !name.is_empty()));
        }
    }

    /// The block of a key that has not ended.
    fn at(&self, key: usize) -> Option<usize> {
        self.queue.iter().position(|held| held.key == Some(key) && !held.is_ended())
    }

    fn call(&mut self, key: usize) -> usize {
        self.at(key).unwrap_or_else(|| {
            self.push(Held::new(Kind::Call { id: None, name: None }, Some(key)));
            self.queue.len() - 1
        })
    }

    /// Adds text to the last block, or to a new one.
    fn append(&mut self, kind: Kind, delta: Delta) {
        let fits = self.queue.back().is_some_and(|back| back.kind == kind && !back.is_ended());
        if !fits {
            self.push(Held::new(kind, None));
        }
        self.add(self.queue.len() - 1, delta);
    }

    /// A signature belongs to the last reasoning; where that is behind, it goes back in a block of its own.
    fn sign(&mut self, signature: String) {
        let open = self.queue.iter().rposition(|held| held.kind == Kind::Thinking);
        match open {
            Some(at) => self.add(at, Delta::Signature(signature)),
            None => self.take_content(Piece::Redacted(signature)),
        }
    }

    fn push(&mut self, held: Held) {
        self.end_text();
        self.queue.push_back(held);
    }

    /// Text and reasoning end where something else begins; calls do not, for their pieces may be interleaved.
    fn end_text(&mut self) {
        if let Some(back) = self.queue.back_mut().filter(|back| back.ends_by_itself()) {
            back.end();
        }
    }

    fn add(&mut self, at: usize, delta: Delta) {
        self.held += self.queue[at].add(delta);
    }

    /// Emits what can be emitted.
    fn advance(&mut self, out: &mut Vec<StreamEvent>) {
        if self.is_over() {
            return;
        }
        if !self.queue.is_empty() {
            self.start(out);
        }
        while let Some(mut head) = self.queue.pop_front() {
            if head.index.is_none() && !self.open(&mut head, out) {
                self.queue.push_front(head);
                break;
            }
            let Some(index) = head.index else { break };
            for delta in head.drain() {
                out.push(StreamEvent::BlockDelta { index, delta });
            }
            if !head.is_ended() {
                self.queue.push_front(head);
                break;
            }
            out.push(StreamEvent::BlockStop { index });
            if input(head.input()).is_none() {
                self.broken = self.broken.or(Some(index));
            }
        }
        if self.queue.len() < 2 {
            self.held = 0;
        }
        let given = self.queue.front().map_or(0, |head| head.input().len());
        if self.held.max(given) > MAX_HELD_BYTES {
            self.fail(cut("more was held back than a block may hold"), out);
        }
    }

    /// Opens a block, unless it is a call whose name is not there yet.
    fn open(&mut self, head: &mut Held, out: &mut Vec<StreamEvent>) -> bool {
        let block = match &head.kind {
            Kind::Text => StartBlock::Text,
            Kind::Thinking => StartBlock::Thinking,
            Kind::Start(block) => block.clone(),
            Kind::Call { name: None, .. } => return false,
            Kind::Call { id, name: Some(name) } => StartBlock::ToolUse {
                id: self.ids.of(id.as_deref(), self.answering.seed(self.id.as_deref())),
                name: self.answering.name(name).to_owned(),
            },
        };
        self.calls += usize::from(matches!(block, StartBlock::ToolUse { .. }));
        head.index = Some(self.next);
        out.push(StreamEvent::BlockStart { index: self.next, block });
        self.next += 1;
        true
    }

    fn start(&mut self, out: &mut Vec<StreamEvent>) {
        if self.phase != Phase::Fresh {
            return;
        }
        self.phase = Phase::Started;
        let id = ids::message(self.id.as_deref(), self.answering.seed(None));
        let model = self.answering.model.clone().or_else(|| self.model.clone());
        let usage = self.usage.clone();
        out.push(StreamEvent::MessageStart { id, model: model.unwrap_or_default(), usage });
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) {
        self.start(out);
        self.queue.iter_mut().for_each(Held::end);
        self.advance(out);
        if self.is_over() {
            return;
        }
        if !self.queue.is_empty() {
            return self.fail(cut("a call has no name"), out);
        }
        let Finish { stop, sequence } = self.finish.take().unwrap_or(Stop::EndTurn.into());
        let may_be_half = |index| stop.may_cut() && index + 1 == self.next;
        if self.broken.is_some_and(|index| !may_be_half(index)) {
            return self.fail(cut("the input of a call is cut, or no JSON object"), out);
        }
        let stop_reason = decided(stop, self.calls);
        let stop_sequence = sequence.filter(|_| stop_reason == Stop::StopSequence);
        let usage = std::mem::take(&mut self.usage);
        out.push(StreamEvent::MessageDelta { stop_reason, stop_sequence, usage });
        out.push(StreamEvent::MessageStop);
        self.phase = Phase::Ended;
    }

    /// Closes what is open, and says that the answer failed. What waited is dropped: the failure is loud enough.
    pub(crate) fn fail(&mut self, failure: Failure, out: &mut Vec<StreamEvent>) {
        if self.is_over() {
            return;
        }
        self.phase = Phase::Ended;
        if let Some(index) = self.queue.front().and_then(|head| head.index) {
            out.push(StreamEvent::BlockStop { index });
        }
        self.queue.clear();
        out.push(StreamEvent::Error(failure));
    }
}

fn cut(message: &str) -> Failure {
    Failure::new(FailureKind::Api, message)
}

/// The blocks decide: a call that was emitted wants its result, whatever the provider says, and without one there is
/// nothing to wait for. Only what was cut or refused stays so, for its last call may be a half.
fn decided(told: Stop, calls: usize) -> Stop {
    match (told, calls) {
        (Stop::ToolUse, 0) => Stop::EndTurn,
        (Stop::EndTurn | Stop::StopSequence | Stop::ToolUse, 1..) => Stop::ToolUse,
        (told, _) => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What streams is not held, and what is held goes with its block.
    #[test]
    fn only_blocks_that_wait_are_held() {
        let (mut assembler, mut out) = (Assembler::new(Answering::default()), Vec::new());
        let call = |key: usize| Piece::Call {
            key,
            id: None,
            name: Some("f".into()),
            arguments: "x".repeat(1000),
        };
        for _ in 0..100 {
            assembler.take(Piece::Text("x".repeat(1000)), &mut out);
            assembler.take(call(0), &mut out);
            assert!(assembler.queue.len() == 1 && assembler.held == 0);
            assembler.take(call(1), &mut out);
            assert!(assembler.queue.len() == 2 && assembler.held > 0);
            assembler.take(Piece::CallEnd { key: 0 }, &mut out);
            assembler.take(Piece::CallEnd { key: 1 }, &mut out);
            assert!(assembler.queue.is_empty() && assembler.held == 0);
        }
    }

    #[test]
    fn what_is_held_has_a_limit() {
        let (mut assembler, mut out) = (Assembler::new(Answering::default()), Vec::new());
        let piece = "x".repeat(1 << 20);
        for key in [0, 1].into_iter().chain(std::iter::repeat_n(1, 40)) {
            let (name, arguments) = (Some("f".into()), piece.clone());
            assembler.take(Piece::Call { key, id: None, name, arguments }, &mut out);
        }
        assert!(matches!(out.last(), Some(StreamEvent::Error(_))));
    }
}
