//! What the HTTP servers of promptweave share: who may ask, how much at once, and how it is refused.
//!
//! In: an address, perhaps a token, limits, a router. Out: a server that keeps to them. Never: knows the engine, writes a log of
//! bodies, or lets a page of a foreign site read anything: there is no CORS.
//!
//! A server goes three steps: [`listen`] binds, [`Gate`] wraps the routes, [`serve`] accepts until [`Shutdown`] says so.
//!
//! ```no_run
//! use axum::{Router, routing::get};
//! use promptweave_loopback::{Allowed, Gate, Setup, Shutdown, listen, serve};
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let (listener, address) = listen(([127, 0, 0, 1], 0).into(), None).await?;
//! let gate = Gate::new(Setup { allowed: Allowed::at(address), ..Setup::default() }, |_| {});
//! let routes = Router::new().route("/healthz", get(async || "ok"));
//! let app = gate.admit(gate.authorise(routes));
//! let shutdown = Shutdown::on_signals()?;
//! serve(listener, app, &gate, &shutdown).await;
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod allowed;
mod body;
mod gate;
mod head;
mod limits;
mod listen;
mod metrics;
mod problem;
mod serve;
mod shutdown;
mod streams;
mod token;

pub use allowed::{Allowed, NotHost, host_name};
pub use body::{broken, read, read_at_most};
pub use gate::{Gate, RequestId, Setup};
pub use limits::Limits;
pub use listen::{ListenError, listen};
pub use metrics::Metrics;
pub use problem::{Problem, Shape, rfc9457};
pub use serve::serve;
pub use shutdown::Shutdown;
pub use streams::{Stream, Streams};
pub use token::{Token, TokenError};
