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
        if chunk.len() > MAX_QUICK || !self.push_plain(room, chunk) {
            room.store.buffer.push(chunk);
            self.advance(room);
        }
    }

    /// Takes a chunk that holds nothing but text; false if it is for the machine.
    #[inline]
    fn push_plain(&mut self, room: &mut Room<'_>, chunk: &[u8]) -> bool {
        let from = room.store.buffer.len();
        if self.at < from {
            return self.push_into_tag(room, chunk, from);
        }
        match (&mut self.state, self.text) {
            (State::Text | State::Reasoning(Some(_)), Some(text)) => {
                if !room.grammar.plain.all(chunk) || !room.store.buffer.push_ascii(chunk) {
                    return false;
                }
                self.at = from + chunk.len();
                match self.flow.extend(chunk, self.at) {
                    Some(solid) => room.store.extend(text, solid),
                    None => self.tell(room),
                }
            }
            (State::Value(call), _) => {
                if !scan::is_plain(chunk, [call.lead]) || !room.store.buffer.push_ascii(chunk) {
                    return false;
                }
                self.at = from + chunk.len();
                match call.value.flow_mut().extend(chunk, self.at) {
                    Some(solid) => room.store.extend_param(call.value.param, solid),
                    None => self.tell(room),
                }
            }
            _ => return false,
        }
        true
    }

    /// A tag that has begun: letters alone decide nothing.
    fn push_into_tag(&mut self, room: &mut Room<'_>, chunk: &[u8], from: usize) -> bool {
        let in_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        self.open_tag
            && from + chunk.len() - self.at < MAX_TAG
            && chunk.iter().all(in_name)
            && room.store.buffer.push_ascii(chunk)
    }

    /// Whether what is pending is a tag without its end.
    #[inline]
    pub(super) fn note_open_tag(&mut self, room: &Room<'_>) {
        let pending = &room.store.bytes()[self.at.min(room.store.buffer.len())..];
        self.open_tag = pending.first() == Some(&b'<')
            && pending.len() < MAX_TAG
            && pending[1..]
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/'));
    }
}
