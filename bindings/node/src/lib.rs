//! promptweave for Node.js: the native half of the npm package `promptweave`.
//!
//! In: texts of JSON, numbers of things that were made here, chunks of replies. Out: the same, and errors as texts of JSON.
//! Never: decides anything; hands a number to anybody but `js/`, which gives it back once at most.
//!
//! `js/` makes classes of these functions, and objects of these texts: a text crosses in one piece, an object property by
//! property. Each thread of JavaScript has its own things.
#![deny(unsafe_code)]
// What napi exports is public by itself.
#![allow(unreachable_pub, reason = "the functions are exported by their attribute")]

mod chunk;
mod error;
mod table;

mod host;

mod background;
mod engine;
mod parser;
mod prompt;
mod session;

#[cfg(feature = "bench")]
mod bench;

/// The version of the library.
#[napi_derive::napi(catch_unwind)]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
