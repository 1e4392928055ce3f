//! Chunks that change nothing but the length of what is open.
//!
//! In: a chunk, before it is kept. Out: whether it is dealt with. Never: decides anything that needs a second look.

use super::{Robust, Room, State};
use crate::buffer::Span;
use crate::store::{MAX_QUICK, Store};

/// What waits for the end of a tag is looked at again after so many bytes.
const MAX_TAG: usize = 64;

impl Robust {
    /// Takes a chunk, if it is one; it is kept in any case. False if it is for the machine.
    #[inline(always)]
    pub(crate) fn absorb(&mut self, room: &mut Room<'_>, chunk: &[u8]) -> bool {
        let from = room.store.buffer.len();
        if chunk.len() > MAX_QUICK || !room.store.buffer.push_ascii(chunk) {
            self.catch_up(room.store, from);
            room.store.buffer.push(chunk);
            return false;
        }
        let done = if room.store.tip.is_none() && self.at < from {
            self.goes_on(room, chunk, from)
        } else {
            self.grow(room, chunk, from) || self.holds_back(room, chunk, from)
        };
        if !done {
            self.catch_up(room.store, from);
        }
        done
    }

    /// Takes over what has grown up to `to`.
    pub(crate) fn catch_up(&mut self, store: &mut Store, to: usize) {
        let Some(solid) = store.take_tip() else { return };
        self.at = to;
        match &mut self.state {
            State::Value(call) => call.value.flow.grown(solid, to),
            _ => self.flow.grown(solid, to),
        }
    }

    /// What of the text or the value grows by itself from here on.
    pub(super) fn note_tip(&self, room: &mut Room<'_>) {
        let store = &mut *room.store;
        if self.at < store.buffer.len() || !store.buffer.is_whole() {
            return;
        }
        match (&self.state, self.text, room.grammar.stops) {
            (State::Value(call), ..) => call.let_grow(store),
            (
                State::Text | State::Reasoning(Some(_)) | State::Fence(_),
                Some(text),
                Some(stops),
            ) => {
                store.let_text_grow(text, stops);
            }
            _ => {}
        }
    }

    /// A piece in which nothing begins or ends, with everything before it decided.
    #[inline(never)]
    fn grow(&mut self, room: &mut Room<'_>, piece: &[u8], from: usize) -> bool {
        let (store, to) = (&mut *room.store, from + piece.len());
        match (&mut self.state, &room.grammar.stops) {
            (State::Value(call), _) => {
                if !call.has_no_tag(piece) {
                    return false;
                }
                if !store.grow_by(piece, to) {
                    self.catch_up(store, from);
                    self.at = to;
                    self.tell(room);
                    self.note_tip(room);
                }
                true
            }
            (State::Level(call), _) if call.has_no_lead(piece) => {
                self.at = to;
                true
            }
            (_, Some(stops)) => stops.are_absent(piece) && store.grow_by(piece, to),
            _ => false,
        }
    }

    /// A chunk that ends in the beginning of a tag: what stands before it goes on, and the tag waits for its end. False
    /// if there is more in the chunk than that.
    #[inline(never)]
    fn holds_back(&mut self, room: &mut Room<'_>, chunk: &[u8], from: usize) -> bool {
        let Some(tag) = begun_tag(chunk) else { return false };
        if tag > 0 && !self.grow(room, &chunk[..tag], from) {
            return false;
        }
        self.catch_up(room.store, from + tag);
        self.pending = Pending::Tag(from + tag);
        true
    }

    /// What was pending stays so, or proves to be no tag. A code span goes on to the end of its line.
    #[inline(never)]
    fn goes_on(&mut self, room: &mut Room<'_>, chunk: &[u8], from: usize) -> bool {
        let to = from + chunk.len();
        match (&self.state, self.text, &room.grammar.stops) {
            (State::Text, Some(text), Some(stops)) if self.is_in_span(from) => {
                if !stops.are_absent(chunk) || chunk.contains(&b'\n') {
                    return false;
                }
                let Some(solid) = self.flow.extend(chunk, to) else { return false };
                self.goes_on_in_span(to);
                room.store.extend(text, solid);
                true
            }
            _ if self.pending == Pending::Other || to - self.at >= MAX_TAG => false,
            _ => self.waits_on(chunk, from) || self.is_no_tag(room.store, to),
        }
    }

    /// Letters alone decide nothing about a tag, nor does white space about what a tag means that needs another behind it.
    #[inline]
    fn waits_on(&mut self, chunk: &[u8], from: usize) -> bool {
        let rest = match self.pending {
            Pending::Other => return false,
            Pending::Gap => 0,
            Pending::Tag(tag) => match chunk.iter().position(|byte| !is_in_name(byte)) {
                None => return true,
                // What may open a call needs a parameter behind it.
                Some(end) if chunk[end] == b'>' && tag == self.at && self.is_in_text() => end + 1,
                Some(_) => return false,
            },
        };
        match chunk[rest..].iter().position(|byte| !is_blank(byte)) {
            None => self.pending = Pending::Gap,
            Some(next) if begun_tag(&chunk[rest..]) == Some(next) => {
                self.pending = Pending::Tag(from + rest + next);
            }
            Some(_) => return false,
        }
        true
    }

    fn is_in_text(&self) -> bool {
        matches!(self.state, State::Text)
    }

    /// What seemed to begin a tag at the end of a raw value is part of it.
    #[inline]
    fn is_no_tag(&mut self, store: &mut Store, to: usize) -> bool {
        let State::Value(call) = &mut self.state else { return false };
        let piece = store.buffer.slice(Span::new(self.at, to));
        if self.pending != Pending::Tag(self.at) || !call.has_no_tag(piece) {
            return false;
        }
        match call.value.flow.extend(piece, to) {
            Some(solid) => store.extend_param(call.value.param, solid),
            None => return false,
        }
        self.at = to;
        call.let_grow(store);
        true
    }

    /// What the bytes wait for that are not decided.
    #[inline]
    pub(super) fn note_pending(&mut self, room: &Room<'_>) {
        let bytes = room.store.bytes();
        let from = self.at.max(bytes.len().saturating_sub(MAX_TAG));
        self.pending = match bytes.get(from..).unwrap_or_default() {
            [] => Pending::Other,
            tail => match begun_tag(tail) {
                Some(tag) => Pending::Tag(from + tag),
                None if tail.iter().rfind(|byte| !is_blank(byte)) == Some(&b'>') => Pending::Gap,
                None => Pending::Other,
            },
        };
    }
}

/// What the bytes wait for that are not decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pending {
    /// The end of the tag that begins there.
    Tag(usize),
    /// The tag that may follow the one before.
    Gap,
    Other,
}

/// Letters, digits and `_`.
const IN_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        byte += 1;
    }
    table
};

fn is_in_name(byte: &u8) -> bool {
    IN_NAME[usize::from(*byte)]
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
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
