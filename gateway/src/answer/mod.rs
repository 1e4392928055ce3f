//! What goes back to the client.
//!
//! In: a response of an upstream. Out: Anthropic's events or its message. Never: a stream that is held until it is whole.

mod conceal;
mod story;
mod stream;
mod watch;
mod whole;

pub(crate) use story::{End, Story};
pub(crate) use stream::Answer;
pub(crate) use whole::Whole;
