//! What changed in a push, one event after the other.
//!
//! In: the log of the store. Out: events that borrow from it. Never: repeats or loses a change.

use std::borrow::Cow;

use crate::event::{BlockKind, End, Repair};
use crate::store::{Coding, Record, What};
use crate::view::{Block, ToolUse, Value, View};

/// A change. Folded over all pushes, the events give the final blocks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A block is there. Index, id, kind and name never change.
    Opened {
        /// Its place among the blocks, from 0.
        index: usize,
        /// Its id.
        id: Cow<'a, str>,
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
        text: Cow<'a, str>,
    },
    /// A parameter of a call is there.
    ParamOpened {
        /// The block.
        index: usize,
        /// Its name.
        name: Cow<'a, str>,
    },
    /// More of a parameter's value.
    ParamDelta {
        /// The block.
        index: usize,
        /// The parameter.
        name: Cow<'a, str>,
        /// To append: text, or a piece of JSON.
        text: Cow<'a, str>,
    },
    /// A parameter's value is there; it is provisional until the call closes.
    ParamClosed {
        /// The block.
        index: usize,
        /// The parameter.
        name: Cow<'a, str>,
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

    #[inline]
    fn next(&mut self) -> Option<Event<'a>> {
        let record = self.records.next()?;
        // Most events are of these kinds: they are made without a detour.
        let store = self.view.store;
        match record.what {
            What::Delta => {
                if let Some(text) = store.buffer.borrowed(record.span) {
                    return Some(Event::Delta {
                        index: record.index as usize,
                        text: Cow::Borrowed(text),
                    });
                }
            }
            What::ParamDelta => {
                let param = &store.params[record.index as usize];
                if param.coding == Coding::Text
                    && let (Some(name), Some(text)) =
                        (store.buffer.borrowed(param.name), store.buffer.borrowed(record.span))
                {
                    let (name, text) = (Cow::Borrowed(name), Cow::Borrowed(text));
                    return Some(Event::ParamDelta { index: param.block as usize, name, text });
                }
            }
            What::Opened
            | What::ParamOpened
            | What::ParamClosed
            | What::Repaired
            | What::Closed => {}
        }
        self.view.event(record)
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
    #[inline(never)]
    fn event(self, record: &Record) -> Option<Event<'a>> {
        let index = record.index as usize;
        Some(match record.what {
            What::Delta => Event::Delta { index, text: self.store.buffer.text(record.span) },
            What::Opened => self.opened(index),
            What::Closed => {
                let end = self.store.blocks[index].end;
                Event::Closed { index, end, block: self.block(index)? }
            }
            What::Repaired => {
                let call = ToolUse { view: self, index, limit: record.span.end };
                let why = REPAIRS.iter().find(|why| **why as usize == record.span.start)?;
                Event::Repaired { call, index, why: *why }
            }
            What::ParamOpened | What::ParamDelta | What::ParamClosed => self.param_event(record),
        })
    }

    fn opened(self, index: usize) -> Event<'a> {
        let record = &self.store.blocks[index];
        let name = match record.kind {
            BlockKind::ToolUse => Some(ToolUse { view: self, index, limit: 0 }.name()),
            BlockKind::Text | BlockKind::Reasoning => None,
        };
        Event::Opened { index, id: Cow::Borrowed(self.store.id(index)), kind: record.kind, name }
    }

    fn param_event(self, record: &Record) -> Event<'a> {
        let param = &self.store.params[record.index as usize];
        let (index, name) = (param.block as usize, self.param_name(param));
        match record.what {
            What::ParamOpened => Event::ParamOpened { index, name },
            What::ParamDelta => {
                let text = match self.value(param.coding, record.span) {
                    Value::Text(text) | Value::Json(text) => text,
                };
                Event::ParamDelta { index, name, text }
            }
            _ => Event::ParamClosed { index, name, value: self.value(param.coding, record.span) },
        }
    }
}
