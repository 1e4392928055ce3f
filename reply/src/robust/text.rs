//! Text and reasoning: where they end, and which tags in them are none.
//!
//! In: the buffer from `at` on. Out: the next thing that is no text. Never: opens a call on its tag alone.

use super::code::{plain_fence, short_span};
use super::peek::{Ended, line_starts};
use super::{Choice, Robust, Room, State, Step};
use crate::dialect::Role;
use crate::event::BlockKind;
use crate::pattern::{Found, Known, Look};
use crate::scan;

impl Robust {
    /// Right after a block, and at the beginning: a call may stand bare.
    pub(super) fn start(&mut self, room: &mut Room<'_>) -> Step {
        if self.at == room.store.buffer.len() && self.stop.is_none() {
            return self.wait(State::Start);
        }
        let at = match self.solid(room) {
            Look::Yes(at) => at,
            Look::More | Look::No => return self.wait(State::Start),
        };
        self.at = at;
        if room.store.blocks.is_empty() && self.options.starts_in_reasoning == Choice::On {
            return self.start_in_reasoning(room, at);
        }
        if !matches!(room.store.bytes().get(at), Some(b'{' | b'[')) || at < self.no_data_before {
            return self.again(State::Text);
        }
        for format in &room.grammar.bare {
            let opener = Found { end: at, ..Found::default() };
            match self.peek(room).opened(*format, opener) {
                Look::Yes(start) => return self.begin_call(room, start, at),
                Look::More => return self.wait(State::Start),
                Look::No => {}
            }
        }
        self.again(State::Text)
    }

    /// The template has opened it; the model may do so again.
    fn start_in_reasoning(&mut self, room: &mut Room<'_>, at: usize) -> Step {
        self.options.starts_in_reasoning = Choice::Off;
        let grammar = room.grammar;
        let openers = grammar.reasoning.iter().map(|pair| &pair.open);
        match self.peek(room).any(openers, at, Known::Any) {
            Look::Yes(found) => self.follow_text(found.end),
            Look::No => self.follow_text(at),
            Look::More => {
                self.options.starts_in_reasoning = Choice::On;
                return self.wait(State::Start);
            }
        }
        self.again(State::Reasoning(None))
    }

    pub(super) fn in_text(&mut self, room: &mut Room<'_>) -> Step {
        let (grammar, specs, bytes) = (room.grammar, room.specs, room.store.bytes());
        while let Some(hit) = grammar.needles.find_next(&mut self.ahead, bytes, self.at) {
            self.at = hit;
            match (bytes[hit], bytes.get(hit + 1)) {
                (b'`' | b'~', _) => match self.plain_code(bytes, hit) {
                    Some(after) => self.at = after,
                    None => return self.at_code(room, hit),
                },
                (lead, Some(second)) if !grammar.may_begin(specs, lead, *second) => {
                    self.at = hit + 1;
                }
                _ => return self.at_token(room, hit),
            }
        }
        self.at = bytes.len();
        self.wait(State::Text)
    }

    /// Behind code of the kinds that most code is of.
    #[inline]
    fn plain_code(&self, bytes: &[u8], hit: usize) -> Option<usize> {
        short_span(bytes, hit).or_else(|| match self.options.fenced_calls {
            Choice::Off => plain_fence(bytes, self.from, hit),
            Choice::On => None,
        })
    }

    fn at_token(&mut self, room: &mut Room<'_>, hit: usize) -> Step {
        let Some(second) = room.store.bytes().get(hit + 1) else {
            if self.stop.is_none() {
                return self.wait(State::Text);
            }
            self.at = hit + 1;
            return self.again(State::Text);
        };
        let (grammar, specs) = (room.grammar, room.specs);
        for token in grammar.at_second(specs, *second) {
            let (role, pattern) = &grammar.tokens[usize::from(*token)];
            let look = match self.peek(room).one(pattern, hit, Known::These(&specs.names)) {
                Look::Yes(found) => self.at_role(room, *role, hit, found),
                Look::More => Look::More,
                Look::No => Look::No,
            };
            match look {
                Look::Yes(step) => return step,
                // One that comes first counts first, so that it does not matter how much has come.
                Look::More => return self.wait(State::Text),
                Look::No => {}
            }
        }
        self.at = hit + 1;
        self.again(State::Text)
    }

    /// Acts on a token, if it is one where it stands.
    fn at_role(&mut self, room: &mut Room<'_>, role: Role, hit: usize, found: Found) -> Look<Step> {
        match role {
            Role::Reasoning(pair) => {
                if !self.may_reason(room, hit) {
                    return Look::No;
                }
                self.end_text(room, BlockKind::Text, hit);
                self.follow_text(found.end);
                Look::Yes(self.again(State::Reasoning(Some(pair as u32))))
            }
            Role::ReasoningEnd | Role::Drop => Look::Yes(self.drop_token(room, hit, found)),
            Role::WrapperEnd => {
                if self.wrapped == Choice::Off && !self.is_after_call(room, hit) {
                    return Look::No;
                }
                self.wrapped = Choice::Off;
                Look::Yes(self.drop_token(room, hit, found))
            }
            Role::Wrapper(number) => match self.peek(room).wrapped(number, found) {
                Look::Yes(start) if !self.is_spent(room, start, hit) => {
                    Look::Yes(self.begin_call(room, start, hit))
                }
                Look::More => Look::More,
                Look::Yes(_) | Look::No => Look::No,
            },
            Role::Call(format) => match self.peek(room).opened(format, found) {
                Look::Yes(start) if !self.is_spent(room, start, hit) => {
                    Look::Yes(self.begin_call(room, start, hit))
                }
                Look::More => Look::More,
                Look::Yes(_) | Look::No => Look::No,
            },
        }
    }

    /// Reasoning opens at the beginning, on a new line or right after a block.
    fn may_reason(&mut self, room: &Room<'_>, hit: usize) -> bool {
        self.is_blank(room, hit) || line_starts(room.store.bytes(), self.from, hit).is_some()
    }

    fn is_after_call(&mut self, room: &Room<'_>, hit: usize) -> bool {
        let call = room.store.blocks.last().is_some_and(|block| block.kind == BlockKind::ToolUse);
        call && self.is_blank(room, hit)
    }

    /// A token that is no text ends the text before it.
    fn drop_token(&mut self, room: &mut Room<'_>, hit: usize, found: Found) -> Step {
        self.end_text(room, BlockKind::Text, hit);
        self.follow_text(found.end);
        self.again(State::Start)
    }

    pub(super) fn in_reasoning(&mut self, room: &mut Room<'_>, pair: Option<u32>) -> Step {
        let grammar = room.grammar;
        let closers = match pair {
            Some(pair) => &grammar.reasoning[pair as usize].close,
            None => &grammar.reasoning_ends,
        };
        let lead = closers.first().and_then(|closer| closer.byte(0));
        let hit = match (pair, lead) {
            (Some(_), Some(lead)) if self.options.call_ends_reasoning == Choice::Off => {
                scan::byte(lead, room.store.bytes(), self.at)
            }
            _ => grammar.needles.find_next(&mut self.ahead, room.store.bytes(), self.at),
        };
        let Some(hit) = hit else {
            self.at = room.store.buffer.len();
            return self.wait(State::Reasoning(pair));
        };
        self.at = hit;
        match self.peek(room).any(closers, hit, Known::Any) {
            Look::Yes(found) => {
                self.end_text(room, BlockKind::Reasoning, hit);
                self.follow_text(found.end);
                self.again(State::Start)
            }
            Look::More => self.wait(State::Reasoning(pair)),
            Look::No => self.call_in_reasoning(room, pair, hit),
        }
    }

    fn call_in_reasoning(&mut self, room: &mut Room<'_>, pair: Option<u32>, hit: usize) -> Step {
        if self.options.call_ends_reasoning == Choice::On {
            match self.peek(room).call(hit) {
                Look::Yes(start) if !self.is_spent(room, start, hit) => {
                    self.end_text(room, BlockKind::Reasoning, hit);
                    self.follow_text(hit);
                    return self.begin_call(room, start, hit);
                }
                Look::More => return self.wait(State::Reasoning(pair)),
                Look::Yes(_) | Look::No => {}
            }
        }
        self.at = hit + 1;
        self.again(State::Reasoning(pair))
    }

    /// Whether more bytes may come.
    pub(super) fn ended(&self) -> Ended {
        if self.stop.is_some() { Ended::Yes } else { Ended::No }
    }
}
