//! Sends requests to the APIs that they go to.
//!
//! In: a request in an upstream's form. Out: its response, or what was in the way. Never: a request again once a byte of the
//! answer went to the client; a redirect followed, for it would take the key along.

mod attempts;
mod backoff;
mod begun;
mod opened;
mod timed;
mod tls;
mod trouble;

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, Method, Request, Uri, header};
use bytes::Bytes;
use http_body_util::Full;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::{Instant, timeout};

use crate::config::{HeaderSource, Upstream};
use crate::secret::Secret;

pub(crate) use attempts::{Attempts, Read};
pub(crate) use begun::{Begin, Begun};
pub(crate) use opened::{Looks, Opened, after};
use timed::Timed;
pub(crate) use tls::{Needed, tls};
pub(crate) use trouble::{Trouble, without_keys};

/// The door to one upstream; connections are kept.
#[derive(Clone, Debug)]
pub(crate) struct Door {
    pub(crate) upstream: Arc<Upstream>,
    client: Client<Timed<HttpsConnector<HttpConnector>>, Full<Bytes>>,
}

/// A request as it is sent, as often as need be.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

const AGENT: HeaderValue =
    HeaderValue::from_static(concat!("promptweave-gateway/", env!("CARGO_PKG_VERSION")));
/// Connections that nobody uses are closed before servers do so.
const KEPT: Duration = Duration::from_secs(30);
/// The longest answer that comes whole, in bytes.
pub(crate) const MAX_ANSWER_BYTES: usize = 64 << 20;

impl Door {
    pub(crate) fn new(upstream: Arc<Upstream>, tls: rustls::ClientConfig) -> Self {
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        let https = HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
        let https = https.enable_http1().enable_http2().wrap_connector(http);
        let connector = Timed { connector: https, limit: upstream.timeouts.connect };
        let mut builder = Client::builder(TokioExecutor::new());
        builder.pool_idle_timeout(KEPT).pool_timer(TokioTimer::new()).timer(TokioTimer::new());
        Self { client: builder.build(connector), upstream }
    }

    /// Sends once, and waits for the head of the answer.
    async fn send(&self, call: &Call) -> Result<Opened, Trouble> {
        let (request, keys) = self.request(call).await?;
        let (name, begun) = (&self.upstream.name, Instant::now());
        let limit = self.upstream.timeouts.first();
        let response = match timeout(limit, self.client.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(Trouble::connection(name, &error)),
            Err(_) => return Err(Trouble::slow(name, "did not begin to answer")),
        };
        let (head, body) = response.into_parts();
        let opened = Opened { body, headers: head.headers, keys, begun };
        match head.status {
            status if status.is_success() => Ok(opened),
            status if status.is_redirection() => Err(Trouble::redirected(name, status)),
            status if status.is_client_error() || status.is_server_error() => {
                Err(trouble::told(status, opened, &self.upstream).await)
            }
            status => {
                Err(Trouble::senseless(name, &format!("status {}, which is none", status.as_u16())))
            }
        }
    }

    /// The request, and the keys in it.
    async fn request(&self, call: &Call) -> Result<(Request<Full<Bytes>>, Vec<Secret>), Trouble> {
        let mut request = Request::new(Full::new(call.body.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = call.uri.clone();
        let headers = request.headers_mut();
        headers.clone_from(&call.headers);
        headers.insert(header::USER_AGENT, AGENT);
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut keys = Vec::new();
        for (name, source) in &self.upstream.headers {
            let (value, key) =
                held(source).await.map_err(|why| Trouble::keyless(&self.upstream, &why))?;
            headers.insert(name, value);
            keys.extend(key);
        }
        Ok((request, keys))
    }
}

/// A header's value, and the key in it.
///
/// # Errors
/// Why there is none, in words without a key.
async fn held(source: &HeaderSource) -> Result<(HeaderValue, Option<Secret>), String> {
    let (source, scheme) = match source {
        HeaderSource::Plain(text) => {
            let value = HeaderValue::from_str(text);
            return Ok((value.map_err(|error| error.to_string())?, None));
        }
        HeaderSource::Key(source) => (source, ""),
        HeaderSource::Bearer(source) => (source, "Bearer "),
    };
    let key = source.read().await.map_err(|error| error.to_string())?;
    let value = HeaderValue::try_from(format!("{scheme}{}", key.expose()));
    let mut value = value.map_err(|error| error.to_string())?;
    value.set_sensitive(true);
    Ok((value, Some(key)))
}
