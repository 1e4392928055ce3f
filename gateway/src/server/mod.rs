//! The Messages API as a server.
//!
//! In: HTTP on loopback. Out: answers of upstreams in Anthropic's form. Never: a request that did not pass the gate.

mod app;
mod count;
mod exchange;
mod files;
mod gateway;
mod hops;
mod messages;
mod models;
mod routing;
mod running;

pub use gateway::Gateway;
pub use running::{Running, run, serve};
