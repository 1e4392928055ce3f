//! A request in Anthropic's form, read once.
//!
//! In: JSON. Out: [`Form`], which borrows from it. Never: a block that is lost; what nobody knows is kept as it is.

use std::borrow::Cow;

use serde_json::{Map, Value as Json, json};

use super::RequestError;

/// How long what a mark ends is to live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Life {
    FiveMinutes,
    Hour,
}

impl Life {
    /// Anthropic's `cache_control`.
    pub(super) fn control(self) -> Json {
        match self {
            Self::FiveMinutes => json!({ "type": "ephemeral" }),
            Self::Hour => json!({ "type": "ephemeral", "ttl": "1h" }),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Form<'r> {
    pub(super) raw: &'r Map<String, Json>,
    pub(super) model: &'r str,
    pub(super) system: Vec<Block<'r>>,
    pub(super) messages: Vec<Message<'r>>,
    pub(super) tools: Vec<Tool<'r>>,
    pub(super) choice: Option<Choice<'r>>,
    /// Calls in parallel are forbidden.
    pub(super) serial: bool,
    pub(super) stops: Vec<&'r str>,
    /// Automatic caching.
    pub(super) auto_mark: Option<Life>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    System,
}

#[derive(Clone, Debug)]
pub(super) struct Message<'r> {
    pub(super) role: Role,
    pub(super) blocks: Vec<Block<'r>>,
    /// Its place in the request.
    pub(super) at: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Block<'r> {
    pub(super) kind: Kind<'r>,
    pub(super) mark: Option<Life>,
    /// As it is written; none for blocks that were made here, and for plain strings.
    pub(super) raw: Option<&'r Json>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind<'r> {
    Text(Cow<'r, str>),
    Image(&'r Json),
    Document(&'r Json),
    Call { id: Cow<'r, str>, name: Cow<'r, str>, input: &'r Json },
    Result { id: Cow<'r, str>, parts: Vec<Block<'r>>, failed: bool },
    Thinking { text: &'r str, signature: &'r str },
    Redacted(&'r str),
    Other,
}

#[derive(Clone, Debug)]
pub(super) struct Tool<'r> {
    pub(super) name: Cow<'r, str>,
    pub(super) description: Option<&'r str>,
    /// None for a tool that Anthropic runs itself.
    pub(super) schema: Option<&'r Json>,
    pub(super) mark: Option<Life>,
    pub(super) raw: &'r Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice<'r> {
    Auto,
    Any,
    None,
    Tool(Cow<'r, str>),
}

impl<'r> Form<'r> {
    pub(super) fn read(request: &'r Json) -> Result<Self, RequestError> {
        let raw = request.as_object().ok_or(RequestError::NoObject)?;
        let messages = raw.get("messages").and_then(Json::as_array);
        let messages = messages.filter(|all| !all.is_empty()).ok_or(RequestError::NoMessages)?;
        let messages: Result<Vec<_>, _> = messages.iter().enumerate().map(message).collect();
        let choice = raw.get("tool_choice").filter(|choice| !choice.is_null());
        let flag = |key: &str| choice.and_then(|choice| choice.get(key)?.as_bool());
        let tools = raw.get("tools").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        let tools: Result<Vec<_>, _> = tools.iter().enumerate().map(tool).collect();
        let stops = raw.get("stop_sequences").and_then(Json::as_array);
        Ok(Self {
            raw,
            model: raw.get("model").and_then(Json::as_str).unwrap_or_default(),
            system: blocks(raw.get("system"), "/system")?,
            messages: messages?,
            tools: tools?,
            choice: choice.map(read_choice).transpose()?,
            serial: flag("disable_parallel_tool_use").unwrap_or_default(),
            stops: stops.into_iter().flatten().filter_map(Json::as_str).collect(),
            auto_mark: life(raw.get("cache_control")),
        })
    }

    pub(super) fn field(&self, key: &str) -> Option<&'r Json> {
        self.raw.get(key).filter(|value| !value.is_null())
    }

    pub(super) fn is_streamed(&self) -> bool {
        self.field("stream").and_then(Json::as_bool).unwrap_or_default()
    }

    pub(super) fn user(&self) -> Option<&'r str> {
        self.field("metadata")?.get("user_id")?.as_str()
    }

    /// All marks in the order of the request, those within results too.
    pub(super) fn marks(&mut self) -> Vec<&mut Option<Life>> {
        let tools = self.tools.iter_mut().map(|tool| &mut tool.mark);
        let system = self.system.iter_mut().map(|block| &mut block.mark);
        let messages = self.messages.iter_mut().flat_map(|message| &mut message.blocks);
        let mut marks: Vec<&mut Option<Life>> = tools.chain(system).collect();
        for block in messages {
            let Block { kind, mark, .. } = block;
            if let Kind::Result { parts, .. } = kind {
                marks.extend(parts.iter_mut().map(|part| &mut part.mark));
            }
            marks.push(mark);
        }
        marks
    }
}

impl<'r> Block<'r> {
    pub(super) fn text(text: impl Into<Cow<'r, str>>) -> Self {
        Self { kind: Kind::Text(text.into()), mark: None, raw: None }
    }
}

impl Tool<'_> {
    pub(super) fn schema_or_empty(&self) -> Json {
        self.schema.cloned().unwrap_or_else(|| json!({ "type": "object" }))
    }
}

fn life(control: Option<&Json>) -> Option<Life> {
    let control = control.filter(|control| control.is_object())?;
    let is_hour = control.get("ttl").and_then(Json::as_str) == Some("1h");
    Some(if is_hour { Life::Hour } else { Life::FiveMinutes })
}

fn message((at, json): (usize, &Json)) -> Result<Message<'_>, RequestError> {
    let role = match json.get("role").and_then(Json::as_str) {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("system") => Role::System,
        _ => return Err(RequestError::Missing { at: format!("/messages/{at}/role") }),
    };
    let blocks = blocks(json.get("content"), &format!("/messages/{at}/content"))?;
    let misplaced = blocks.iter().position(|block| match block.kind {
        Kind::Call { .. } | Kind::Thinking { .. } | Kind::Redacted(_) => role != Role::Assistant,
        Kind::Result { .. } => role != Role::User,
        Kind::Text(_) | Kind::Image(_) | Kind::Document(_) | Kind::Other => false,
    });
    match misplaced {
        Some(number) => {
            Err(RequestError::Misplaced { at: format!("/messages/{at}/content/{number}") })
        }
        None => Ok(Message { role, blocks, at }),
    }
}

fn blocks<'r>(content: Option<&'r Json>, at: &str) -> Result<Vec<Block<'r>>, RequestError> {
    match content {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::String(text)) => Ok(vec![Block::text(text.as_str())]),
        Some(Json::Array(list)) => {
            let each = |(number, json)| block(json, || format!("{at}/{number}"));
            list.iter().enumerate().map(each).collect()
        }
        Some(_) => {
            let wanted = "a text or a list of blocks".to_owned();
            Err(RequestError::Type { at: at.to_owned(), wanted })
        }
    }
}

fn block(json: &Json, at: impl Fn() -> String) -> Result<Block<'_>, RequestError> {
    let text = |key: &str| json.get(key).and_then(Json::as_str);
    let needed =
        |key: &str| text(key).ok_or_else(|| RequestError::Block { at: at(), key: key.to_owned() });
    let kind = match needed("type")? {
        "text" => Kind::Text(needed("text")?.into()),
        "image" => Kind::Image(json),
        "document" => Kind::Document(json),
        "tool_use" => Kind::Call {
            id: needed("id")?.into(),
            name: needed("name")?.into(),
            input: json.get("input").unwrap_or(&Json::Null),
        },
        "tool_result" => Kind::Result {
            id: needed("tool_use_id")?.into(),
            parts: blocks(json.get("content"), &format!("{}/content", at()))?,
            failed: json.get("is_error").and_then(Json::as_bool).unwrap_or_default(),
        },
        "thinking" => Kind::Thinking {
            text: text("thinking").unwrap_or_default(),
            signature: text("signature").unwrap_or_default(),
        },
        "redacted_thinking" => Kind::Redacted(text("data").unwrap_or_default()),
        _ => Kind::Other,
    };
    Ok(Block { kind, mark: life(json.get("cache_control")), raw: Some(json) })
}

fn tool((at, json): (usize, &Json)) -> Result<Tool<'_>, RequestError> {
    let name = json.get("name").and_then(Json::as_str).filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| RequestError::Tool { at: format!("/tools/{at}") })?;
    Ok(Tool {
        name: name.into(),
        description: json.get("description").and_then(Json::as_str),
        schema: json.get("input_schema").filter(|schema| schema.is_object()),
        mark: life(json.get("cache_control")),
        raw: json,
    })
}

fn read_choice(choice: &Json) -> Result<Choice<'_>, RequestError> {
    let needed = |key: &str| {
        let text = choice.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| RequestError::Missing { at: format!("/tool_choice/{key}") })
    };
    Ok(match needed("type")? {
        "any" => Choice::Any,
        "none" => Choice::None,
        "tool" => Choice::Tool(needed("name")?.into()),
        _ => Choice::Auto,
    })
}
