//! The input of a call, which comes as pieces of JSON.
//!
//! In: the pieces, joined. Out: the object, if it is one. Never: a guess at what is missing.

use serde_json::{Value as Json, json};

/// The input that a text holds; nothing at all stands for an empty one.
pub(crate) fn input(text: &str) -> Option<Json> {
    if text.trim().is_empty() {
        return Some(json!({}));
    }
    serde_json::from_str::<Json>(text).ok().filter(Json::is_object)
}
