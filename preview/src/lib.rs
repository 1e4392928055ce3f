//! The HTTP API of promptweave, and the page that shows what a prompt is made of.
//!
//! In: an engine, plugins that were found, requests. Out: what the command line prints as JSON; the page; events. Never: loads a
//! pack or a plugin that a request names, reads a file for a request, logs a context, or keeps one but in a session.
//!
//! [`Preview`] is what is asked; [`Preview::app`] makes the routes, behind the [`Gate`](promptweave_loopback::Gate) of
//! `promptweave-loopback`. Who follows files calls [`Preview::replace`] with each new engine. `docs/http.md` describes the routes.
#![forbid(unsafe_code)]

mod asked;
mod body;
mod builds;
mod document;
mod events;
mod named;
mod page;
mod preview;
mod refusal;
mod routes;
mod server;
mod sessions;
mod work;

pub use document::document;
pub use preview::{KINDS, Preview, Setup};
pub use server::{Server, ServerError};
pub use sessions::SessionLimits;
