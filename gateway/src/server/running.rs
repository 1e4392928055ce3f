//! Listens, and hands requests on.
//!
//! In: a gateway. Out: a [`Running`] server. Never: goes on once it is told to stop, but for what has begun.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use promptweave_loopback::{Allowed, Gate, Limits, ListenError, Setup, Shutdown, listen};
use tokio::net::TcpListener;
use tokio::time::sleep;

use super::app::{App, routes};
use super::exchange::BODY;
use super::files;
use super::gateway::{Gateway, Inner};
use crate::config::{Route, Server};
use crate::refusal::shape;
use crate::upstream::Door;

/// How long a client may take for its headers, or keep a connection for its next request.
const HEADERS: Duration = Duration::from_secs(60);
/// How long a client may take no byte of its answer.
const WRITES: Duration = Duration::from_secs(120);
/// What a try may take beside the upstream's own time: the wait before it, an error that is read.
const TRY: Duration = Duration::from_secs(60);
/// How long the last words of answers may take that the end of the gateway cuts.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// So many bodies of the largest size may be there at a time.
const HELD_BODIES: usize = 32;
/// Requests beside those that wait for answers.
const MORE: usize = 64;

/// A gateway that listens.
#[derive(Debug)]
pub struct Running {
    listener: TcpListener,
    addr: SocketAddr,
    routes: Router,
    gate: Gate,
    grace: Duration,
    over: Shutdown,
}

/// Listens at the configured address.
///
/// # Errors
/// Those of the system; most likely the address is taken.
pub async fn serve(gateway: Gateway) -> Result<Running, ListenError> {
    let Gateway { inner, token } = gateway;
    let (listener, addr) = listen(inner.server.addr, token.as_ref()).await?;
    let named = inner.server.hosts.iter();
    let setup = Setup {
        allowed: named.fold(Allowed::at(addr), |allowed, name| allowed.host(name)),
        limits: limits(&inner.server, patience(&inner)),
        token,
        key: Some("x-api-key"),
        shape,
        ..Setup::default()
    };
    let gate = Gate::new(setup, |registry| inner.metrics.register(registry));
    let (grace, over) = (inner.server.grace, inner.over.clone());
    let routes = routes(App { gateway: Arc::new(inner), gate: gate.clone() });
    Ok(Running { listener, addr, routes, gate, grace, over })
}

/// Until the head of an answer: no less than the slowest upstream may take, with all tries.
fn patience(inner: &Inner) -> Duration {
    let of_route = |(route, _): &(Route, Door)| {
        let timeouts = &route.upstream.timeouts;
        let once = timeouts.whole.saturating_add(TRY);
        once.saturating_mul(route.retries.saturating_add(1))
    };
    inner.routes.iter().map(of_route).max().unwrap_or_default().saturating_add(TRY)
}

fn limits(server: &Server, request_time: Duration) -> Limits {
    let requests = server.max_requests;
    Limits {
        body_bytes: server.max_body,
        held_bytes: server.max_body.saturating_mul(HELD_BODIES),
        body_time: BODY,
        request_time,
        header_time: HEADERS,
        write_time: WRITES,
        concurrency: requests.saturating_add(MORE),
        queue: MORE,
        connections: requests.saturating_mul(2).saturating_add(MORE),
        streams: requests,
        grace: server.grace.saturating_add(LAST_WORDS),
    }
}

impl Running {
    /// The address, with the port that the system chose where the configuration says 0.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Answers until the shutdown begins; then takes no more connections, and lets open requests go on for a while. What is
    /// not answered by then ends with an error.
    pub async fn until(self, shutdown: &Shutdown) {
        let Self { listener, addr: _, routes, gate, grace, over } = self;
        let ending = async {
            shutdown.begun().await;
            sleep(grace).await;
            over.begin();
            std::future::pending().await
        };
        tokio::select! {
            () = promptweave_loopback::serve(listener, routes, &gate, shutdown) => {}
            () = ending => {}
        }
    }
}

/// Serves until the process is interrupted or told to end. `ready` is told the address.
///
/// # Errors
/// Those of the system; most likely the address is taken.
pub fn run(gateway: Gateway, ready: impl FnOnce(SocketAddr)) -> Result<(), ListenError> {
    files::allow_most();
    let address = gateway.inner.server.addr;
    let broken = |cause: io::Error| ListenError::Bind { address, cause };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(broken)?.block_on(async {
        let running = serve(gateway).await?;
        let shutdown = Shutdown::on_signals().map_err(broken)?;
        ready(running.addr());
        running.until(&shutdown).await;
        Ok(())
    })
}
