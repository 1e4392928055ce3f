//! Texts of a few bytes, as models send them.
//!
//! In: a string of JavaScript. Out: its bytes. Never: asks for its length, or for memory, where it is short: for eight bytes
//! that takes longer than to cut them.

use std::ptr;

use napi::bindgen_prelude::FromNapiValue;
use napi::{Result, sys};

/// How many bytes are short, and one for the NUL that Node writes behind them.
const SHORT: usize = 64;
/// A character that did not fit leaves as many bytes free at most.
const LONGEST_CHARACTER: usize = 4;

/// A chunk that came as a text.
pub enum Chunk {
    /// The bytes, and how many.
    Short([u8; SHORT], usize),
    Long(String),
}

impl Chunk {
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(bytes, length) => bytes.get(..*length).unwrap_or_default(),
            Self::Long(text) => text.as_bytes(),
        }
    }
}

#[allow(unsafe_code, reason = "no function of napi writes into memory that is there already")]
impl FromNapiValue for Chunk {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        let (mut bytes, mut length) = ([0; SHORT], 0);
        // SAFETY: the caller vouches for both handles; Node writes at most `SHORT` bytes there, and how many.
        let status = unsafe {
            let place = bytes.as_mut_ptr().cast();
            sys::napi_get_value_string_utf8(env, value, place, SHORT, ptr::from_mut(&mut length))
        };
        if status == sys::Status::napi_ok && length < SHORT - LONGEST_CHARACTER {
            return Ok(Self::Short(bytes, length));
        }
        // SAFETY: the caller's promise; it says itself what is no string.
        unsafe { String::from_napi_value(env, value) }.map(Self::Long)
    }
}
