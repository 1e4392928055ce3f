//! Accepts connections until the end.
//!
//! In: a listener, routes. Out: answered requests. Never: keeps a connection whose head, body or reader is too slow.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, Sleep, sleep};

use crate::gate::Gate;
use crate::shutdown::Shutdown;

/// Bytes of a request's head that are read at all; more ends the connection with a bare answer.
const MAX_HEAD_BYTES: usize = 128 << 10;
const MAX_HEADERS: usize = 256;
/// How long to wait when the system has no descriptor left for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves HTTP/1.1 until the shutdown begins, and then what has begun, for as long as [`Limits::grace`](crate::Limits) says.
pub async fn serve(listener: TcpListener, app: Router, gate: &Gate, shutdown: &Shutdown) {
    let limits = gate.limits();
    let places = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    loop {
        let accepted = async {
            // Nobody closes the semaphore.
            let place = Arc::clone(&places).acquire_owned().await.ok();
            (listener.accept().await, place)
        };
        let (accepted, place) = tokio::select! {
            accepted = accepted => accepted,
            () = shutdown.begun() => break,
        };
        match accepted {
            Ok((stream, _)) => {
                let connection = connection(stream, app.clone(), gate.clone(), graceful.watcher());
                tokio::spawn(async move {
                    connection.await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                sleep(PAUSE).await;
            }
        }
    }
    drop(listener);
    if tokio::time::timeout(limits.grace, graceful.shutdown()).await.is_err() {
        tracing::warn!("requests were still running at the end");
    }
}

async fn connection(stream: TcpStream, app: Router, gate: Gate, watcher: Watcher) {
    // Answers are written whole: nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let stream = Timed::new(stream, gate.limits().write_time);
    let open = &gate.metrics().connections;
    open.inc();
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(gate.limits().header_time)
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    if let Err(error) = watcher.watch(served).await {
        tracing::debug!(%error, "a connection ended");
    }
    open.dec();
}

/// A stream whose writes fail when the other side takes nothing for too long.
struct Timed<S> {
    stream: S,
    most: Duration,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Timed<S> {
    fn new(stream: S, most: Duration) -> Self {
        Self { stream, most, waiting: None }
    }

    fn judge<T>(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if polled.is_ready() {
            self.waiting = None;
            return polled;
        }
        let most = self.most;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep_until(Instant::now() + most)));
        ready!(waiting.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Timed<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Timed<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let polled = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, polled)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
