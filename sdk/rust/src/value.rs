//! What stands at a key.
//!
//! In: what the host filled in. Out: a value that borrows until the call returns. Never: parses JSON.

use promptweave_abi::{Status, Str, Value as RawValue, ValueKind};

use crate::Error;
use crate::error::What;

/// A value of the context or of the variant. Numbers, arrays and objects are JSON text, so that nothing of
/// them is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as JSON.
    Number(&'a str),
    /// A string, as it is.
    String(&'a str),
    /// A list, as JSON.
    Array(&'a str),
    /// A map, as JSON.
    Object(&'a str),
}

impl<'a> Value<'a> {
    /// # Safety
    /// The text is the host's, and stays unchanged for `'a`.
    pub(crate) unsafe fn read(raw: RawValue, what: What<'_>) -> Result<Self, Error> {
        // SAFETY: the caller's promise.
        let text = unsafe { text(raw.text, what) }?;
        Ok(match raw.kind {
            ValueKind::NULL => Self::Null,
            ValueKind::BOOL => Self::Bool(text == "true"),
            ValueKind::INT | ValueKind::FLOAT => Self::Number(text),
            ValueKind::STRING => Self::String(text),
            ValueKind::ARRAY => Self::Array(text),
            ValueKind::OBJECT => Self::Object(text),
            ValueKind(kind) => {
                let message = format!("{what}: the host sent a value of the unknown kind {kind}");
                return Err(Error::new(Status::E_UNSUPPORTED, message));
            }
        })
    }

    /// For messages.
    pub(crate) fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a bool",
            Self::Number(_) => "a number",
            Self::String(_) => "a string",
            Self::Array(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}

/// Text of the host.
///
/// # Safety
/// It stays unchanged for `'a`.
pub(crate) unsafe fn text<'a>(raw: Str, what: What<'_>) -> Result<&'a str, Error> {
    // SAFETY: the caller's promise.
    unsafe { raw.as_text() }.map_err(|_| {
        Error::new(Status::E_ARG, format!("{what}: the host sent text that is not UTF-8"))
    })
}
