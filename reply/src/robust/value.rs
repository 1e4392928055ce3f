//! A value between tags: which of the closers in it are real.
//!
//! In: the buffer within a value. Out: its end, or why it does not end here. Never: ends a raw value at a closer that
//! something else follows than a tag of the call.

use super::level::{Doubtful, TagCall, tags};
use super::peek::{Ended, MAX_BLANKS, Tag, line_starts};
use super::{Choice, Robust, Room, State, Step};
use crate::buffer::Span;
use crate::dialect::{Format, Tags};
use crate::event::{End, Repair};
use crate::flow::{Flow, Trim};
use crate::pattern::{Found, Known, Look};
use crate::specs::ParamKind;
use crate::store::Store;

#[derive(Clone, Copy, Debug)]
pub(super) struct OpenValue {
    pub(super) param: usize,
    pub(super) kind: ParamKind,
    pub(super) trim: Trim,
    pub(super) from: usize,
    pub(super) flow: Flow,
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
    /// The call's closer, which ends there.
    CallEnd(usize),
    /// Another tag that ends the call, or is passed over.
    OuterEnd,
    Param,
    End,
    Other,
}

impl OpenValue {
    /// Whether its closer is the real one, by what follows and by what was opened in it.
    fn ends_before(&self, next: Next) -> bool {
        match next {
            Next::CallEnd(_) | Next::OuterEnd | Next::End => self.inner_calls == 0,
            Next::Param => self.inner_calls == 0 && self.inner_params == 0,
            Next::Other => false,
        }
    }

    /// None yet.
    pub(super) fn none() -> Self {
        Self::new(0, ParamKind::Scalar, Trim::Space, Span::default())
    }

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
        let again = || Flow::new(self.trim, self.from);
        let mut flow = if to < self.flow.looked() { again() } else { self.flow };
        let value = flow.finish(store.bytes(), to);
        store.close_param(self.param, value);
    }
}

impl Robust {
    pub(super) fn in_value(&mut self, room: &mut Room<'_>, call: Box<TagCall>) -> Step {
        let grammar = room.grammar;
        let format = &grammar.formats[call.format];
        let Some(tags) = tags(format) else { return self.again(State::Text) };
        let Some(hit) = call.next_tag(room.store.bytes(), self.at) else {
            self.at = room.store.buffer.len();
            return self.wait(State::Value(call));
        };
        self.at = hit;
        let name = room.store.buffer.slice(room.store.params[call.value.param].name);
        match self.peek_on(room).own_end(tags, name, hit) {
            Look::More => return self.wait(State::Value(call)),
            Look::Yes(end) => return self.at_closer(room, call, hit, end),
            Look::No => {}
        }
        let tag = self.peek_on(room).tag(format, tags, call.tool, hit);
        match &tag {
            Look::More => self.wait(State::Value(call)),
            Look::Yes(Tag::ParamEnd(found)) => self.at_foreign_closer(room, call, hit, found),
            Look::Yes(Tag::Param(found)) => self.at_inner_param(room, call, hit, found),
            Look::Yes(Tag::CallEnd(found)) => self.at_call_end(room, call, hit, found.end),
            Look::Yes(Tag::OuterEnd(found)) if call.value.kind == ParamKind::Scalar => {
                call.value.close(room.store, hit);
                self.close_implied(room, &call, found.end)
            }
            Look::Yes(Tag::OuterEnd(found) | Tag::Ignored(found)) => self.pass(call, found.end),
            Look::No => self.at_inner_call(room, call, hit, (format, tags)),
        }
    }

    fn pass(&mut self, call: Box<TagCall>, to: usize) -> Step {
        self.at = to;
        self.again(State::Value(call))
    }

    /// The value's own closer.
    fn at_closer(
        &mut self,
        room: &mut Room<'_>,
        mut call: Box<TagCall>,
        hit: usize,
        end: usize,
    ) -> Step {
        if call.value.kind == ParamKind::Scalar {
            call.value.close(room.store, hit);
            self.at = end;
            return self.again(State::Level(call));
        }
        let next = match self.next_after(room, &call, end) {
            Look::Yes(next) => next,
            Look::More | Look::No => return self.wait(State::Value(call)),
        };
        if call.value.ends_before(next) {
            call.value.close(room.store, hit);
            match next {
                Next::CallEnd(end) => {
                    return self.close_call(room, call.block, Some(End::Text), end);
                }
                Next::Param => call.doubtful.push(Doubtful {
                    param: call.value.param,
                    from: call.value.from,
                    trim: call.value.trim,
                }),
                Next::OuterEnd | Next::End | Next::Other => {}
            }
            self.at = end;
            return self.again(State::Level(call));
        }
        self.note_closer(room, &mut call, next, Cut { to: hit, resume: end });
        self.pass(call, end)
    }

    /// Remembers a closer that does not end the value: it may turn out to be the real one.
    fn note_closer(&mut self, room: &Room<'_>, call: &mut TagCall, next: Next, cut: Cut) {
        match next {
            Next::CallEnd(end) => call.value.example = Some(Cut { to: cut.to, resume: end }),
            Next::OuterEnd => call.value.example = self.example(room, call, cut),
            Next::Param if call.value.inner_calls == 0 && call.reread == Choice::Off => {
                call.value.tentative = Some(cut)
            }
            Next::Param | Next::End | Next::Other => call.value.rejected = Some(cut.to),
        }
        call.value.inner_params = call.value.inner_params.saturating_sub(1);
    }

    fn example(&mut self, room: &Room<'_>, call: &TagCall, cut: Cut) -> Option<Cut> {
        match self.call_end_after(room, call, cut.resume) {
            Look::Yes(end) => Some(Cut { to: cut.to, resume: end }),
            Look::More | Look::No => Some(cut),
        }
    }

    fn next_after(&mut self, room: &Room<'_>, call: &TagCall, from: usize) -> Look<Next> {
        let Some(tags) = tags(call.format(room.grammar)) else { return Look::Yes(Next::Other) };
        let mut peek = self.peek(room);
        let at = match peek.after_space(from) {
            Look::Yes(at) => at,
            Look::More => return Look::More,
            Look::No => return Look::Yes(Next::Other),
        };
        if at == room.store.buffer.len() && peek.ended == Ended::Yes {
            return Look::Yes(Next::End);
        }
        let params = &room.specs.tools[call.tool].params;
        let ended = std::mem::replace(&mut peek.ended, Ended::No);
        Look::Yes(match peek.tag(call.format(room.grammar), tags, call.tool, at) {
            // Where the reply is cut within a tag, that tag would have ended the value.
            Look::More if ended == Ended::Yes => Next::End,
            Look::More => return Look::More,
            Look::Yes(Tag::CallEnd(found)) => Next::CallEnd(found.end),
            Look::Yes(Tag::OuterEnd(_) | Tag::Ignored(_)) => Next::OuterEnd,
            Look::Yes(Tag::Param(found)) => {
                let known = params.list.is_empty()
                    || params.names.find(room.store.buffer.slice(found.name)).is_some();
                let own = room.store.params[call.value.param].name;
                let same = room.store.buffer.slice(found.name) == room.store.buffer.slice(own);
                let new = room.store.has_param(call.block, found.name).is_none();
                if known && !same && new { Next::Param } else { Next::Other }
            }
            Look::Yes(Tag::ParamEnd(_)) | Look::No => Next::Other,
        })
    }

    /// The closer of another parameter: of one that ended in doubt it may be the real one.
    fn at_foreign_closer(
        &mut self,
        room: &mut Room<'_>,
        call: Box<TagCall>,
        hit: usize,
        found: &Found,
    ) -> Step {
        let place = self
            .doubtful_of(room, &call, found)
            .filter(|_| call.value.inner_calls == 0 && !found.name.is_empty());
        let Some(place) = place else { return self.pass(call, found.end) };
        let end = match self.call_end_after(room, &call, found.end) {
            Look::Yes(end) => end,
            Look::More => return self.wait(State::Value(call)),
            Look::No => return self.pass(call, found.end),
        };
        let real = match call.value.kind {
            ParamKind::Scalar => Look::Yes(()),
            ParamKind::Raw => self.line_ends(room, &call, end),
        };
        match real {
            Look::Yes(()) => self.undo(room, &call, (place, hit), end),
            Look::More => self.wait(State::Value(call)),
            Look::No => self.pass(call, found.end),
        }
    }

    fn at_inner_param(
        &mut self,
        room: &mut Room<'_>,
        mut call: Box<TagCall>,
        hit: usize,
        found: &Found,
    ) -> Step {
        let own = room.store.params[call.value.param].name;
        let same = room.store.buffer.slice(found.name) == room.store.buffer.slice(own);
        let named = tags(call.format(room.grammar)).is_some_and(|tags| tags.named);
        match call.value.kind {
            ParamKind::Raw if (same || !named) && call.reread == Choice::Off => {
                call.value.inner_params += 1
            }
            ParamKind::Scalar
                if !same && call.value.tentative.is_none() && call.reread == Choice::Off =>
            {
                let begun = !call.value.flow.advance(room.store.bytes(), hit).is_empty();
                let new = room.store.has_param(call.block, found.name).is_none();
                if begun && new && line_starts(room.store.bytes(), call.value.from, hit).is_some() {
                    call.value.tentative = Some(Cut { to: hit, resume: hit });
                }
            }
            ParamKind::Raw | ParamKind::Scalar => {}
        }
        self.pass(call, found.end)
    }

    /// In a scalar the next call, on a line of its own, ends this one; in a raw value the same tool is counted.
    fn at_inner_call(
        &mut self,
        room: &mut Room<'_>,
        mut call: Box<TagCall>,
        hit: usize,
        (format, tags): (&Format, &Tags),
    ) -> Step {
        if call.value.kind == ParamKind::Scalar {
            if line_starts(room.store.bytes(), call.value.from, hit).is_none() {
                return self.pass(call, hit + 1);
            }
            return match self.peek(room).call(hit) {
                Look::Yes(start) if !self.is_spent(room, start, hit) => {
                    call.value.close(room.store, hit);
                    self.next_call(room, call.block, start, hit)
                }
                Look::More => self.wait(State::Value(call)),
                Look::Yes(_) | Look::No => self.pass(call, hit + 1),
            };
        }
        let mut peek = self.peek(room);
        let known = if tags.named { Known::These(&peek.specs.names) } else { Known::Any };
        let opener = match peek.any(&format.open, hit, known) {
            Look::Yes(found) => found,
            Look::More => return self.wait(State::Value(call)),
            Look::No => return self.pass(call, hit + 1),
        };
        if tags.named && opener.number != Some(call.tool) {
            return self.pass(call, hit + 1);
        }
        let counted = Found { number: Some(call.tool), ..opener };
        match peek.opened(call.format, counted) {
            Look::Yes(_) if call.reread == Choice::Off => call.value.inner_calls += 1,
            Look::More => return self.wait(State::Value(call)),
            Look::Yes(_) | Look::No => {}
        }
        self.pass(call, opener.end)
    }

    fn at_call_end(
        &mut self,
        room: &mut Room<'_>,
        mut call: Box<TagCall>,
        hit: usize,
        end: usize,
    ) -> Step {
        if call.value.kind == ParamKind::Raw {
            if call.value.inner_calls > 0 {
                call.value.inner_calls -= 1;
                return self.pass(call, end);
            }
            match self.is_real_end(room, &call, hit, end) {
                Look::Yes(()) => {}
                Look::More => return self.wait(State::Value(call)),
                Look::No => return self.pass(call, end),
            }
        }
        if let Some(cut) = call.value.tentative {
            call.value.close(room.store, cut.to);
            room.store.repair(call.block, Repair::EarlierCloser);
            call.reread = Choice::On;
            self.at = cut.resume;
            return self.again(State::Level(call));
        }
        let why = if call.value.rejected.is_some() {
            Repair::EarlierCloser
        } else {
            Repair::ImpliedCloser
        };
        call.value.close(room.store, call.value.rejected.unwrap_or(hit));
        room.store.repair(call.block, why);
        self.close_call(room, call.block, Some(End::Text), end)
    }

    /// On a line of its own, or right behind a tag, and followed by nothing that is text.
    fn is_real_end(&mut self, room: &Room<'_>, call: &TagCall, hit: usize, end: usize) -> Look<()> {
        let bytes = room.store.bytes();
        let begins =
            line_starts(bytes, call.value.from, hit).is_some() || bytes[..hit].ends_with(b">");
        if begins { self.line_ends(room, call, end) } else { Look::No }
    }

    /// The line ends at `from`, or the next call begins there, or the reply ends.
    fn line_ends(&mut self, room: &Room<'_>, call: &TagCall, from: usize) -> Look<()> {
        let bytes = room.store.bytes();
        let blanks = bytes[from..]
            .iter()
            .take(MAX_BLANKS)
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
            .count();
        let at = from + blanks;
        match bytes.get(at) {
            Some(b'\n') => Look::Yes(()),
            None => match self.ended() {
                Ended::Yes => Look::Yes(()),
                Ended::No => Look::More,
            },
            Some(_) => {
                let mut peek = self.peek(room);
                match peek.any(&call.format(room.grammar).outer, at, Known::Any) {
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
