//! Exact mode: what a widely used parser makes of the same reply, bit by bit, without parsing it again for each chunk.
//!
//! In: the buffer as it grows. Out: the same blocks as a parse of the whole so far. Never: looks at a byte twice, or
//! knows anything of dialects.
//!
//! On `>`, the text from the last `<` on is a tag or none. Three states: text, in a tool, in a parameter.

use crate::buffer::Span;
use crate::event::{BlockKind, End, Repair, StopReason};
use crate::flow::{Flow, Trim};
use crate::scan;
use crate::specs::{Names, Specs};
use crate::store::{Coding, ParamState, Store};

/// Its content is searched for once more when the call closes.
const FILE_TOOL: &[u8] = b"write_to_file";
const FILE_PARAM: &str = "content";

#[derive(Debug)]
pub(crate) struct Exact {
    /// Everything before is looked at.
    at: usize,
    last_open: Option<usize>,
    state: State,
    /// What is shown of the text or value that is open.
    shown: Flow,
    /// What of it has been told in events: behind it is what may become a tag.
    told: Flow,
    /// The text that is open, once it has a character.
    text: Option<usize>,
    text_from: usize,
    params: Names,
    longest: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Text,
    Tool(Call),
    Param(Call, usize),
}

#[derive(Clone, Copy, Debug)]
struct Call {
    block: usize,
    tool: usize,
    /// Behind the first opener of the content, anywhere in the call.
    content_from: Option<usize>,
    content_to: Option<usize>,
}

impl Exact {
    pub(crate) fn new(specs: &Specs, params: &[String]) -> Self {
        let params = Names::new(params.iter().map(String::as_str));
        let longest = specs.names.longest().max(params.longest()) + "</>".len();
        Self {
            at: 0,
            last_open: None,
            state: State::Text,
            shown: Flow::new(Trim::Space, 0),
            told: Flow::new(Trim::Space, 0),
            text: None,
            text_from: 0,
            params,
            longest,
        }
    }

    pub(crate) fn advance(&mut self, store: &mut Store, specs: &Specs) {
        while let Some(at) = scan::either(b'<', b'>', store.bytes(), self.at) {
            self.at = at + 1;
            if store.bytes()[at] == b'<' {
                self.last_open = Some(at);
            } else if let Some(open) = self.last_open.take() {
                self.tag(store, specs, Span::new(open, at + 1));
            }
        }
        self.at = store.buffer.len();
        self.last_open = self.last_open.filter(|open| self.may_become_tag(store, specs, *open));
        self.show(store);
        self.tell(store);
    }

    /// Takes a chunk that holds nothing but text; false if it is for the machine.
    #[inline]
    pub(crate) fn push_plain(&mut self, store: &mut Store, chunk: &[u8]) -> bool {
        let open = match (&self.state, self.text) {
            (State::Param(_, param), _) => Ok(*param),
            (State::Text, Some(text)) => Err(text),
            (State::Text | State::Tool(_), _) => return false,
        };
        if self.last_open.is_some()
            || !scan::is_plain(chunk, [b'<', b'>'])
            || !store.buffer.push_plain(chunk)
        {
            return false;
        }
        self.at += chunk.len();
        match self.shown.extend(chunk, self.at) {
            Some(solid) => {
                self.told.follow(self.at, solid);
                match open {
                    Ok(param) => store.extend_param(param, solid),
                    Err(text) => store.extend(text, solid),
                }
            }
            None => {
                self.show(store);
                self.tell(store);
            }
        }
        true
    }

    fn tag(&mut self, store: &mut Store, specs: &Specs, tag: Span) {
        if tag.end - tag.start > self.longest {
            return;
        }
        let inside = Span::new(tag.start + 1, tag.end - 1);
        match self.state {
            State::Text => {
                let tool = specs.names.find(store.buffer.slice(inside));
                if let Some(tool) = tool {
                    self.open_call(store, tool, tag);
                }
            }
            State::Tool(mut call) => {
                call.note(store, inside, tag);
                self.state = State::Tool(call);
                self.in_tool(store, specs, call, tag);
            }
            State::Param(mut call, param) => {
                call.note(store, inside, tag);
                self.state = State::Param(call, param);
                let name = store.buffer.slice(store.params[param].name);
                if store.buffer.slice(inside).strip_prefix(b"/") == Some(name) {
                    let value = self.shown_until(store, tag.start);
                    store.close_param(param, value);
                    self.state = State::Tool(call);
                    self.in_tool(store, specs, call, tag);
                }
            }
        }
    }

    fn open_call(&mut self, store: &mut Store, tool: usize, tag: Span) {
        self.end_text(store, tag.start);
        let block = store.open_block(BlockKind::ToolUse, tag.start);
        store.blocks[block].tool = tool as u32;
        store.announce(block);
        self.state = State::Tool(Call { block, tool, content_from: None, content_to: None });
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

    fn in_tool(&mut self, store: &mut Store, specs: &Specs, call: Call, tag: Span) {
        let inside = store.buffer.slice(Span::new(tag.start + 1, tag.end - 1));
        if self.params.find(inside).is_some() {
            let name = Span::new(tag.start + 1, tag.end - 1);
            self.open_param(store, call, name, tag.end);
            return;
        }
        let tool = specs.tools[call.tool].name.as_bytes();
        if inside.strip_prefix(b"/") == Some(tool) {
            if tool == FILE_TOOL {
                call.restore_content(store);
            }
            store.close(call.block, Some(End::Text));
            self.state = State::Text;
            self.restart(tag.end);
        }
    }

    fn open_param(&mut self, store: &mut Store, call: Call, name: Span, from: usize) {
        let before = store.has_param(call.block, name);
        if let Some(before) = before {
            store.params[before].state = ParamState::Dropped;
            store.repair(call.block, Repair::Repeated);
        }
        let param = store.open_param(name, None, Coding::Text, from);
        self.state = State::Param(call, param);
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
            State::Tool(_) => {}
            State::Param(_, param) => {
                let value = self.shown.advance(store.bytes(), self.at);
                store.show_param(param, value);
            }
        }
    }

    #[inline]
    fn tell(&mut self, store: &mut Store) {
        let to = self.held();
        match self.state {
            State::Text => {
                let content = self.told.advance(store.bytes(), to);
                if let Some(text) = self.text {
                    self.tell_text(store, text, content);
                }
            }
            State::Tool(_) => {}
            State::Param(_, param) => {
                let value = self.told.advance(store.bytes(), to);
                store.tell_param(param, value.end);
            }
        }
    }

    /// Where the tail begins that may become a tag.
    #[inline]
    fn held(&self) -> usize {
        self.last_open.unwrap_or(self.at)
    }

    /// Whether what begins at `open` is the beginning of a tag that means something where it stands.
    fn may_become_tag(&self, store: &Store, specs: &Specs, open: usize) -> bool {
        let begun = &store.bytes()[open + 1..];
        if begun.len() > self.longest {
            return false;
        }
        let is_content =
            || FILE_PARAM.as_bytes().starts_with(begun.strip_prefix(b"/").unwrap_or(begun));
        match self.state {
            State::Text => specs.names.has_prefix(begun),
            State::Tool(call) => {
                let tool = specs.tools[call.tool].name.as_bytes();
                let closes = begun.strip_prefix(b"/").is_some_and(|begun| tool.starts_with(begun));
                closes || self.params.has_prefix(begun) || is_content()
            }
            State::Param(_, param) => {
                let name = store.buffer.slice(store.params[param].name);
                let closes = begun.strip_prefix(b"/").is_some_and(|begun| name.starts_with(begun));
                closes || is_content()
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
            State::Tool(call) => store.close(call.block, None),
            State::Param(call, param) => {
                let value = self.shown.advance(store.bytes(), end);
                store.close_param(param, value);
                store.close(call.block, None);
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
            State::Tool(call) => close_cut(store, call, reason),
            State::Param(call, param) => {
                let value = store.params[param].value;
                store.tell_param(param, value.end);
                close_cut(store, call, reason);
            }
        }
    }
}

fn close_cut(store: &mut Store, call: Call, reason: StopReason) {
    if reason.end().is_some() {
        store.close(call.block, reason.end());
    }
}

impl Call {
    fn note(&mut self, store: &Store, inside: Span, tag: Span) {
        match store.buffer.slice(inside) {
            b"content" => _ = self.content_from.get_or_insert(tag.end),
            b"/content" => self.content_to = Some(tag.start),
            _ => {}
        }
    }

    /// The content reaches from its first opener to its last closer in the call, whatever stands between.
    fn restore_content(self, store: &mut Store) {
        let (Some(from), Some(to)) = (self.content_from, self.content_to) else { return };
        if to < from {
            return;
        }
        let value = Flow::new(Trim::Space, from).advance(store.bytes(), to);
        let name = Span::new(from - ">".len() - FILE_PARAM.len(), from - ">".len());
        match store.has_param(self.block, name) {
            Some(param) if store.params[param].value == value => {}
            Some(param) => {
                store.params[param].value = value;
                store.repair(self.block, Repair::LaterCloser);
            }
            None => {
                let param = store.open_param(name, None, Coding::Text, from);
                store.close_param(param, value);
            }
        }
    }
}
