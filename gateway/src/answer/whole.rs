//! An answer that comes whole.
//!
//! In: the upstream's body. Out: Anthropic's message. Never: a message of an answer that failed.

use promptweave_wire::{Answering, Note, Stream, StreamEvent, Usage, fold};
use serde_json::Value as Json;

use super::conceal::Concealed;
use crate::config::Upstream;
use crate::upstream::{Looks, MAX_ANSWER_BYTES, Opened, Read, Trouble, without_keys};

/// Reads the message that a body holds, and what it cost.
#[derive(Debug)]
pub(crate) struct Whole<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) answering: Answering,
    /// The id of the request.
    pub(crate) id: &'a str,
}

/// A message, and what is told about it.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) json: Json,
    pub(crate) usage: Usage,
    pub(crate) notes: Vec<Note>,
}

impl Read for Whole<'_> {
    type Made = Message;

    async fn read(&self, mut opened: Opened) -> Result<Message, Trouble> {
        let Self { upstream, answering, id } = self;
        let bytes = opened.rest(upstream, MAX_ANSWER_BYTES).await?;
        let mut stream = Stream::new(upstream.target, answering.clone());
        let events = match opened.looks(&bytes) {
            Some(Looks::Page) => return Err(Trouble::senseless(&upstream.name, "a page")),
            Some(Looks::Compressed) => {
                return Err(Trouble::senseless(&upstream.name, "compressed bytes"));
            }
            Some(Looks::Json) => {
                let json = serde_json::from_slice::<Json>(&bytes);
                let json = json.map_err(|_| Trouble::unread(&upstream.name))?;
                let events = stream.push_whole(&json);
                if let Some(StreamEvent::Error(failure)) = events.first() {
                    return Err(Trouble::first(failure, &json, upstream, &opened.keys));
                }
                events
            }
            // Some servers stream whatever they are asked.
            Some(Looks::Events) if is_stream(&bytes) => {
                let mut events = stream.push(&bytes);
                events.extend(stream.finish());
                events
            }
            Some(Looks::Events) | None => return Err(Trouble::unread(&upstream.name)),
        };
        let concealed = Concealed { keys: &opened.keys, id };
        let events: Vec<_> = events.into_iter().map(|event| concealed.of(event)).collect();
        let told = |failure| Trouble::of(without_keys(failure, &upstream.name, &opened.keys));
        let json = fold(&events).map_err(told)?;
        Ok(Message { usage: usage(&json), json, notes: stream.notes().to_vec() })
    }
}

/// Whether bytes begin as a stream of events does.
fn is_stream(bytes: &[u8]) -> bool {
    let begun = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
    [&b"data:"[..], b"event:", b"id:", b":", b"\0"].iter().any(|field| begun.starts_with(field))
}

fn usage(message: &Json) -> Usage {
    let count = |key: &str| message["usage"].get(key).and_then(Json::as_u64);
    Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
        ..Usage::default()
    }
}
