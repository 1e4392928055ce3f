//! Speaks on standard input and output.
//!
//! In: lines of JSON. Out: lines of JSON, and no other byte. Never: outlives its input.

use std::fmt;
use std::io;

use promptweave_loopback::{Limits, Shutdown};
use rmcp::service::{RoleServer, ServerInitializeError, serve_server};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::io::stdio;

use crate::handler::Handler;
use crate::packs::Packs;

/// Why nothing is served.
#[derive(Debug)]
pub enum ServeError {
    /// Nothing listens.
    Listen(promptweave_loopback::ListenError),
    /// The system gives no threads, or lets nobody listen to signals.
    System(io::Error),
    /// Whoever is at the other end does not begin as the protocol says.
    Client(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(error) => error.fmt(f),
            Self::System(error) => write!(f, "nothing can be served: {error}"),
            Self::Client(error) => write!(f, "the client does not speak the protocol: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Answers the client at the other end of standard input and output until it closes them, or until SIGINT or SIGTERM.
///
/// A line of more than 8 MiB is dropped.
///
/// # Errors
/// [`ServeError`], when the client never began.
pub fn serve_stdio(packs: &Packs) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(ServeError::System)?;
    let served = runtime.block_on(async {
        let shutdown = Shutdown::on_signals().map_err(ServeError::System)?;
        tokio::select! {
            served = speak(packs) => served,
            () = shutdown.begun() => Ok(()),
        }
    });
    // The thread that reads standard input waits for a line, and a plugin that hangs would be waited for.
    runtime.shutdown_background();
    served
}

async fn speak(packs: &Packs) -> Result<(), ServeError> {
    let (input, output) = stdio();
    let most = Limits::default().body_bytes;
    let transport =
        AsyncRwTransport::<RoleServer, _, _>::new(input, output).with_max_line_length(most);
    match serve_server(Handler::new(packs.clone()), transport).await {
        Ok(running) => {
            // It ends with its input, after what has begun.
            let _ = running.waiting().await;
            Ok(())
        }
        // Whoever looked whether there is a server, and left.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(ServeError::Client(error.to_string())),
    }
}
