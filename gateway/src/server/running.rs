//! Listens, and hands requests on.
//!
//! In: a gateway. Out: a [`Running`] server. Never: a connection that sends its headers for ever.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Method, Request, Response, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use promptweave_wire::FailureKind;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};

use super::gateway::{Gateway, Inner};
use super::{count, files, guard, messages, models};
use crate::refusal::Refusal;

/// How long a connection may take for its headers.
const HEADERS: Duration = Duration::from_secs(30);
/// How long to wait when the system has no more sockets.
const PAUSE: Duration = Duration::from_millis(100);
const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");
const METRICS_TYPE: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// A gateway that listens.
#[derive(Debug)]
pub struct Running {
    gateway: Gateway,
    listener: TcpListener,
    addr: SocketAddr,
}

/// Listens at the configured address.
///
/// # Errors
/// Those of the system; most likely the address is taken.
pub async fn serve(gateway: Gateway) -> io::Result<Running> {
    let listener = TcpListener::bind(gateway.inner().server.addr).await?;
    let addr = listener.local_addr()?;
    Ok(Running { gateway, listener, addr })
}

/// Serves until the process is interrupted or told to end. `ready` is told the address.
///
/// # Errors
/// Those of the system; most likely the address is taken.
pub fn run(gateway: Gateway, ready: impl FnOnce(SocketAddr)) -> io::Result<()> {
    files::allow_most();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let running = serve(gateway).await?;
        let stop = stopped()?;
        ready(running.addr());
        running.until(stop).await;
        Ok(())
    })
}

/// Waits for an interrupt or the request to end.
#[cfg(unix)]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupt, mut end) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = end.recv() => {}
        }
    })
}

/// Waits for an interrupt.
#[cfg(not(unix))]
fn stopped() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    })
}

impl Running {
    /// The address, with the port that the system chose where the configuration says 0.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Answers until `stop` is done; then takes no more connections, and lets open requests go on for a while.
    pub async fn until(self, stop: impl Future<Output = ()>) {
        let Self { gateway, listener, .. } = self;
        let graceful = GracefulShutdown::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            tokio::select! {
                () = &mut stop => break,
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => connect(&gateway, stream, &graceful),
                    Err(error) => {
                        tracing::warn!(%error, "no connection");
                        sleep(PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        if timeout(gateway.inner().server.grace, graceful.shutdown()).await.is_err() {
            tracing::warn!("requests were cut: they went on for too long");
        }
    }
}

fn connect(gateway: &Gateway, stream: TcpStream, graceful: &GracefulShutdown) {
    // Events are small, and none may wait for the next.
    let _ = stream.set_nodelay(true);
    let gateway = gateway.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let gateway = gateway.clone();
        async move { Ok::<_, Infallible>(answer(gateway.inner(), request.map(Body::new)).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADERS);
    let connection = graceful.watch(http.serve_connection(TokioIo::new(stream), service));
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection");
        }
    });
}

/// Answers one request, whatever it is.
async fn answer(gateway: &Inner, request: Request<Body>) -> Response<Body> {
    let id: Arc<str> = request_id().into();
    let answered = match guard::check(&gateway.server, request.headers()) {
        Ok(()) => route(gateway, request, &id).await,
        Err(refusal) => Err(refusal),
    };
    let mut response = answered.unwrap_or_else(|refusal| {
        let (status, kind) = (refusal.status().as_u16(), refusal.failure.kind.as_str());
        tracing::info!(request = &*id, status, kind, "refused");
        refusal.response(&id)
    });
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    gateway.metrics.request(response.status().as_u16());
    response
}

async fn route(
    gateway: &Inner,
    request: Request<Body>,
    id: &Arc<str>,
) -> Result<Response<Body>, Refusal> {
    let path = request.uri().path().to_owned();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    match (request.method(), &segments[..]) {
        (&Method::POST, ["v1", "messages"]) => messages::messages(gateway, request, id).await,
        (&Method::POST, ["v1", "messages", "count_tokens"]) => {
            count::count(gateway, request, id).await
        }
        (&Method::GET, ["v1", "models"]) => Ok(models::list(gateway)),
        (&Method::GET, ["v1", "models", model @ ..]) if !model.is_empty() => {
            models::one(gateway, &model.join("/"))
        }
        (&Method::GET, ["metrics"]) => {
            let mut response = Response::new(Body::from(gateway.metrics.text()));
            response.headers_mut().insert(header::CONTENT_TYPE, METRICS_TYPE);
            Ok(response)
        }
        _ => Err(Refusal::new(FailureKind::NotFound, "the gateway has no such path")),
    }
}

/// Names a request, unlike any other.
fn request_id() -> String {
    format!("req_{:016x}{:08x}", fastrand::u64(..), fastrand::u32(..))
}
