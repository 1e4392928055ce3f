//! Serves a preview until it is told to end.
//!
//! In: an address, perhaps a token, a preview. Out: answered requests. Never: listens to other machines without a token.

use std::io;
use std::net::SocketAddr;

use promptweave_loopback::{
    Allowed, Gate, Limits, ListenError, Setup as GateSetup, Shutdown, Token, listen, serve,
};

use crate::preview::{KINDS, LINES, Preview};

/// Where a server listens, and to whom.
#[derive(Debug)]
pub struct Server {
    /// The address; port 0 is a free one.
    pub address: SocketAddr,
    /// Who asks must know it.
    pub token: Option<Token>,
    /// Names that it answers to besides those of its address.
    pub hosts: Vec<String>,
    /// How much it takes.
    pub limits: Limits,
}

/// Why nothing is served.
#[derive(Debug)]
pub enum ServerError {
    /// Nothing listens.
    Listen(ListenError),
    /// The system gives no threads, or lets nobody listen to signals.
    System(io::Error),
}

impl Server {
    /// Serves until SIGINT or SIGTERM; `ready` learns the address.
    ///
    /// # Errors
    /// [`ServerError`], before anything is served.
    pub fn run(self, preview: &Preview, ready: impl FnOnce(SocketAddr)) -> Result<(), ServerError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(ServerError::System)?;
        let served = runtime.block_on(async {
            let shutdown = Shutdown::on_signals().map_err(ServerError::System)?;
            self.serve(preview, &shutdown, ready).await.map_err(ServerError::Listen)
        });
        // A plugin that hangs would be waited for.
        runtime.shutdown_background();
        served
    }

    /// The same until a shutdown, on a runtime that is there.
    ///
    /// # Errors
    /// [`ListenError`], before anything is served.
    pub async fn serve(
        self,
        preview: &Preview,
        shutdown: &Shutdown,
        ready: impl FnOnce(SocketAddr),
    ) -> Result<(), ListenError> {
        let Self { address, token, hosts, limits } = self;
        let (listener, own) = listen(address, token.as_ref()).await?;
        let allowed = hosts.iter().fold(Allowed::at(own), |allowed, host| allowed.host(host));
        let setup = GateSetup {
            allowed,
            limits,
            token,
            // Cookies know no ports: the name keeps two servers apart.
            cookie: Some(format!("promptweave_{}", own.port())),
            kinds: KINDS,
            arriving: &[LINES],
            ..GateSetup::default()
        };
        let gate = Gate::new(setup, |registry| preview.register(registry));
        ready(own);
        serve(listener, preview.app(&gate, shutdown), &gate, shutdown).await;
        Ok(())
    }
}
