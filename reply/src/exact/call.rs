//! The call that is open in exact mode, and the rule of its file.
//!
//! In: tags, in their order. Out: where the content of a file begins and ends. Never: looks at what is no tag.

use crate::buffer::Span;
use crate::event::Repair;
use crate::flow::{Flow, Trim};
use crate::scan::ByteSet;
use crate::specs::{Names, Specs};
use crate::store::Store;
use crate::text::Coding;

/// Its content is searched for once more when the call closes.
pub(super) const FILE_TOOL: &[u8] = b"write_to_file";
pub(super) const FILE_PARAM: &str = "content";

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Call {
    pub(super) block: usize,
    pub(super) tool: usize,
    /// Behind the first opener of the content, anywhere in the call.
    pub(super) content_from: Option<usize>,
    pub(super) content_to: Option<usize>,
}

impl Call {
    #[inline]
    pub(super) fn note(&mut self, inside: &[u8], tag: Span) {
        match inside {
            b"content" => _ = self.content_from.get_or_insert(tag.end),
            b"/content" => self.content_to = Some(tag.start),
            _ => {}
        }
    }

    /// The content reaches from its first opener to its last closer in the call, whatever stands between.
    pub(super) fn restore_content(self, store: &mut Store) {
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

/// What can follow `<` where a tag means something.
#[derive(Debug)]
pub(super) struct Heads {
    pub(super) text: ByteSet,
    pub(super) tool: ByteSet,
    pub(super) param: ByteSet,
}

impl Heads {
    pub(super) fn new(specs: &Specs, params: &Names) -> Self {
        let param = [b'/', FILE_PARAM.as_bytes()[0]];
        Self {
            text: specs.names.firsts().collect(),
            tool: params.firsts().chain(param).collect(),
            param: param.into_iter().collect(),
        }
    }
}
