//! promptweave as an MCP server: variants are prompts, what the verbs do are tools, the files of packs are resources.
//!
//! In: an engine, another one after each reload, a client's messages. Out: prompts, the verbs' JSON, files as they were loaded.
//! Never: loads a pack or a plugin that a request names, reads a file for a request, logs a message, or writes anything but the
//! protocol where it is spoken.
//!
//! [`Packs`] is what is asked; who follows files calls [`Packs::replace`] with each new engine, and clients are told.
//! [`serve_stdio`] speaks on standard input and output, [`HttpServer`] over HTTP behind the
//! [`Gate`](promptweave_loopback::Gate) of `promptweave-loopback`. `docs/mcp.md` describes what clients see.
#![forbid(unsafe_code)]

mod argument;
mod changes;
mod complete;
mod guard;
mod handler;
mod http;
mod lines;
mod message;
mod packs;
mod page;
mod prompts;
mod refusal;
mod resources;
mod stdio;
mod tools;

pub use http::HttpServer;
pub use packs::Packs;
pub use stdio::{ServeError, serve_stdio, serve_streams};
