//! What comes in: texts of JSON, contexts, options.
//!
//! In: texts, values. Out: values that are known to be what they should. Never: takes more than it can hold.

use promptweave::Context;
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::error::{Error, Misuse};

/// The most bytes of one input: options, a context, a chunk.
pub const MAX_INPUT_BYTES: usize = 256 * 1024 * 1024;

/// Refuses an input of so many bytes where it is too large to be taken.
///
/// # Errors
/// `input-too-large`.
pub fn limited(bytes: usize) -> Result<(), Error> {
    if bytes <= MAX_INPUT_BYTES {
        return Ok(());
    }
    let message = format!("the input has {bytes} bytes, and {MAX_INPUT_BYTES} are the most");
    Err(Error::new(Misuse::InputTooLarge, message, "give less at once"))
}

/// Reads options from a text of JSON; an empty text has none.
///
/// # Errors
/// `options-invalid`, `input-too-large`.
pub fn parse(text: &str) -> Result<Json, Error> {
    limited(text.len())?;
    if text.trim_start().is_empty() {
        return Ok(Json::Null);
    }
    serde_json::from_str(text).map_err(|error| {
        Error::new(Misuse::OptionsInvalid, format!("options are no JSON: {error}"), HELP)
    })
}

const HELP: &str = "give one JSON object; `{}` has the defaults";

/// Options as they are meant; null has the defaults.
pub(crate) fn options<T: DeserializeOwned + Default>(json: Json) -> Result<T, Error> {
    if json.is_null() { Ok(T::default()) } else { required(json) }
}

/// Options that have no defaults.
pub(crate) fn required<T: DeserializeOwned>(json: Json) -> Result<T, Error> {
    match json {
        Json::Object(_) => serde_json::from_value(json).map_err(|error| {
            Error::new(Misuse::OptionsInvalid, format!("options cannot be taken: {error}"), HELP)
        }),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
            Err(Error::new(Misuse::OptionsInvalid, "options are not one JSON object", HELP))
        }
    }
}

/// Reads a context from the text of one JSON object.
///
/// # Errors
/// `context-invalid`, `input-too-large`.
pub fn context(text: &str) -> Result<Context, Error> {
    limited(text.len())?;
    Context::from_json(text).map_err(|error| promptweave::Error::from(error).into())
}

/// Takes a context as a value; what nests deeper than 128 levels is refused.
///
/// # Errors
/// `context-invalid`.
pub fn context_of(value: Json) -> Result<Context, Error> {
    Context::from_value(value).map_err(|error| promptweave::Error::from(error).into())
}
