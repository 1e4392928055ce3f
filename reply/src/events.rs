//! What changed in a push, one event after the other.
//!
//! In: the log of the store. Out: events that borrow from it. Never: repeats or loses a change.

use crate::event::{BlockKind, End, Repair};
use crate::store::{ParamRecord, Record, What};
use crate::text::{Coding, Text};
use crate::view::{Block, Name, ToolUse, Value, View};

/// A change. Folded over all pushes, the events give the final blocks.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A block is there. Index, id, kind and name never change.
    Opened {
        /// Its place among the blocks, from 0.
        index: usize,
        /// Its id.
        id: &'a str,
        /// What it is.
        kind: BlockKind,
        /// The name of the tool, for a call.
        name: Option<&'a str>,
    },
    /// More text of a text or of reasoning.
    Delta {
        /// The block.
        index: usize,
        /// To append.
        text: Text<'a>,
    },
    /// A parameter of a call is there.
    ParamOpened {
        /// The block.
        index: usize,
        /// Its name.
        name: Name<'a>,
    },
    /// More of a parameter's value.
    ParamDelta {
        /// The block.
        index: usize,
        /// The parameter.
        name: Name<'a>,
        /// To append: text, or a piece of JSON.
        text: Text<'a>,
    },
    /// A parameter's value is there; it is provisional until the call closes.
    ParamClosed {
        /// The block.
        index: usize,
        /// The parameter.
        name: Name<'a>,
        /// The whole value.
        value: Value<'a>,
    },
    /// What was told of the parameters was wrong: these are all, and as they now stand.
    Repaired {
        /// The call, with its parameters.
        call: ToolUse<'a>,
        /// The block.
        index: usize,
        /// What was wrong.
        why: Repair,
    },
    /// The block is final. Only a call with the end [`End::Text`] may run.
    Closed {
        /// The block.
        index: usize,
        /// How it ended.
        end: Option<End>,
        /// The final block.
        block: Block<'a>,
    },
}

/// The events of one push.
#[derive(Clone, Debug)]
pub struct Events<'a> {
    pub(crate) view: View<'a>,
    pub(crate) records: std::slice::Iter<'a, Record>,
}

impl<'a> Iterator for Events<'a> {
    type Item = Event<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Event<'a>> {
        self.records.next().and_then(|record| self.view.event(record))
    }
}

const REPAIRS: [Repair; 5] = [
    Repair::ImpliedCloser,
    Repair::Repeated,
    Repair::LaterCloser,
    Repair::EarlierCloser,
    Repair::UnclosedExample,
];

impl<'a> View<'a> {
    /// Inlined with what the most events need, so that they are made where they are used: copying one costs more than
    /// making it.
    #[inline(always)]
    fn event(self, record: &Record) -> Option<Event<'a>> {
        let (index, span) = (record.index as usize, record.span);
        Some(match record.what {
            What::Delta => Event::Delta { index, text: self.store.text(Coding::Text, span) },
            What::ParamDelta => {
                let (param, index, name) = self.param_of(record);
                Event::ParamDelta { index, name, text: self.store.text(param.coding, span) }
            }
            What::Opened => self.opened(index),
            What::ParamOpened => {
                let (_, index, name) = self.param_of(record);
                Event::ParamOpened { index, name }
            }
            What::ParamClosed => {
                let (param, index, name) = self.param_of(record);
                Event::ParamClosed { index, name, value: self.value(param.coding, span) }
            }
            What::Repaired => {
                let call = ToolUse { view: self, index, limit: span.end };
                let why = REPAIRS.iter().find(|why| **why as usize == span.start)?;
                Event::Repaired { call, index, why: *why }
            }
            What::Closed => {
                let end = self.store.blocks[index].end;
                Event::Closed { index, end, block: self.block(index)? }
            }
        })
    }

    /// The parameter, its block and its name.
    #[inline(always)]
    fn param_of(self, record: &Record) -> (&'a ParamRecord, usize, Name<'a>) {
        let param = &self.store.params[record.index as usize];
        (param, param.block as usize, Name { store: self.store, param })
    }

    #[inline(always)]
    fn opened(self, index: usize) -> Event<'a> {
        let record = &self.store.blocks[index];
        let name = match record.kind {
            BlockKind::ToolUse => Some(ToolUse { view: self, index, limit: 0 }.name()),
            BlockKind::Text | BlockKind::Reasoning => None,
        };
        Event::Opened { index, id: self.store.id(index), kind: record.kind, name }
    }
}
