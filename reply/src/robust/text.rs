//! Text and reasoning: where they end, and which tags in them are none.
//!
//! In: the buffer from `at` on. Out: the next thing that is no text. Never: opens a call on its tag alone.

use super::peek::{Ended, line_starts};
use super::{Choice, Robust, State, Step};
use crate::dialect::Role;
use crate::event::BlockKind;
use crate::pattern::{Found, Known, Look};
use crate::scan;
use crate::store::Store;

impl Robust {
    /// Right after a block, and at the beginning: a call may stand bare.
    pub(super) fn start(&mut self, store: &mut Store) -> Step {
        let at = match self.solid(store) {
            Look::Yes(at) => at,
            Look::More | Look::No => return self.wait(State::Start),
        };
        self.at = at;
        if store.blocks.is_empty() && self.options.starts_in_reasoning == Choice::On {
            return self.start_in_reasoning(store, at);
        }
        if !matches!(store.bytes().get(at), Some(b'{' | b'[')) || at < self.no_data_before {
            return self.again(State::Text);
        }
        let mut answer = Look::No;
        let bare = std::mem::take(&mut self.bare_formats());
        for format in bare {
            let opener = Found { end: at, ..Found::default() };
            match self.peek(store).opened(format, opener) {
                Look::Yes(start) => return self.begin_call(store, start, at),
                Look::More => answer = Look::More,
                Look::No => {}
            }
        }
        match answer {
            Look::More => self.wait(State::Start),
            Look::Yes(()) | Look::No => self.again(State::Text),
        }
    }

    fn bare_formats(&self) -> Vec<usize> {
        self.grammar.bare.clone()
    }

    /// The template has opened it; the model may do so again.
    fn start_in_reasoning(&mut self, store: &mut Store, at: usize) -> Step {
        self.options.starts_in_reasoning = Choice::Off;
        let grammar = self.grammar.clone();
        let openers: Vec<_> = grammar.reasoning.iter().map(|pair| pair.open.clone()).collect();
        match self.peek(store).any(&openers, at, Known::Any) {
            Look::Yes(found) => self.follow_text(found.end),
            Look::No => self.follow_text(at),
            Look::More => {
                self.options.starts_in_reasoning = Choice::On;
                return self.wait(State::Start);
            }
        }
        self.again(State::Reasoning(None))
    }

    pub(super) fn in_text(&mut self, store: &mut Store) -> Step {
        let Some(hit) = self.grammar.needles.find(store.bytes(), self.at) else {
            self.at = store.buffer.len();
            return self.wait(State::Text);
        };
        self.at = hit;
        match store.bytes()[hit] {
            b'`' | b'~' => self.at_code(store, hit),
            _ => self.at_token(store, hit),
        }
    }

    fn at_token(&mut self, store: &mut Store, hit: usize) -> Step {
        let Some(second) = store.bytes().get(hit + 1) else {
            if self.stop.is_none() {
                return self.wait(State::Text);
            }
            self.at = hit + 1;
            return self.again(State::Text);
        };
        let grammar = self.grammar.clone();
        let mut more = false;
        for token in &grammar.by_second[usize::from(*second)] {
            let (role, pattern) = &grammar.tokens[usize::from(*token)];
            let names = self.specs.names.clone();
            match self.peek(store).one(pattern, hit, Known::These(&names)) {
                Look::Yes(found) => match self.at_role(store, *role, hit, found) {
                    Look::Yes(step) => return step,
                    Look::More => more = true,
                    Look::No => {}
                },
                Look::More => more = true,
                Look::No => {}
            }
        }
        if more {
            return self.wait(State::Text);
        }
        self.at = hit + 1;
        self.again(State::Text)
    }

    /// Acts on a token, if it is one where it stands.
    fn at_role(&mut self, store: &mut Store, role: Role, hit: usize, found: Found) -> Look<Step> {
        match role {
            Role::Reasoning(pair) => {
                if !self.may_reason(store, hit) {
                    return Look::No;
                }
                self.end_text(store, BlockKind::Text, hit);
                self.follow_text(found.end);
                Look::Yes(self.again(State::Reasoning(Some(pair))))
            }
            Role::ReasoningEnd | Role::Drop => Look::Yes(self.drop_token(store, hit, found)),
            Role::WrapperEnd => {
                if self.wrapped == Choice::Off && !self.is_after_call(store, hit) {
                    return Look::No;
                }
                self.wrapped = Choice::Off;
                Look::Yes(self.drop_token(store, hit, found))
            }
            Role::Wrapper(number) => match self.peek(store).wrapped(number, found) {
                Look::Yes(start) if !self.is_spent(start, hit) => {
                    Look::Yes(self.begin_call(store, start, hit))
                }
                Look::More => Look::More,
                Look::Yes(_) | Look::No => Look::No,
            },
            Role::Call(format) => match self.peek(store).opened(format, found) {
                Look::Yes(start) if !self.is_spent(start, hit) => {
                    Look::Yes(self.begin_call(store, start, hit))
                }
                Look::More => Look::More,
                Look::Yes(_) | Look::No => Look::No,
            },
        }
    }

    /// Reasoning opens at the beginning, on a new line or right after a block.
    fn may_reason(&mut self, store: &Store, hit: usize) -> bool {
        self.is_blank(store, hit) || line_starts(store.bytes(), self.from, hit).is_some()
    }

    fn is_after_call(&mut self, store: &Store, hit: usize) -> bool {
        let call = store.blocks.last().is_some_and(|block| block.kind == BlockKind::ToolUse);
        call && self.is_blank(store, hit)
    }

    /// A token that is no text ends the text before it.
    fn drop_token(&mut self, store: &mut Store, hit: usize, found: Found) -> Step {
        self.end_text(store, BlockKind::Text, hit);
        self.follow_text(found.end);
        self.again(State::Start)
    }

    pub(super) fn in_reasoning(&mut self, store: &mut Store, pair: Option<usize>) -> Step {
        let grammar = self.grammar.clone();
        let closers = match pair {
            Some(pair) => grammar.reasoning[pair].close.clone(),
            None => grammar.reasoning.iter().flat_map(|pair| pair.close.iter().cloned()).collect(),
        };
        let lead = closers.first().and_then(|closer| closer.lead());
        let hit = match (pair, lead) {
            (Some(_), Some(lead)) if self.options.call_ends_reasoning == Choice::Off => {
                scan::byte(lead, store.bytes(), self.at)
            }
            _ => grammar.needles.find(store.bytes(), self.at),
        };
        let Some(hit) = hit else {
            self.at = store.buffer.len();
            return self.wait(State::Reasoning(pair));
        };
        self.at = hit;
        match self.peek(store).any(&closers, hit, Known::Any) {
            Look::Yes(found) => {
                self.end_text(store, BlockKind::Reasoning, hit);
                self.follow_text(found.end);
                self.again(State::Start)
            }
            Look::More => self.wait(State::Reasoning(pair)),
            Look::No => self.call_in_reasoning(store, pair, hit),
        }
    }

    fn call_in_reasoning(&mut self, store: &mut Store, pair: Option<usize>, hit: usize) -> Step {
        if self.options.call_ends_reasoning == Choice::On {
            match self.peek(store).call(hit) {
                Look::Yes(start) if !self.is_spent(start, hit) => {
                    self.end_text(store, BlockKind::Reasoning, hit);
                    self.follow_text(hit);
                    return self.begin_call(store, start, hit);
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
