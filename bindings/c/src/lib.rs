//! promptweave for C and C++.
//!
//! In: pointers. Out: handles, owned errors. Never: unwinds into its caller, follows a pointer that it made itself.
//!
//! The contract is in `include/promptweave_engine.h`, which is made of this crate. Each function checks what it is
//! given, calls the crate `promptweave-bindings`, and hands out a name for what it got.
#![allow(non_camel_case_types, reason = "these are names of C")]

mod component;
mod engine;
mod error;
mod handle;
mod parser;
mod prompt;
mod session;
mod text;

pub use component::*;
pub use engine::*;
pub use error::*;
pub use handle::promptweave_handles;
pub use parser::*;
pub use prompt::*;
pub use session::*;
pub use text::*;
