//! What grows at the end of the buffer while nothing there is undecided: most chunks only make it longer.
//!
//! In: a chunk, before a machine sees it. Out: whether it is dealt with. Never: takes one in which anything may begin
//! or end.

use super::{Record, Store, What};
use crate::buffer::{self, Span};
use crate::flow::Trim;
use crate::scan::{Stops, Word};

/// Larger chunks are scanned.
pub(crate) const MAX_QUICK: usize = 64;

/// A text or a value that is open, has begun, and is told up to its end. Only [`Store::grown`] knows how far it has
/// come, until a machine takes it over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tip {
    trim: Trim,
    /// Where it may end.
    stops: Stops,
}

/// What a chunk has done to what grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grown {
    Told,
    /// It is white space that may end what grows.
    Kept,
    /// It is for a machine, and not kept yet.
    Not,
}

impl Store {
    /// The text or reasoning of a block grows by itself, until one of the stops.
    pub(crate) fn let_text_grow(&mut self, block: usize, stops: Stops) {
        let span = self.blocks[block].content;
        self.grown = [Record { what: What::Delta, index: block as u32, span }];
        self.tip = Some(Tip { trim: Trim::Space, stops });
    }

    /// The value of a parameter does.
    pub(crate) fn let_value_grow(&mut self, param: usize, trim: Trim, stops: Stops) {
        let span = self.params[param].value;
        self.grown = [Record { what: What::ParamDelta, index: param as u32, span }];
        self.tip = Some(Tip { trim, stops });
    }

    /// Takes a chunk, if it only makes longer what grows; what is told of it is [`Store::grown`].
    #[inline(never)]
    pub(crate) fn grow(&mut self, chunk: &[u8]) -> Grown {
        let Some(tip) = &self.tip else { return Grown::Not };
        let Some(word) = Word::new(chunk) else { return self.grow_odd(chunk) };
        let Some(text) = word.text().filter(|_| tip.stops.are_not_in(word)) else {
            return Grown::Not;
        };
        match tip.trim.cut_short(chunk) {
            Some(cut) if self.buffer.keep_short(text, chunk.len()) => {
                self.extend_tip(self.buffer.len() - cut);
                Grown::Told
            }
            _ => self.grow_odd(chunk),
        }
    }

    #[inline]
    fn extend_tip(&mut self, to: usize) {
        let [last] = &mut self.grown;
        last.span = Span { start: last.span.end, end: to };
    }

    /// The same for a chunk of another length, or with an end that takes more than a look.
    #[inline(never)]
    fn grow_odd(&mut self, chunk: &[u8]) -> Grown {
        let Some(tip) = &self.tip else { return Grown::Not };
        if chunk.len() > MAX_QUICK || !tip.stops.are_absent(chunk) {
            return Grown::Not;
        }
        let (Some(text), Some(cut)) = (buffer::ascii(chunk), tip.trim.cut(chunk)) else {
            return Grown::Not;
        };
        self.buffer.keep(text);
        if cut == chunk.len() {
            return Grown::Kept;
        }
        self.extend_tip(self.buffer.len() - cut);
        Grown::Told
    }

    /// What grows reaches up to `to`, with a piece of ASCII at its end that is kept already. False if it takes more
    /// than a look at the piece, or nothing grows.
    pub(crate) fn grow_by(&mut self, piece: &[u8], to: usize) -> bool {
        let Some(tip) = &self.tip else { return false };
        let Some(cut) = tip.trim.cut(piece) else { return false };
        if cut < piece.len() {
            self.extend_tip(to - cut);
            self.log.extend(self.grown);
        }
        true
    }

    /// Nothing grows any more by itself; how far what grew is certain.
    pub(crate) fn take_tip(&mut self) -> Option<usize> {
        self.tip.take()?;
        let [Record { what, index, span: Span { end, .. } }] = self.grown;
        let (shown, told) = if what == What::Delta {
            let block = &mut self.blocks[index as usize];
            (&mut block.content.end, &mut block.told)
        } else {
            let param = &mut self.params[index as usize];
            (&mut param.value.end, &mut param.told)
        };
        (*shown, *told) = (end, end);
        Some(end)
    }

    /// What is shown of a text.
    #[inline]
    pub(crate) fn content(&self, block: usize) -> Span {
        self.with_tip(What::Delta, block, self.blocks[block].content)
    }

    /// What is shown of a value.
    #[inline]
    pub(crate) fn value(&self, param: usize) -> Span {
        self.with_tip(What::ParamDelta, param, self.params[param].value)
    }

    #[inline]
    fn with_tip(&self, what: What, index: usize, span: Span) -> Span {
        let [last] = self.grown;
        if self.tip.is_some() && last.what == what && last.index as usize == index {
            return Span { end: last.span.end, ..span };
        }
        span
    }
}
