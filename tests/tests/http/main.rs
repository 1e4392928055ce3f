//! The HTTP API: what it answers, whom it refuses, what it survives.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod document;
mod events;
mod hostile;
mod identity;
mod page;
mod parse;
mod plugins;
mod routes;
mod security;
mod sessions;
