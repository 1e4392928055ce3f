//! Exact mode: what a widely used parser makes of the same reply, bit by bit, without parsing it again for each chunk.
//!
//! In: the buffer as it grows. Out: the same blocks as a parse of the whole so far. Never: looks at a byte twice, or
//! knows anything of dialects.
//!
//! On `>`, the text from the last `<` on is a tag or none. Three states: text, in a tool, in a parameter.

mod call;

use crate::buffer::Span;
use crate::event::{BlockKind, End, Repair, StopReason};
use crate::flow::{Flow, Trim};
use crate::scan::{self, Ahead, ByteSet, MAX_MARKED, Needles, Stops};
use crate::specs::{Names, Specs};
use crate::store::{ParamState, Store};
use crate::text::Coding;
use call::{Call, FILE_PARAM, FILE_TOOL, Heads};

const TAG_ENDS: [u8; 2] = [b'<', b'>'];

#[derive(Debug)]
pub(crate) struct Exact {
    /// Everything before is looked at.
    at: usize,
    ends: Needles,
    ahead: Ahead,
    last_open: Option<usize>,
    state: State,
    /// The call that is open, or was last.
    call: Call,
    /// What is shown of the text or value that is open.
    shown: Flow,
    /// What of it is told in events while its end may become a tag; else it lags behind.
    told: Flow,
    /// The text that is open, once it has a character.
    text: Option<usize>,
    text_from: usize,
    params: Names,
    heads: Heads,
    longest: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Text,
    Tool,
    Param(usize),
}

impl Exact {
    pub(crate) fn new<'n>(specs: &Specs, params: impl IntoIterator<Item = &'n str>) -> Self {
        let params = Names::new(params);
        let longest = specs.names.longest().max(params.longest()) + "</>".len();
        Self {
            at: 0,
            ends: Needles::new(TAG_ENDS),
            ahead: Ahead::default(),
            last_open: None,
            state: State::Text,
            call: Call::default(),
            shown: Flow::new(Trim::Space, 0),
            told: Flow::new(Trim::Space, 0),
            text: None,
            text_from: 0,
            heads: Heads::new(specs, &params),
            params,
            longest,
        }
    }

    /// Takes a chunk that does more than make longer what grows.
    pub(crate) fn push(&mut self, store: &mut Store, specs: &Specs, chunk: &[u8]) {
        let from = store.buffer.len();
        if chunk.len() > MAX_MARKED || !store.buffer.push_ascii(chunk) {
            self.catch_up(store, from);
            store.buffer.push(chunk);
            return self.advance(store, specs);
        }
        let to = from + chunk.len();
        if store.tip.is_some() && self.opens_nothing(chunk) && store.grow_by(chunk, to) {
            return;
        }
        self.catch_up(store, from);
        scan::marks(chunk, TAG_ENDS).for_each(|at| self.look(store, specs, from + at));
        self.at = to;
        self.show_all(store, specs);
    }

    /// Takes over what has grown up to `to`.
    pub(crate) fn catch_up(&mut self, store: &mut Store, to: usize) {
        if let Some(solid) = store.take_tip() {
            self.at = to;
            self.shown.grown(solid, to);
        }
    }

    /// What grows by itself from here on.
    fn note_tip(&self, store: &mut Store) {
        if self.last_open.is_some() || !self.shown.has_begun() || !store.buffer.is_whole() {
            return;
        }
        // Without a begin, no end matters.
        let stops = Stops::one(TAG_ENDS[0]);
        match (self.state, self.text) {
            (State::Param(param), _) => store.let_value_grow(param, Trim::Space, stops),
            (State::Text, Some(text)) => store.let_text_grow(text, stops),
            (State::Text, None) | (State::Tool, _) => {}
        }
    }

    fn heads(&self) -> &ByteSet {
        match self.state {
            State::Text => &self.heads.text,
            State::Tool => &self.heads.tool,
            State::Param(_) => &self.heads.param,
        }
    }

    /// Whether no tag that means something begins in a chunk, behind what has none.
    fn opens_nothing(&self, chunk: &[u8]) -> bool {
        let opens = |at: usize| chunk.get(at + 1).is_none_or(|head| self.heads().has(*head));
        !scan::marks(chunk, [TAG_ENDS[0]]).any(opens)
    }

    pub(crate) fn advance(&mut self, store: &mut Store, specs: &Specs) {
        while let Some(at) = self.ends.find_next(&mut self.ahead, store.bytes(), self.at) {
            self.at = at + 1;
            self.look(store, specs, at);
        }
        self.at = store.buffer.len();
        self.show_all(store, specs);
    }

    /// Shows and tells what the stream is so far.
    #[inline]
    fn show_all(&mut self, store: &mut Store, specs: &Specs) {
        if let Some(open) = self.last_open
            && !self.may_become_tag(store, specs, open)
        {
            self.last_open = None;
        }
        self.show(store);
        self.tell(store);
        self.note_tip(store);
    }

    /// One of the ends of a tag.
    #[inline]
    fn look(&mut self, store: &mut Store, specs: &Specs, at: usize) {
        let bytes = store.bytes();
        if bytes[at] == b'<' {
            let may_be_tag = bytes.get(at + 1).is_none_or(|head| self.heads().has(*head));
            self.last_open = may_be_tag.then_some(at);
        } else if let Some(open) = self.last_open.take() {
            self.tag(store, specs, Span::new(open, at + 1));
        }
    }

    fn tag(&mut self, store: &mut Store, specs: &Specs, tag: Span) {
        if tag.end - tag.start > self.longest {
            return;
        }
        let inside = store.buffer.slice(Span::new(tag.start + 1, tag.end - 1));
        match self.state {
            State::Text => {
                if let Some(tool) = specs.names.find(inside) {
                    self.open_call(store, tool, tag);
                }
            }
            State::Tool => {
                self.call.note(inside, tag);
                self.in_tool(store, specs, tag);
            }
            State::Param(param) => {
                self.call.note(inside, tag);
                if is_closer(inside, store.buffer.slice(store.params[param].name)) {
                    let value = self.shown_until(store, tag.start);
                    store.close_param(param, value);
                    self.state = State::Tool;
                    self.in_tool(store, specs, tag);
                }
            }
        }
    }

    fn open_call(&mut self, store: &mut Store, tool: usize, tag: Span) {
        self.end_text(store, tag.start);
        let block = store.open_block(BlockKind::ToolUse, tag.start);
        store.blocks[block].tool = tool as u32;
        store.announce(block);
        self.call = Call { block, tool, content_from: None, content_to: None };
        self.state = State::Tool;
    }

    /// The text before a call; without a character there is none.
    fn end_text(&mut self, store: &mut Store, to: usize) {
        let content = self.shown_until(store, to);
        if content.is_empty() {
            // What was shown of it was the beginning of the tag.
            if self.text.take().is_some() {
                store.forget();
            }
            return;
        }
        let text = self.open_text(store);
        store.blocks[text].content = content;
        self.tell_text(store, text, content);
        store.close(text, Some(End::Text));
        self.text = None;
    }

    /// What is shown may already be more than what ends here.
    fn shown_until(&mut self, store: &Store, to: usize) -> Span {
        if self.shown.looked() <= to {
            self.shown.advance(store.bytes(), to)
        } else {
            self.told.advance(store.bytes(), to)
        }
    }

    fn open_text(&mut self, store: &mut Store) -> usize {
        let from = self.text_from;
        *self.text.get_or_insert_with(|| store.open_block(BlockKind::Text, from))
    }

    fn tell_text(&self, store: &mut Store, text: usize, content: Span) {
        if content.is_empty() {
            return;
        }
        store.announce(text);
        let block = &mut store.blocks[text];
        block.told = block.told.max(content.start);
        store.tell(text, content.end);
    }

    fn in_tool(&mut self, store: &mut Store, specs: &Specs, tag: Span) {
        let name = Span::new(tag.start + 1, tag.end - 1);
        let inside = store.buffer.slice(name);
        if self.params.find(inside).is_some() {
            self.open_param(store, name, tag.end);
            return;
        }
        let tool = specs.tools[self.call.tool].name.as_bytes();
        if is_closer(inside, tool) {
            if tool == FILE_TOOL {
                self.call.restore_content(store);
            }
            store.close(self.call.block, Some(End::Text));
            self.state = State::Text;
            self.restart(tag.end);
        }
    }

    fn open_param(&mut self, store: &mut Store, name: Span, from: usize) {
        let block = self.call.block;
        if let Some(before) = store.has_param(block, name) {
            store.params[before].state = ParamState::Dropped;
            store.repair(block, Repair::Repeated);
        }
        self.state = State::Param(store.open_param(name, None, Coding::Text, from));
        self.restart(from);
    }

    fn restart(&mut self, from: usize) {
        self.text_from = from;
        (self.shown, self.told) = (Flow::new(Trim::Space, from), Flow::new(Trim::Space, from));
    }

    /// Everything so far counts, also what may yet become a tag.
    #[inline]
    fn show(&mut self, store: &mut Store) {
        match self.state {
            State::Text => {
                let content = self.shown.advance(store.bytes(), self.at);
                if !content.is_empty() {
                    let text = self.open_text(store);
                    store.blocks[text].content = content;
                }
            }
            State::Tool => {}
            State::Param(param) => {
                let value = self.shown.advance(store.bytes(), self.at);
                store.show_param(param, value);
            }
        }
    }

    #[inline]
    fn tell(&mut self, store: &mut Store) {
        let sure = match self.last_open {
            None => self.shown.span(),
            Some(open) => self.told.advance(store.bytes(), open),
        };
        match (self.state, self.text) {
            (State::Text, Some(text)) => self.tell_text(store, text, sure),
            (State::Text, None) | (State::Tool, _) => {}
            (State::Param(param), _) => store.tell_param(param, sure.end),
        }
    }

    /// Whether what begins at `open` is the beginning of a tag that means something where it stands.
    fn may_become_tag(&self, store: &Store, specs: &Specs, open: usize) -> bool {
        let begun = &store.bytes()[open + 1..];
        if begun.len() > self.longest {
            return false;
        }
        let closer = begun.strip_prefix(b"/");
        let is_content = || FILE_PARAM.as_bytes().starts_with(closer.unwrap_or(begun));
        let closes = |name: &[u8]| closer.is_some_and(|begun| name.starts_with(begun));
        match self.state {
            State::Text => specs.names.has_prefix(begun),
            State::Tool => {
                closes(specs.tools[self.call.tool].name.as_bytes())
                    || self.params.has_prefix(begun)
                    || is_content()
            }
            State::Param(param) => {
                closes(store.buffer.slice(store.params[param].name)) || is_content()
            }
        }
    }

    /// Something else follows: text ends, and a call that is open stays partial.
    pub(crate) fn settle(&mut self, store: &mut Store) {
        let end = store.buffer.len();
        match self.state {
            State::Text => {
                let content = self.shown.advance(store.bytes(), end);
                if let Some(text) = self.text.take() {
                    self.tell_text(store, text, content);
                    store.close(text, Some(End::Text));
                }
            }
            State::Tool => store.close(self.call.block, None),
            State::Param(param) => {
                let value = self.shown.advance(store.bytes(), end);
                store.close_param(param, value);
                store.close(self.call.block, None);
            }
        }
        self.state = State::Text;
        self.resume(store);
    }

    /// What another machine has taken in the meantime is behind.
    pub(crate) fn resume(&mut self, store: &Store) {
        self.at = store.buffer.len();
        self.last_open = None;
        self.restart(self.at);
    }

    /// The stream has ended.
    pub(crate) fn finish(&mut self, store: &mut Store, specs: &Specs, reason: StopReason) {
        self.advance(store, specs);
        match self.state {
            State::Text => {
                let Some(text) = self.text else { return };
                let content = store.blocks[text].content;
                self.tell_text(store, text, content);
                if reason.end().is_some() {
                    store.close(text, reason.end());
                }
            }
            State::Tool => self.close_cut(store, reason),
            State::Param(param) => {
                let value = store.params[param].value;
                store.tell_param(param, value.end);
                self.close_cut(store, reason);
            }
        }
    }

    fn close_cut(&self, store: &mut Store, reason: StopReason) {
        if reason.end().is_some() {
            store.close(self.call.block, reason.end());
        }
    }
}

/// Whether the inside of a tag closes what has that name.
fn is_closer(inside: &[u8], name: &[u8]) -> bool {
    inside.strip_prefix(b"/") == Some(name)
}
