//! What host and child say to each other.
//!
//! In: bytes of a stream. Out: frames, and the messages in them. Never: believes a length or a count that
//! the other side sends; what does not fit is [`Malformed`].
//!
//! A frame is `u32` length of the payload, `u8` type, `u32` number of the call, payload; numbers are little
//! endian, texts a `u32` length and UTF-8. The child answers the items of a call in their order, so that the
//! host knows at any time which one runs.

mod call;
mod codec;

use serde::{Deserialize, Serialize};

pub(crate) use call::{Call, CallItem, Value, answer, put_answer};
pub(crate) use codec::{Decoder, Encoder, Malformed};

use crate::table::Table;

/// The version of this protocol; host and child are of one release.
pub(crate) const PROTOCOL: u32 = 1;

/// The bytes before the payload.
pub(crate) const HEADER_BYTES: usize = 9;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Type {
    /// To the child, once: [`Load`] as JSON.
    Load = 1,
    /// To the child: a [`Call`].
    Call = 2,
    /// From the child, once: [`Loaded`] as JSON.
    Loaded = 3,
    /// From the child, one for each item of a call.
    Answer = 4,
    /// From the child: item, level, line.
    Log = 5,
    /// From the child: it leaves because nothing is asked of it.
    Bye = 6,
}

impl Type {
    pub(crate) fn read(byte: u8) -> Result<Self, Malformed> {
        [Self::Load, Self::Call, Self::Loaded, Self::Answer, Self::Log, Self::Bye]
            .into_iter()
            .find(|known| *known as u8 == byte)
            .ok_or(Malformed("a frame of an unknown type"))
    }
}

/// Reads bytes as everything that one side takes from the other; none of it may panic.
pub fn read_anything(bytes: &[u8]) {
    if let Some((first, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() {
        let _ = head(*first);
        let at = u32::from_le_bytes([first[0], first[1], first[2], first[3]]);
        let _ = answer(at, rest);
    }
    let _ = (answer(0, bytes), Call::read(bytes));
    let _ = serde_json::from_slice::<Loaded>(bytes);
}

/// What the child is to load.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Load {
    pub(crate) protocol: u32,
    /// The host's process id: if it is not the child's parent any more, the child leaves.
    pub(crate) host: u32,
    pub(crate) library: std::path::PathBuf,
    /// The configuration as JSON.
    pub(crate) config: String,
    pub(crate) confine: crate::limits::Confine,
    /// The most bytes of output of one item.
    pub(crate) output: usize,
    pub(crate) idle_ms: u64,
}

/// What the child says of itself before the first call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Loaded {
    pub(crate) protocol: u32,
    pub(crate) sandbox: crate::limits::Sandbox,
    /// The table, or why the plugin is not taken.
    pub(crate) table: Result<Table, String>,
}

/// A whole frame.
pub(crate) fn frame(kind: Type, call: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEADER_BYTES + payload.len());
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.push(kind as u8);
    bytes.extend_from_slice(&call.to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The head of a frame: the length of its payload, its type, its call.
pub(crate) fn head(bytes: [u8; HEADER_BYTES]) -> Result<(usize, Type, u32), Malformed> {
    let mut head = Decoder::new(&bytes);
    let (length, kind, call) = (head.u32()?, head.u8()?, head.u32()?);
    Ok((length as usize, Type::read(kind)?, call))
}
