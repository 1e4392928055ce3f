//! Reads one message, as JSON-RPC 2.0 has it.
//!
//! In: the bytes of a line or a body. Out: a message of the protocol, nothing where none is owed an answer, or why it is no message.
//! Never: tells what a message holds, other than its id.

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

use crate::refusal::Refusal;

/// Some programs write it before the first byte of JSON.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a client says.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A request, a notification or an answer.
    Message(Box<ClientJsonRpcMessage>),
    /// A notification of another shape than the protocol gives it: no notification is ever answered.
    Nothing,
}

/// Why bytes are no message, or one that is not taken.
#[derive(Debug)]
pub(crate) struct Refused {
    /// A text or a number where it can be read, else null.
    id: Json,
    error: ErrorData,
}

impl Refused {
    fn new(id: Json, why: Refusal) -> Self {
        Self { id, error: why.into_error() }
    }

    /// A message that is longer than any may be.
    pub(crate) fn too_long(most: usize) -> Self {
        let why = Refusal::request(format!("the message has more than {most} bytes"));
        Self::new(Json::Null, why.help("send less at a time"))
    }

    /// A request whose id another one has, which is still worked on.
    pub(crate) fn repeated(id: Json) -> Self {
        let why = Refusal::request("a request with this id is worked on already");
        Self::new(id, why.help("give each request of a session an id of its own"))
    }

    /// An error response of JSON-RPC.
    pub(crate) fn to_json(&self) -> Json {
        json!({ "jsonrpc": "2.0", "id": self.id, "error": self.error })
    }
}

/// Reads the bytes of one message.
pub(crate) fn read(bytes: &[u8]) -> Result<Heard, Refused> {
    let refuse = |why: Refusal| Err(Refused::new(Json::Null, why));
    match json(bytes) {
        Ok(Json::Object(members)) => of_object(members),
        Ok(Json::Array(_)) => refuse(
            Refusal::request("the protocol has no batches")
                .help("send each message by itself, not in an array"),
        ),
        Ok(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => {
            refuse(Refusal::request("a message is an object"))
        }
        Err(error) => refuse(Refusal::not_json(error)),
    }
}

/// The same JSON for who takes neither a mark nor a key twice; of such keys the last one counts.
pub(crate) fn plain(bytes: &[u8]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&json(bytes)?)
}

fn json(bytes: &[u8]) -> serde_json::Result<Json> {
    serde_json::from_slice(bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes))
}

fn of_object(members: Map<String, Json>) -> Result<Heard, Refused> {
    let id = members.get("id").cloned();
    let readable = |id: &Json| id.is_string() || id.is_number();
    let refuse = |why| Err(Refused::new(id.clone().filter(readable).unwrap_or_default(), why));
    if let Some(why) = fault(&members) {
        return refuse(Refusal::request(why));
    }
    let is_request = members.contains_key("method") && id.is_some();
    match serde_json::from_value(Json::Object(members)) {
        Ok(message) if is_misshapen_beginning(&message) => {
            let why = Refusal::arguments("the parameters of `initialize` have another shape");
            refuse(why.help("give `protocolVersion`, `capabilities` and `clientInfo`"))
        }
        Ok(message) => Ok(Heard::Message(Box::new(message))),
        Err(_) if is_request => {
            refuse(Refusal::arguments("the parameters have another shape than those of the method"))
        }
        Err(_) => Ok(Heard::Nothing),
    }
}

/// Why an object is neither a request nor a notification nor an answer.
fn fault(members: &Map<String, Json>) -> Option<&'static str> {
    let is_answer = members.contains_key("result") || members.contains_key("error");
    let is_id = |id: &Json| RequestId::deserialize(id).is_ok();
    match members.get("method") {
        _ if members.get("jsonrpc").is_none_or(|version| version != "2.0") => {
            Some("`jsonrpc` is not \"2.0\"")
        }
        None if is_answer => None,
        None => Some("there is no `method`"),
        Some(_) if is_answer => Some("a request has neither `result` nor `error`"),
        Some(method) if !method.is_string() => Some("`method` is not a text"),
        Some(_) if members.get("id").is_some_and(|id| !is_id(id)) => {
            Some("`id` is neither a text nor a whole number")
        }
        Some(_) => None,
    }
}

/// A known request whose parameters have another shape is read as one that nobody knows.
fn is_misshapen_beginning(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(asked) = message else { return false };
    matches!(&asked.request, ClientRequest::CustomRequest(it) if it.method == "initialize")
}
