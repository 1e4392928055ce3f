//! Chunks that change nothing but the length of what is open.
//!
//! In: a chunk, before it is kept. Out: whether it is dealt with. Never: decides anything that needs a second look.

use super::{Robust, Room, State};
use crate::scan;

/// What waits for the end of a tag is looked at again after so many bytes.
const MAX_TAG: usize = 64;

/// Larger chunks are scanned.
const MAX_QUICK: usize = 64;

impl Robust {
    /// Takes a chunk.
    #[inline]
    pub(crate) fn push(&mut self, room: &mut Room<'_>, chunk: &[u8]) {
        let from = room.store.buffer.len();
        if chunk.len() > MAX_QUICK || !room.store.buffer.push_ascii(chunk) {
            room.store.buffer.push(chunk);
        } else if self.at < from {
            if self.goes_on(room, chunk, from) {
                return;
            }
        } else if self.grow(room, chunk, from) {
            return;
        }
        self.advance(room);
    }

    /// Nothing but text or a value, with everything before it decided; false if it is for the machine.
    #[inline]
    fn grow(&mut self, room: &mut Room<'_>, chunk: &[u8], from: usize) -> bool {
        let to = from + chunk.len();
        match (&mut self.state, self.text) {
            (State::Value(call), _) => {
                if !scan::is_plain(chunk, [call.lead]) && !call.has_no_tag(chunk) {
                    return self.holds_back(room, chunk, from);
                }
                match call.value.flow_mut().extend(chunk, to) {
                    Some(solid) => room.store.extend_param(call.value.param, solid),
                    None => call.value.tell(room.store, to),
                }
            }
            (State::Text | State::Reasoning(Some(_)) | State::Fence(_), Some(text)) => {
                if !room.grammar.plain.all(chunk) {
                    return self.holds_back(room, chunk, from);
                }
                match self.flow.extend(chunk, to) {
                    Some(solid) => room.store.extend(text, solid),
                    None => return false,
                }
            }
            _ => return false,
        }
        self.at = to;
        true
    }

    /// A chunk that ends in the beginning of a tag: what stands before it goes on, and the tag waits for its end. False
    /// if there is more in the chunk than that.
    fn holds_back(&mut self, room: &mut Room<'_>, chunk: &[u8], from: usize) -> bool {
        let Some(tag) = begun_tag(chunk) else { return false };
        if tag > 0 && !self.grow(room, &chunk[..tag], from) {
            return false;
        }
        self.open_tag = Some(from + tag);
        true
    }

    /// What was pending stays so: a tag that has begun, of which letters alone decide nothing, or a code span, which
    /// goes on to the end of its line.
    fn goes_on(&mut self, room: &mut Room<'_>, chunk: &[u8], from: usize) -> bool {
        let to = from + chunk.len();
        match (&self.state, self.text) {
            (State::Text, Some(text)) if self.is_in_span(from) => {
                if !room.grammar.plain.all(chunk) || chunk.contains(&b'\n') {
                    return false;
                }
                let Some(solid) = self.flow.extend(chunk, to) else { return false };
                self.goes_on_in_span(to);
                room.store.extend(text, solid);
                true
            }
            _ => match self.open_tag {
                Some(tag) => to - tag < MAX_TAG && chunk.iter().all(is_in_name),
                None => false,
            },
        }
    }

    /// Whether what is pending ends in a tag without its end.
    #[inline]
    pub(super) fn note_open_tag(&mut self, room: &Room<'_>) {
        let bytes = room.store.bytes();
        let from = self.at.max(bytes.len().saturating_sub(MAX_TAG));
        self.open_tag = bytes.get(from..).and_then(begun_tag).map(|tag| from + tag);
    }
}

fn is_in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Where the tag begins that has no end yet.
fn begun_tag(bytes: &[u8]) -> Option<usize> {
    let last = bytes.iter().rposition(|byte| !is_in_name(byte))?;
    match bytes[..=last] {
        [.., b'<'] => Some(last),
        [.., b'<', b'/'] => Some(last - 1),
        _ => None,
    }
}
