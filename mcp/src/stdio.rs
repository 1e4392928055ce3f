//! Speaks on standard input and output.
//!
//! In: lines of JSON. Out: lines of JSON, and no other byte. Never: outlives its input by more than the answers that it owes.

use std::fmt;
use std::io;

use promptweave_loopback::Shutdown;
use rmcp::service::{ServerInitializeError, serve_server};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use crate::handler::Handler;
use crate::lines::Lines;
use crate::packs::Packs;

/// Why nothing is served.
#[derive(Debug)]
pub enum ServeError {
    /// Nothing listens.
    Listen(promptweave_loopback::ListenError),
    /// The system gives no threads, or lets nobody listen to signals.
    System(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listen(error) => error.fmt(f),
            Self::System(error) => write!(f, "nothing can be served: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

/// Answers the client at the other end of standard input and output until it closes them, or until SIGINT or SIGTERM.
///
/// # Errors
/// [`ServeError::System`], before anything is served.
pub fn serve_stdio(packs: &Packs) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(ServeError::System)?;
    let served = runtime.block_on(async {
        let shutdown = Shutdown::on_signals().map_err(ServeError::System)?;
        tokio::select! {
            () = serve_streams(packs, tokio::io::stdin(), tokio::io::stdout()) => {}
            () = shutdown.begun() => {}
        }
        Ok(())
    });
    // The thread that reads standard input waits for a line, and a plugin that hangs would be waited for.
    runtime.shutdown_background();
    served
}

/// Answers a client that writes lines of JSON and reads them, until it ends its input and has every answer, or reads no more.
///
/// A line has at most 8 MiB; a longer one is refused, and the next is read.
pub async fn serve_streams<R, W>(packs: &Packs, input: R, output: W)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (lines, reads) = Lines::new(input, output);
    let mut reading = JoinSet::new();
    reading.spawn(reads);
    loop {
        match serve_server(Handler::new(packs.clone()), lines.clone()).await {
            Ok(running) => {
                let _ = running.waiting().await;
                return;
            }
            // Nothing but a request begins; what else comes before it is no reason to go.
            Err(
                ServerInitializeError::ExpectedInitializeRequest(_)
                | ServerInitializeError::InitializeFailed(_),
            ) => {}
            Err(_) => return,
        }
    }
}
