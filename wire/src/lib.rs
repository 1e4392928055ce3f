//! One prompt, every provider: requests out, streams back.
//!
//! In: bytes of a provider's stream, or its whole answer. Out: Anthropic's stream events, or its message.
//! Never: sends, waits, reads a clock or a file.
//!
//! ```
//! use promptweave_wire::{Answering, Stream, StreamEvent, Target};
//!
//! let mut stream = Stream::new(Target::OpenAiChat, Answering::default());
//! let mut events = stream.push(b"data: {\"id\":\"c1\",\"choices\":[{\"delta\":{\"content\":\"Hel");
//! events.extend(stream.push(b"lo\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"));
//! events.extend(stream.finish());
//! let names: Vec<_> = events.iter().map(StreamEvent::name).collect();
//! assert_eq!(names.first(), Some(&"message_start"));
//! assert_eq!(names.last(), Some(&"message_stop"));
//! assert_eq!(promptweave_wire::fold(&events).unwrap()["content"][0]["text"], "Hello");
//! ```
#![forbid(unsafe_code)]

mod abilities;
mod answer;
mod answering;
mod assemble;
mod carry;
mod event;
mod frame;
mod message;
mod note;
mod piece;
mod replay;
mod request;
mod sse;
mod stream;
mod tables;
mod target;
mod textual;

pub use target::Target;

pub use note::{Note, NoteCode};
pub use request::{Outgoing, RequestError, request};

pub use abilities::{Abilities, AbilityData, AbilityError};
pub use abilities::{
    ChoiceForm, IdForm, LimitField, MarkForm, ReasoningBack, Support, SystemPlace, SystemRole,
    ThinkingForm, ToolCalls, TopEffort, UserField,
};

pub use answering::Answering;
pub use stream::{Stream, answer, failure};

pub use event::{Delta, Failure, FailureKind, StartBlock, Stop, StreamEvent, Usage};
pub use message::fold;
pub use replay::Replay;

pub use tables::{Table, tables};

pub use frame::{FrameError, FrameReader};
pub use sse::{MAX_EVENT_BYTES, ServerEvent, SseReader, TooLong};
