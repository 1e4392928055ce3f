//! The end of a server.
//!
//! In: signals. Out: [`Shutdown`], which everything that would go on forever listens to. Never: ends the process.

use std::io;

use tokio_util::sync::CancellationToken;

/// Says when a server is to end. Clones are of one server.
#[derive(Clone, Debug, Default)]
pub struct Shutdown(CancellationToken);

impl Shutdown {
    /// Ends at SIGINT or SIGTERM, or what the system has instead. The second one ends the process as if nobody listened.
    ///
    /// # Errors
    /// The system lets nobody listen.
    pub fn on_signals() -> io::Result<Self> {
        let shutdown = Self::default();
        let begun = shutdown.clone();
        let signal = signals()?;
        tokio::spawn(async move {
            signal.await;
            begun.begin();
            // From here on somebody is impatient.
            if let Ok(again) = signals() {
                again.await;
                std::process::exit(130);
            }
        });
        Ok(shutdown)
    }

    /// Begins it.
    pub fn begin(&self) {
        self.0.cancel();
    }

    /// Whether it has begun.
    pub fn has_begun(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Waits until it begins.
    pub async fn begun(&self) {
        self.0.cancelled().await;
    }

    /// The same, without a borrow.
    pub fn begun_owned(&self) -> impl Future<Output = ()> + Send + use<> {
        self.0.clone().cancelled_owned()
    }
}

#[cfg(unix)]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut terminate) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signals() -> io::Result<impl Future<Output = ()> + Send> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
