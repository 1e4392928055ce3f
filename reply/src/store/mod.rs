//! The blocks so far, as places in the buffer, and what changed since the last push.
//!
//! In: decisions of a machine. Out: records, and a log of them. Never: decides, or copies text.

mod tip;

use crate::buffer::{Buffer, Span};
use crate::event::{BlockKind, End, Repair};
use crate::text::{Coding, Text};
use tip::Tip;
pub(crate) use tip::{Grown, MAX_QUICK};

#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) buffer: Buffer,
    pub(crate) blocks: Vec<BlockRecord>,
    pub(crate) params: Vec<ParamRecord>,
    pub(crate) log: Vec<Record>,
    /// Arguments that were written as JSON within a JSON string, decoded once.
    pub(crate) side: String,
    /// The ids of all blocks that were announced, one behind the other.
    ids: String,
    /// What grows at the end of the buffer, if nothing there is undecided.
    pub(crate) tip: Option<Tip>,
    /// The last piece that was told of it.
    pub(crate) grown: [Record; 1],
}

/// A block. `content` is what is shown, `told` how far its text has been told in events.
#[derive(Debug)]
pub(crate) struct BlockRecord {
    pub(crate) kind: BlockKind,
    pub(crate) phase: Phase,
    pub(crate) end: Option<End>,
    pub(crate) repaired: Option<Repair>,
    pub(crate) told_of: Told,
    /// Where its id stands, and how long it is.
    id_length: u8,
    id_from: u32,
    /// The place of its tool among the specs.
    pub(crate) tool: u32,
    pub(crate) first_param: u32,
    pub(crate) last_param: u32,
    /// Where what belongs to it begins.
    pub(crate) raw: usize,
    pub(crate) content: Span,
    pub(crate) told: usize,
    pub(crate) extra: Option<Box<Extra>>,
}

/// What few blocks have.
#[derive(Debug, Default)]
pub(crate) struct Extra {
    pub(crate) id: String,
    /// Given by the provider's own events.
    pub(crate) native: Option<Native>,
}

#[derive(Debug, Default)]
pub(crate) struct Native {
    pub(crate) name: String,
    pub(crate) signature: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Open,
    Closed,
}

/// Whether an event has told that the block is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    No,
    Yes,
}

#[derive(Debug)]
pub(crate) struct ParamRecord {
    pub(crate) name: Span,
    pub(crate) value: Span,
    pub(crate) told: usize,
    pub(crate) block: u32,
    /// Its place among the parameters of the tool.
    pub(crate) number: Option<u16>,
    pub(crate) coding: Coding,
    pub(crate) state: ParamState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParamState {
    Open,
    Closed,
    /// It was no parameter, or a later one counts.
    Dropped,
}

/// A change.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Record {
    pub(crate) what: What,
    /// Of the block or parameter.
    pub(crate) index: u32,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum What {
    #[default]
    Opened,
    Delta,
    ParamOpened,
    ParamDelta,
    ParamClosed,
    /// The span's end is how many parameters there were.
    Repaired,
    Closed,
}

/// Grows by a half, as the buffer does.
#[inline(always)]
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        grow(list);
    }
    list.push(item);
}

#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>) {
    list.reserve_exact(1.max(list.len() / 2));
}

impl Store {
    pub(crate) fn bytes(&self) -> &[u8] {
        self.buffer.bytes()
    }

    /// What is written there in a coding.
    #[inline(always)]
    pub(crate) fn text(&self, coding: Coding, span: Span) -> Text<'_> {
        match (coding, self.buffer.borrowed(span)) {
            (Coding::Text | Coding::Json, Some(text)) => Text::plain(text),
            _ => Text::coded(coding, self.written(coding, span)),
        }
    }

    fn written(&self, coding: Coding, span: Span) -> &[u8] {
        match coding {
            Coding::SideJson | Coding::SideQuoted => {
                self.side.as_bytes().get(span.start..span.end).unwrap_or_default()
            }
            Coding::Text | Coding::Json | Coding::Quoted | Coding::Python => {
                self.buffer.slice(span)
            }
        }
    }

    #[inline(always)]
    fn note(&mut self, what: What, index: usize, span: Span) {
        self.log.push(Record { what, index: index as u32, span });
    }

    pub(crate) fn open_block(&mut self, kind: BlockKind, raw: usize) -> usize {
        let param = self.params.len() as u32;
        let block = BlockRecord {
            kind,
            phase: Phase::Open,
            end: None,
            repaired: None,
            told_of: Told::No,
            id_length: 0,
            id_from: 0,
            tool: 0,
            first_param: param,
            last_param: param,
            raw,
            content: Span::new(raw, raw),
            told: raw,
            extra: None,
        };
        push(&mut self.blocks, block);
        self.blocks.len() - 1
    }

    /// Tells that a block is there.
    pub(crate) fn announce(&mut self, index: usize) {
        let block = &mut self.blocks[index];
        if block.told_of == Told::Yes {
            return;
        }
        block.told_of = Told::Yes;
        block.id_from = self.ids.len() as u32;
        for part in [block.kind.prefix(), itoa::Buffer::new().format(index)] {
            self.ids.push_str(part);
        }
        block.id_length = (self.ids.len() - block.id_from as usize) as u8;
        self.note(What::Opened, index, Span::default());
    }

    /// The id of a block that was announced.
    pub(crate) fn id(&self, index: usize) -> &str {
        let block = &self.blocks[index];
        match block.extra.as_ref().filter(|extra| !extra.id.is_empty()) {
            Some(extra) => &extra.id,
            None => {
                let from = block.id_from as usize;
                self.ids.get(from..from + usize::from(block.id_length)).unwrap_or_default()
            }
        }
    }

    /// Forgets the last block, of which nobody was told.
    pub(crate) fn forget(&mut self) {
        if let Some(block) = self.blocks.pop() {
            self.params.truncate(block.first_param as usize);
        }
    }

    /// Tells the text up to `to`.
    #[inline]
    pub(crate) fn tell(&mut self, index: usize, to: usize) {
        let block = &mut self.blocks[index];
        if to > block.told {
            let from = std::mem::replace(&mut block.told, to);
            self.note(What::Delta, index, Span::new(from, to));
        }
    }

    /// More of a text that is open and told up to its end.
    #[inline]
    pub(crate) fn extend(&mut self, index: usize, to: usize) {
        let block = &mut self.blocks[index];
        block.content.end = to;
        let from = std::mem::replace(&mut block.told, to);
        self.note(What::Delta, index, Span { start: from, end: to });
    }

    /// More of a value that is open and told up to its end.
    #[inline]
    pub(crate) fn extend_param(&mut self, index: usize, to: usize) {
        let param = &mut self.params[index];
        param.value.end = to;
        let from = std::mem::replace(&mut param.told, to);
        self.note(What::ParamDelta, index, Span { start: from, end: to });
    }

    pub(crate) fn close(&mut self, index: usize, end: Option<End>) {
        let block = &mut self.blocks[index];
        block.phase = Phase::Closed;
        block.end = end;
        self.note(What::Closed, index, Span::default());
    }

    /// Opens a parameter of the last block.
    pub(crate) fn open_param(
        &mut self,
        name: Span,
        number: Option<usize>,
        coding: Coding,
        from: usize,
    ) -> usize {
        let block = self.blocks.len() - 1;
        let number = number.and_then(|number| u16::try_from(number).ok());
        let param = ParamRecord {
            name,
            value: Span::new(from, from),
            told: from,
            block: block as u32,
            number,
            coding,
            state: ParamState::Open,
        };
        push(&mut self.params, param);
        let (param, count) = (self.params.len() - 1, self.params.len() as u32);
        self.blocks[block].last_param = count;
        self.note(What::ParamOpened, param, Span::default());
        param
    }

    /// Tells a value up to `to`; before anything is told, where it begins may still move.
    #[inline]
    pub(crate) fn tell_param(&mut self, index: usize, to: usize) {
        let param = &mut self.params[index];
        if to > param.told {
            let from = std::mem::replace(&mut param.told, to);
            self.note(What::ParamDelta, index, Span::new(from, to));
        }
    }

    /// Sets what is shown of a value that still grows.
    #[inline]
    pub(crate) fn show_param(&mut self, index: usize, value: Span) {
        let param = &mut self.params[index];
        if param.told < value.start {
            param.told = value.start;
        }
        param.value = value;
    }

    /// The value is final, as far as one can see.
    pub(crate) fn close_param(&mut self, index: usize, value: Span) {
        self.show_param(index, value);
        self.tell_param(index, value.end);
        self.params[index].state = ParamState::Closed;
        self.note(What::ParamClosed, index, value);
    }

    /// All parameters of a block that count, in order.
    pub(crate) fn params_of(&self, block: usize) -> std::ops::Range<usize> {
        let block = &self.blocks[block];
        block.first_param as usize..block.last_param as usize
    }

    /// Whether the block has a parameter of that name that counts.
    pub(crate) fn has_param(&self, block: usize, name: Span) -> Option<usize> {
        let name = self.buffer.slice(name);
        self.params_of(block).find(|param| {
            let param = &self.params[*param];
            param.state != ParamState::Dropped && self.buffer.slice(param.name) == name
        })
    }

    /// Says that the parameters stand otherwise than they were told.
    pub(crate) fn repair(&mut self, block: usize, why: Repair) {
        let count = self.params.len();
        self.blocks[block].repaired = Some(why);
        self.note(What::Repaired, block, Span { start: why as usize, end: count });
    }

    /// Bytes that are held.
    pub(crate) fn memory(&self) -> usize {
        let extras = self.blocks.iter().filter_map(|block| block.extra.as_ref());
        let extras = extras.map(|extra| size_of::<Extra>() + extra.id.capacity());
        self.buffer.capacity()
            + self.side.capacity()
            + self.ids.capacity()
            + self.blocks.capacity() * size_of::<BlockRecord>()
            + self.params.capacity() * size_of::<ParamRecord>()
            + self.log.capacity() * size_of::<Record>()
            + extras.sum::<usize>()
    }
}
