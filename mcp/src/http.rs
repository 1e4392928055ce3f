//! Speaks over streamable HTTP, behind the gate.
//!
//! In: an address, perhaps a token, packs. Out: answered requests at `/mcp`. Never: listens to other machines without a token, or
//! answers a page of a foreign site.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{self, Next};
use axum::response::Response;
use futures_util::StreamExt;
use promptweave_loopback::{
    Allowed, Gate, Limits, ListenError, Problem, Setup, Shutdown, Token, listen, serve,
};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use crate::handler::Handler;
use crate::packs::Packs;
use crate::stdio::ServeError;

/// Where clients ask.
const PATH: &str = "/mcp";
/// Clients at a time; more is 503.
const MAX_SESSIONS: usize = 256;
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

/// What the guard of `/mcp` has.
#[derive(Clone)]
struct Guarded {
    gate: Gate,
    sessions: Arc<LocalSessionManager>,
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
    let guarded = Guarded { gate: gate.clone(), sessions };
    let routes = Router::new()
        .route_service(PATH, service)
        .route_layer(middleware::from_fn_with_state(guarded, guard));
    gate.admit(gate.authorise(routes))
}

/// Lets no more clients in than there may be, and gives each stream a place while it lives.
async fn guard(
    State(Guarded { gate, sessions }): State<Guarded>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let is_new =
        request.method() == Method::POST && !request.headers().contains_key("mcp-session-id");
    if is_new && sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return Err(Problem::overloaded("there are as many clients as there may be"));
    }
    if request.method() != Method::GET {
        return Ok(next.run(request).await);
    }
    // Only this kind of stream stays open for as long as its client likes.
    let place = gate.streams().open()?;
    let (head, body) = next.run(request).await.into_parts();
    let kept = body.into_data_stream().map(move |part| {
        let _place = &place;
        part
    });
    Ok(Response::from_parts(head, Body::from_stream(kept)))
}
