//! A connection in time, or none.
//!
//! In: a connector, a limit. Out: its connections. Never: waits for longer, neither for the network nor for the handshake.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::Uri;
use tokio::time::timeout;
use tower_service::Service;

/// A connector with a limit of time.
#[derive(Clone, Debug)]
pub(super) struct Timed<C> {
    pub(super) connector: C,
    pub(super) limit: Duration,
}

type Failure = Box<dyn Error + Send + Sync>;

impl<C> Service<Uri> for Timed<C>
where
    C: Service<Uri, Error = Failure>,
    C::Future: Send + 'static,
    C::Response: 'static,
{
    type Response = C::Response;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<C::Response, Failure>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Failure>> {
        self.connector.poll_ready(context)
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connecting = timeout(self.limit, self.connector.call(uri));
        Box::pin(async { connecting.await? })
    }
}
