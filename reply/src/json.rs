//! Blocks and events as JSON, as the command line prints them.
//!
//! In: views. Out: values of JSON, with parameters in the order in which they came. Never: leaves a key out that
//! another block of the same kind has, except `repaired`, `native` and `signature`.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

use crate::events::Event;
use crate::text::Text;
use crate::view::{Block, Name, ToolUse, Value};

/// Whether values take the type that the tool's schema states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Typing {
    /// Values stay as they are written: text is text.
    #[default]
    AsWritten,
    /// Text becomes what the schema says, where it can.
    BySchema,
}

/// Something with a choice of typing, to be serialised.
#[derive(Clone, Copy, Debug)]
pub struct Typed<'t, T>(pub &'t T, pub Typing);

impl Serialize for Block<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Typed(self, Typing::AsWritten).serialize(to)
    }
}

impl Serialize for Event<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        Typed(self, Typing::AsWritten).serialize(to)
    }
}

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.read())
    }
}

impl Serialize for Name<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.read())
    }
}

impl Serialize for Value<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => text.serialize(to),
            Self::Json(_) => self.to_json().serialize(to),
        }
    }
}

/// The parameters of a call, as a map.
struct Params<'a>(ToolUse<'a>, Typing);

impl Serialize for Params<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        for param in self.0.params() {
            match self.1 {
                Typing::AsWritten => map.serialize_entry(&param.name, &param.value)?,
                Typing::BySchema => map.serialize_entry(&param.name, &param.typed())?,
            }
        }
        map.end()
    }
}

impl Serialize for Typed<'_, Block<'_>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        match self.0 {
            Block::Text { content, partial, signature }
            | Block::Reasoning { content, partial, signature } => {
                let kind = if matches!(self.0, Block::Text { .. }) { "text" } else { "reasoning" };
                map.serialize_entry("type", kind)?;
                map.serialize_entry("content", content)?;
                map.serialize_entry("partial", partial)?;
                if let Some(signature) = signature {
                    map.serialize_entry("signature", signature)?;
                }
            }
            Block::ToolUse(call) => {
                map.serialize_entry("type", "tool_use")?;
                map.serialize_entry("id", &call.id())?;
                map.serialize_entry("name", call.name())?;
                map.serialize_entry("params", &Params(*call, self.1))?;
                map.serialize_entry("partial", &call.partial())?;
                map.serialize_entry("end", &call.end().map(|end| end.as_str()))?;
                if let Some(why) = call.repaired() {
                    map.serialize_entry("repaired", why.as_str())?;
                }
                if call.native() {
                    map.serialize_entry("native", &true)?;
                }
                if let Some(signature) = call.signature() {
                    map.serialize_entry("signature", signature)?;
                }
            }
        }
        map.end()
    }
}

impl Serialize for Typed<'_, Event<'_>> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(None)?;
        let (event, index) = head(self.0);
        map.serialize_entry("event", event)?;
        map.serialize_entry("index", &index)?;
        match self.0 {
            Event::Opened { id, kind, name, .. } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("kind", kind.as_str())?;
                if let Some(name) = name {
                    map.serialize_entry("name", name)?;
                }
            }
            Event::Delta { text, .. } => map.serialize_entry("text", text)?,
            Event::ParamOpened { name, .. } => map.serialize_entry("name", name)?,
            Event::ParamDelta { name, text, .. } => {
                map.serialize_entry("name", name)?;
                map.serialize_entry("text", text)?;
            }
            Event::ParamClosed { name, value, .. } => {
                map.serialize_entry("name", name)?;
                map.serialize_entry("value", value)?;
            }
            Event::Repaired { call, why, .. } => {
                map.serialize_entry("params", &Params(*call, self.1))?;
                map.serialize_entry("why", why.as_str())?;
            }
            Event::Closed { end, block, .. } => {
                map.serialize_entry("end", &end.map(|end| end.as_str()))?;
                map.serialize_entry("block", &Typed(block, self.1))?;
            }
        }
        map.end()
    }
}

fn head(event: &Event<'_>) -> (&'static str, usize) {
    match event {
        Event::Opened { index, .. } => ("opened", *index),
        Event::Delta { index, .. } => ("delta", *index),
        Event::ParamOpened { index, .. } => ("param_opened", *index),
        Event::ParamDelta { index, .. } => ("param_delta", *index),
        Event::ParamClosed { index, .. } => ("param_closed", *index),
        Event::Repaired { index, .. } => ("repaired", *index),
        Event::Closed { index, .. } => ("closed", *index),
    }
}

impl Block<'_> {
    /// The block as JSON.
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Event<'_> {
    /// Its name, as in JSON under `event`: `opened`, `delta`, `param_opened`, `param_delta`, `param_closed`, `repaired`, `closed`.
    pub fn name(&self) -> &'static str {
        head(self).0
    }

    /// The event as JSON.
    pub fn to_json(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }
}
