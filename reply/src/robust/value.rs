//! A value between tags: which of the closers in it are real.
//!
//! In: the buffer within a value. Out: its end, or why it does not end here. Never: ends a raw value at a closer that
//! something else follows than a tag of the call.

use super::level::{Doubtful, TagCall, tags};
use super::peek::{Ended, Tag, line_starts};
use super::{Choice, Robust, State, Step};
use crate::buffer::Span;
use crate::dialect::{Format, Tags};
use crate::event::{End, Repair};
use crate::flow::{Flow, Trim};
use crate::pattern::{Found, Known, Look};
use crate::scan;
use crate::specs::ParamKind;
use crate::store::Store;

#[derive(Debug)]
pub(super) struct OpenValue {
    pub(super) param: usize,
    pub(super) kind: ParamKind,
    pub(super) trim: Trim,
    pub(super) from: usize,
    flow: Flow,
    /// Openers of the same parameter in it that have no closer yet.
    inner_params: usize,
    /// Openers of the same tool in it that have no closer yet.
    inner_calls: usize,
    /// Where it ends if the counts were fooled.
    tentative: Option<Cut>,
    /// The last closer that was none.
    rejected: Option<usize>,
    /// The last closer that seemed to belong to an example.
    pub(super) example: Option<Cut>,
}

/// A place where a value may end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cut {
    pub(super) to: usize,
    pub(super) resume: usize,
}

/// What follows a closer.
#[derive(Clone, Copy, Debug)]
enum Next {
    CallEnd,
    Param,
    End,
    Other,
}

impl OpenValue {
    pub(super) fn new(param: usize, kind: ParamKind, trim: Trim, at: Span) -> Self {
        Self {
            param,
            kind,
            trim,
            from: at.start,
            flow: Flow::new(trim, at.start),
            inner_params: 0,
            inner_calls: 0,
            tentative: None,
            rejected: None,
            example: None,
        }
    }

    #[inline]
    pub(super) fn tell(&mut self, store: &mut Store, to: usize) {
        let value = self.flow.advance(store.bytes(), to);
        store.show_param(self.param, value);
        store.tell_param(self.param, value.end);
    }

    /// Ends the value before `to`, which may be before what was told.
    pub(super) fn close(&self, store: &mut Store, to: usize) {
        let value = Flow::new(self.trim, self.from).finish(store.bytes(), to);
        store.close_param(self.param, value);
    }
}

impl Robust {
    pub(super) fn in_value(&mut self, store: &mut Store, call: TagCall, value: OpenValue) -> Step {
        let grammar = call.grammar.clone();
        let format = &grammar.formats[call.format];
        let Some(tags) = tags(format) else { return self.again(State::Text) };
        let Some(hit) = scan::byte(tags.lead, store.bytes(), self.at) else {
            self.at = store.buffer.len();
            return self.wait(State::Value(call, value));
        };
        self.at = hit;
        let close = self.peek(store).one(&tags.close, hit, Known::Any);
        match close {
            Look::More => return self.wait(State::Value(call, value)),
            Look::Yes(found) => {
                let name = store.params[value.param].name;
                if found.name.is_empty()
                    || store.buffer.slice(found.name) == store.buffer.slice(name)
                {
                    return self.at_closer(store, call, value, hit, found);
                }
            }
            Look::No => {}
        }
        match self.peek(store).tag(format, tags, call.tool, hit) {
            Look::More => self.wait(State::Value(call, value)),
            Look::Yes(Tag::ParamEnd(found)) => {
                self.at_foreign_closer(store, call, value, hit, found)
            }
            Look::Yes(Tag::Param(found)) => self.at_inner_param(store, call, value, hit, found),
            Look::Yes(Tag::CallEnd(found)) => self.at_call_end(store, call, value, hit, found),
            Look::Yes(Tag::OuterEnd(found)) if value.kind == ParamKind::Scalar => {
                value.close(store, hit);
                self.close_implied(store, &call, found)
            }
            Look::Yes(Tag::OuterEnd(found) | Tag::Ignored(found)) => {
                self.pass(call, value, found.end)
            }
            Look::No => self.at_inner_call(store, call, value, hit, (format, tags)),
        }
    }

    fn pass(&mut self, call: TagCall, value: OpenValue, to: usize) -> Step {
        self.at = to;
        self.again(State::Value(call, value))
    }

    /// The value's own closer.
    fn at_closer(
        &mut self,
        store: &mut Store,
        mut call: TagCall,
        mut value: OpenValue,
        hit: usize,
        found: Found,
    ) -> Step {
        if value.kind == ParamKind::Scalar {
            value.close(store, hit);
            self.at = found.end;
            return self.again(State::Level(call));
        }
        let next = match self.next_after(store, &call, &value, found.end) {
            Look::Yes(next) => next,
            Look::More | Look::No => return self.wait(State::Value(call, value)),
        };
        let (inner_calls, inner_params) = (value.inner_calls, value.inner_params);
        let closes = match next {
            Next::CallEnd | Next::End => inner_calls == 0,
            Next::Param => inner_calls == 0 && inner_params == 0,
            Next::Other => false,
        };
        if closes {
            value.close(store, hit);
            if matches!(next, Next::Param) {
                call.doubtful.push(Doubtful {
                    param: value.param,
                    from: value.from,
                    trim: value.trim,
                });
            }
            self.at = found.end;
            return self.again(State::Level(call));
        }
        let cut = Cut { to: hit, resume: found.end };
        match next {
            Next::CallEnd => {
                value.example = self.example(store, &call, cut);
            }
            Next::Param if inner_calls == 0 && call.reread == Choice::Off => {
                value.tentative = Some(cut)
            }
            Next::Param | Next::End | Next::Other => value.rejected = Some(hit),
        }
        value.inner_params = inner_params.saturating_sub(1);
        self.pass(call, value, found.end)
    }

    fn example(&mut self, store: &Store, call: &TagCall, cut: Cut) -> Option<Cut> {
        match self.call_end_after(store, call, cut.resume) {
            Look::Yes(end) => Some(Cut { to: cut.to, resume: end.end }),
            Look::More | Look::No => Some(cut),
        }
    }

    fn next_after(
        &mut self,
        store: &Store,
        call: &TagCall,
        value: &OpenValue,
        from: usize,
    ) -> Look<Next> {
        let Some(tags) = tags(call.format()) else { return Look::Yes(Next::Other) };
        let mut peek = self.peek(store);
        let at = match peek.after_space(from) {
            Look::Yes(at) => at,
            Look::More => return Look::More,
            Look::No => return Look::Yes(Next::Other),
        };
        if at == store.buffer.len() && peek.ended == Ended::Yes {
            return Look::Yes(Next::End);
        }
        let params = peek.specs.tools[call.tool].params.clone();
        Look::Yes(match peek.tag(call.format(), tags, call.tool, at) {
            Look::More => return Look::More,
            Look::Yes(Tag::CallEnd(_) | Tag::OuterEnd(_)) => Next::CallEnd,
            Look::Yes(Tag::Param(found)) => {
                let known = params.list.is_empty()
                    || params.names.find(store.buffer.slice(found.name)).is_some();
                let own = store.params[value.param].name;
                let same = store.buffer.slice(found.name) == store.buffer.slice(own);
                let new = store.has_param(call.block, found.name).is_none();
                if known && !same && new { Next::Param } else { Next::Other }
            }
            Look::Yes(Tag::Ignored(_)) => Next::CallEnd,
            Look::Yes(Tag::ParamEnd(_)) | Look::No => Next::Other,
        })
    }

    /// The closer of another parameter: of one that ended in doubt it may be the real one.
    fn at_foreign_closer(
        &mut self,
        store: &mut Store,
        call: TagCall,
        value: OpenValue,
        hit: usize,
        found: Found,
    ) -> Step {
        let place = self
            .doubtful_of(store, &call, found)
            .filter(|_| value.inner_calls == 0 && !found.name.is_empty());
        let Some(place) = place else { return self.pass(call, value, found.end) };
        let end = match self.call_end_after(store, &call, found.end) {
            Look::Yes(end) => end,
            Look::More => return self.wait(State::Value(call, value)),
            Look::No => return self.pass(call, value, found.end),
        };
        let real = match value.kind {
            ParamKind::Scalar => Look::Yes(()),
            ParamKind::Raw => self.line_ends(store, &call, end.end),
        };
        match real {
            Look::Yes(()) => self.undo(store, &call, place, hit, end),
            Look::More => self.wait(State::Value(call, value)),
            Look::No => self.pass(call, value, found.end),
        }
    }

    fn at_inner_param(
        &mut self,
        store: &mut Store,
        call: TagCall,
        mut value: OpenValue,
        hit: usize,
        found: Found,
    ) -> Step {
        let own = store.params[value.param].name;
        let same = store.buffer.slice(found.name) == store.buffer.slice(own);
        let named = tags(call.format()).is_some_and(|tags| tags.named);
        match value.kind {
            ParamKind::Raw if (same || !named) && call.reread == Choice::Off => {
                value.inner_params += 1
            }
            ParamKind::Scalar
                if !same && value.tentative.is_none() && call.reread == Choice::Off =>
            {
                let begun = !value.flow.advance(store.bytes(), hit).is_empty();
                let new = store.has_param(call.block, found.name).is_none();
                if begun && new && line_starts(store.bytes(), value.from, hit).is_some() {
                    value.tentative = Some(Cut { to: hit, resume: hit });
                }
            }
            ParamKind::Raw | ParamKind::Scalar => {}
        }
        self.pass(call, value, found.end)
    }

    /// In a scalar the next call, on a line of its own, ends this one; in a raw value the same tool is counted.
    fn at_inner_call(
        &mut self,
        store: &mut Store,
        call: TagCall,
        mut value: OpenValue,
        hit: usize,
        (format, tags): (&Format, &Tags),
    ) -> Step {
        if value.kind == ParamKind::Scalar {
            if line_starts(store.bytes(), value.from, hit).is_none() {
                return self.pass(call, value, hit + 1);
            }
            return match self.peek(store).call(hit) {
                Look::Yes(start) if !self.is_spent(start, hit) => {
                    value.close(store, hit);
                    self.next_call(store, call.block, start, hit)
                }
                Look::More => self.wait(State::Value(call, value)),
                Look::Yes(_) | Look::No => self.pass(call, value, hit + 1),
            };
        }
        let mut peek = self.peek(store);
        let known = if tags.named { Known::These(&peek.specs.names) } else { Known::Any };
        let opener = match peek.any(&format.open, hit, known) {
            Look::Yes(found) => found,
            Look::More => return self.wait(State::Value(call, value)),
            Look::No => return self.pass(call, value, hit + 1),
        };
        if tags.named && opener.number != Some(call.tool) {
            return self.pass(call, value, hit + 1);
        }
        let counted = Found { number: Some(call.tool), ..opener };
        match peek.opened(call.format, counted) {
            Look::Yes(_) if call.reread == Choice::Off => value.inner_calls += 1,
            Look::More => return self.wait(State::Value(call, value)),
            Look::Yes(_) | Look::No => {}
        }
        self.pass(call, value, opener.end)
    }

    fn at_call_end(
        &mut self,
        store: &mut Store,
        mut call: TagCall,
        mut value: OpenValue,
        hit: usize,
        found: Found,
    ) -> Step {
        if value.kind == ParamKind::Raw {
            if value.inner_calls > 0 {
                value.inner_calls -= 1;
                return self.pass(call, value, found.end);
            }
            match self.is_real_end(store, &call, &value, hit, found) {
                Look::Yes(()) => {}
                Look::More => return self.wait(State::Value(call, value)),
                Look::No => return self.pass(call, value, found.end),
            }
        }
        if let Some(cut) = value.tentative {
            value.close(store, cut.to);
            store.repair(call.block, Repair::EarlierCloser);
            call.reread = Choice::On;
            self.at = cut.resume;
            return self.again(State::Level(call));
        }
        let why =
            if value.rejected.is_some() { Repair::EarlierCloser } else { Repair::ImpliedCloser };
        value.close(store, value.rejected.unwrap_or(hit));
        store.repair(call.block, why);
        self.close_call(store, call.block, Some(End::Text), found.end)
    }

    /// On a line of its own, or right behind a tag, and followed by nothing that is text.
    fn is_real_end(
        &mut self,
        store: &Store,
        call: &TagCall,
        value: &OpenValue,
        hit: usize,
        found: Found,
    ) -> Look<()> {
        let bytes = store.bytes();
        let begins = line_starts(bytes, value.from, hit).is_some() || bytes[..hit].ends_with(b">");
        if begins { self.line_ends(store, call, found.end) } else { Look::No }
    }

    /// The line ends at `from`, or the next call begins there, or the reply ends.
    fn line_ends(&mut self, store: &Store, call: &TagCall, from: usize) -> Look<()> {
        let bytes = store.bytes();
        let blanks =
            bytes[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let at = from + blanks;
        match bytes.get(at) {
            Some(b'\n') => Look::Yes(()),
            None => match self.ended() {
                Ended::Yes => Look::Yes(()),
                Ended::No => Look::More,
            },
            Some(_) => {
                let mut peek = self.peek(store);
                match peek.any(&call.format().outer, at, Known::Any) {
                    Look::Yes(_) => return Look::Yes(()),
                    Look::More => return Look::More,
                    Look::No => {}
                }
                match peek.call(at) {
                    Look::Yes(_) => Look::Yes(()),
                    Look::More => Look::More,
                    Look::No => Look::No,
                }
            }
        }
    }
}
