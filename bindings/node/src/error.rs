//! Errors, as the other half reads them.
//!
//! In: errors of the engine. Out: errors of JavaScript whose message is a JSON object. Never: reaches who calls the package
//! as it is.

use promptweave_bindings::{Error, Misuse};

/// The error with all of its parts: `{code, message, origin, help, file, span}`.
pub(crate) fn thrown(error: Error) -> napi::Error {
    let mut json = error.to_json();
    json["file"] = error.origin().file_name().into();
    json["span"] = error.span().map(|span| vec![span.start, span.end]).into();
    napi::Error::from_reason(json.to_string())
}

/// There is nothing of this number any more.
pub(crate) fn closed(what: &str) -> napi::Error {
    let message = format!("the {what} is closed");
    thrown(Error::new(Misuse::HandleInvalid, message, "ask before it is closed"))
}
