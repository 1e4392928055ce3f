//! Speaks over streamable HTTP, behind the gate.
//!
//! In: an address, perhaps a token, packs. Out: answered requests at `/mcp`. Never: listens to other machines without a token, or
//! answers a page of a foreign site.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use promptweave_loopback::{
    Allowed, Gate, Limits, ListenError, Setup, Shutdown, Token, listen, serve,
};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::guard::Guard;
use crate::handler::Handler;
use crate::packs::Packs;
use crate::stdio::ServeError;

/// Where clients ask.
const PATH: &str = "/mcp";
/// After that long without a request a client is forgotten.
const UNUSED: Duration = Duration::from_secs(4 * 60 * 60);

/// Where a server listens, and to whom.
#[derive(Debug)]
pub struct HttpServer {
    /// The address; port 0 is a free one.
    pub address: SocketAddr,
    /// Who asks must know it.
    pub token: Option<Token>,
    /// Names that it answers to besides those of its address.
    pub hosts: Vec<String>,
    /// How much it takes.
    pub limits: Limits,
}

impl HttpServer {
    /// Serves until SIGINT or SIGTERM; `ready` learns the URL.
    ///
    /// # Errors
    /// [`ServeError`], before anything is served.
    pub fn run(self, packs: &Packs, ready: impl FnOnce(&str)) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.map_err(ServeError::System)?;
        let served = runtime.block_on(async {
            let shutdown = Shutdown::on_signals().map_err(ServeError::System)?;
            self.serve(packs, &shutdown, ready).await.map_err(ServeError::Listen)
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
        packs: &Packs,
        shutdown: &Shutdown,
        ready: impl FnOnce(&str),
    ) -> Result<(), ListenError> {
        let Self { address, token, hosts, limits } = self;
        let (listener, own) = listen(address, token.as_ref()).await?;
        let allowed = hosts.iter().fold(Allowed::at(own), |allowed, host| allowed.host(host));
        let setup = Setup { allowed, limits, token, ..Setup::default() };
        let gate = Gate::new(setup, |_| {});
        ready(&format!("http://{own}{PATH}"));
        serve(listener, app(packs, &gate, shutdown), &gate, shutdown).await;
        Ok(())
    }
}

fn app(packs: &Packs, gate: &Gate, shutdown: &Shutdown) -> Router {
    let mut sessions = LocalSessionManager::default();
    sessions.session_config.keep_alive = Some(UNUSED);
    let sessions = Arc::new(sessions);
    let ended = CancellationToken::new();
    let config = StreamableHttpServerConfig::default()
        // The gate has looked at both, and knows the names that the user added.
        .disable_allowed_hosts()
        .disable_allowed_origins()
        .with_max_request_body_bytes(gate.limits().body_bytes)
        .with_cancellation_token(ended.clone());
    let begun = shutdown.begun_owned();
    tokio::spawn(async move {
        begun.await;
        ended.cancel();
    });
    let packs = packs.clone();
    let new = move || Ok(Handler::new(packs.clone()));
    let service = StreamableHttpService::new(new, Arc::clone(&sessions), config);
    let guard = Guard::new(gate, sessions);
    let routes = guard.before(Router::new().route_service(PATH, service));
    gate.admit(gate.authorise(routes))
}
