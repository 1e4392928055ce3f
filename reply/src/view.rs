//! Blocks as the host sees them: borrowed, at any time.
//!
//! In: records. Out: views of them. Never: copies text that can be borrowed.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value as Json;

use crate::buffer::Span;
use crate::event::{BlockKind, End, Repair};
use crate::specs::{ParamSpec, Specs};
use crate::store::{BlockRecord, ParamRecord, ParamState, Phase, Store};
use crate::text::{Coding, Text};

/// A block of the reply, in its order.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Block<'a> {
    /// For the user; without white space at its ends, never empty.
    Text {
        /// Its text, as far as it is certain.
        content: Text<'a>,
        /// More may follow.
        partial: bool,
        /// What the provider wants to get back with it, unread.
        signature: Option<&'a str>,
    },
    /// The model's thoughts, without their tags and without white space at their ends.
    Reasoning {
        /// Its text, as far as it is certain.
        content: Text<'a>,
        /// More may follow.
        partial: bool,
        /// What the provider wants to get back with it, unread.
        signature: Option<&'a str>,
    },
    /// A call of a tool.
    ToolUse(ToolUse<'a>),
}

/// A call of a tool.
#[derive(Clone, Copy, Debug)]
pub struct ToolUse<'a> {
    pub(crate) view: View<'a>,
    pub(crate) index: usize,
    /// Parameters behind it do not count yet.
    pub(crate) limit: usize,
}

/// What views look into.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) store: &'a Store,
    pub(crate) specs: &'a Specs,
}

/// The name of a parameter, read when it is asked for.
#[derive(Clone, Copy)]
pub struct Name<'a> {
    pub(crate) store: &'a Store,
    pub(crate) param: &'a ParamRecord,
}

impl<'a> Name<'a> {
    /// The name: borrowed from the parser, unless something in it has to be decoded.
    pub fn read(self) -> Cow<'a, str> {
        let coding = match self.param.coding {
            Coding::SideJson | Coding::SideQuoted => Coding::SideQuoted,
            Coding::Json | Coding::Quoted => Coding::Quoted,
            Coding::Text | Coding::Python => Coding::Text,
        };
        self.store.text(coding, self.param.name).read()
    }
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.read())
    }
}

impl fmt::Debug for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.read(), f)
    }
}

impl PartialEq<&str> for Name<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.read() == **other
    }
}

/// A parameter of a call.
#[derive(Clone, Copy, Debug)]
pub struct Param<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Its value, as far as it is certain.
    pub value: Value<'a>,
    /// More of the value may follow.
    pub partial: bool,
    spec: Option<&'a ParamSpec>,
}

/// A value as it is written.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// Text.
    Text(Text<'a>),
    /// JSON that is no string; while it streams it may be incomplete.
    Json(Text<'a>),
}

impl<'a> Value<'a> {
    /// The text, or the JSON as text.
    pub fn text(self) -> Text<'a> {
        match self {
            Self::Text(text) | Self::Json(text) => text,
        }
    }

    /// The value in JSON; what is no JSON, such as a half of it, is a string.
    pub fn to_json(self) -> Json {
        let text = self.text().read();
        match self {
            Self::Text(_) => Json::from(&*text),
            Self::Json(_) => serde_json::from_str(&text).unwrap_or_else(|_| Json::from(&*text)),
        }
    }
}

impl Param<'_> {
    /// The value as its schema types it: text becomes a number, a boolean, a list or an object if the tool says so
    /// and the text is one.
    pub fn typed(&self) -> Json {
        let declared = self.spec.and_then(|spec| spec.schema_type.as_deref());
        let (Value::Text(text), Some(declared)) = (self.value, declared) else {
            return self.value.to_json();
        };
        let text = text.read();
        let Ok(json) = serde_json::from_str::<Json>(text.trim()) else {
            return match (declared, text.trim()) {
                ("boolean", "True" | "TRUE") => Json::Bool(true),
                ("boolean", "False" | "FALSE") => Json::Bool(false),
                _ => self.value.to_json(),
            };
        };
        let fits = match declared {
            "integer" => json.is_i64() || json.is_u64(),
            "number" => json.is_number(),
            "boolean" => json.is_boolean(),
            "array" => json.is_array(),
            "object" => json.is_object(),
            "null" => json.is_null(),
            _ => false,
        };
        if fits { json } else { self.value.to_json() }
    }
}

impl<'a> View<'a> {
    pub(crate) fn block(self, index: usize) -> Option<Block<'a>> {
        let record = self.store.blocks.get(index)?;
        let content = || self.store.text(Coding::Text, self.store.content(index));
        let partial = record.phase == Phase::Open;
        Some(match record.kind {
            BlockKind::Text => {
                Block::Text { content: content(), partial, signature: signature(record) }
            }
            BlockKind::Reasoning => {
                Block::Reasoning { content: content(), partial, signature: signature(record) }
            }
            BlockKind::ToolUse => {
                Block::ToolUse(ToolUse { view: self, index, limit: record.last_param as usize })
            }
        })
    }

    #[inline(always)]
    pub(crate) fn value(self, coding: Coding, span: Span) -> Value<'a> {
        let text = self.store.text(coding, span);
        match coding {
            Coding::Text | Coding::Quoted | Coding::SideQuoted => Value::Text(text),
            Coding::Json | Coding::Python | Coding::SideJson => Value::Json(text),
        }
    }

    fn param(self, index: usize) -> Param<'a> {
        let param = &self.store.params[index];
        let record = &self.store.blocks[param.block as usize];
        let tool = self.specs.tools.get(record.tool as usize);
        let number = param.number.map(usize::from);
        Param {
            name: Name { store: self.store, param },
            value: self.value(param.coding, self.store.value(index)),
            partial: param.state == ParamState::Open,
            spec: tool.and_then(|tool| tool.params.list.get(number?)),
        }
    }
}

impl<'a> ToolUse<'a> {
    fn record(&self) -> &'a BlockRecord {
        &self.view.store.blocks[self.index]
    }

    /// Its id: given once when the call opens, the same for every chunking. As the model or the provider wrote it,
    /// else `call_` and the index of the block.
    pub fn id(&self) -> &'a str {
        self.view.store.id(self.index)
    }

    /// The name of the tool.
    pub fn name(&self) -> &'a str {
        let record = self.record();
        match record.extra.as_ref().and_then(|extra| extra.native.as_ref()) {
            Some(native) => &native.name,
            None => self.view.specs.tools.get(record.tool as usize).map_or("", |tool| &tool.name),
        }
    }

    /// Its parameters, in the order in which they came.
    pub fn params(&self) -> impl Iterator<Item = Param<'a>> + use<'a> {
        let (view, limit) = (self.view, self.limit);
        let all = view.store.params_of(self.index).take_while(move |param| *param < limit);
        all.filter(move |param| view.store.params[*param].state != ParamState::Dropped)
            .map(move |param| view.param(param))
    }

    /// The parameter of that name.
    pub fn param(&self, name: &str) -> Option<Param<'a>> {
        self.params().find(|param| param.name == name)
    }

    /// It is not complete: it must not run.
    pub fn partial(&self) -> bool {
        self.end() != Some(End::Text)
    }

    /// How it ended; none while it is open, or if nobody says why the stream ended.
    pub fn end(&self) -> Option<End> {
        self.record().end
    }

    /// Why its parameters are other than they were told, or a closing tag had to be implied.
    pub fn repaired(&self) -> Option<Repair> {
        self.record().repaired
    }

    /// It was given by the provider's own events, and not found in text.
    pub fn native(&self) -> bool {
        self.record().extra.as_ref().is_some_and(|extra| extra.native.is_some())
    }

    /// What the provider wants to get back with it, unread.
    pub fn signature(&self) -> Option<&'a str> {
        signature(self.record())
    }
}

fn signature(record: &BlockRecord) -> Option<&str> {
    record.extra.as_ref()?.native.as_ref()?.signature.as_deref()
}

/// The blocks so far.
#[derive(Clone, Debug)]
pub struct Blocks<'a> {
    pub(crate) view: View<'a>,
    pub(crate) from: usize,
    pub(crate) to: usize,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(view: View<'a>) -> Self {
        Self { view, from: 0, to: view.store.blocks.len() }
    }

    /// The block at an index.
    pub fn get(&self, index: usize) -> Option<Block<'a>> {
        self.view.block(index)
    }
}

impl<'a> Iterator for Blocks<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        let index = (self.from < self.to).then_some(self.from)?;
        self.from += 1;
        self.view.block(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.to - self.from, Some(self.to - self.from))
    }
}

impl ExactSizeIterator for Blocks<'_> {}

impl DoubleEndedIterator for Blocks<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.to = (self.from < self.to).then(|| self.to - 1)?;
        self.view.block(self.to)
    }
}
