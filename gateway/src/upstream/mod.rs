//! Sends requests to the APIs that they go to.
//!
//! In: a request in an upstream's form. Out: its response, or what was in the way. Never: a request again once a byte of the
//! answer went to the client; a redirect followed, for it would take the key along.

mod attempts;
mod backoff;
mod begun;
mod timed;
mod tls;
mod trouble;

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, Uri, header};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::time::timeout;

use crate::config::{HeaderSource, Upstream};
use crate::secret::Secret;

pub(crate) use attempts::{Attempts, Read};
pub(crate) use begun::{Begin, Begun, collected};
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

    /// Sends once, and waits until the answer begins; with it come the keys that were sent.
    async fn send(&self, call: &Call) -> Result<(Response<Incoming>, Vec<Secret>), Trouble> {
        let (request, keys) = self.request(call).await?;
        let name = &self.upstream.name;
        let limit = self.upstream.timeouts.head.saturating_add(self.upstream.timeouts.connect);
        let response = match timeout(limit, self.client.request(request)).await {
            Ok(Ok(response)) => response,
            Ok(Err(error)) => return Err(Trouble::connection(name, &error)),
            Err(_) => return Err(Trouble::slow(name, "did not begin to answer")),
        };
        if response.status().is_success() {
            return Ok((response, keys));
        }
        Err(trouble::told(response, &self.upstream, &keys).await)
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
                held(source).await.ok_or_else(|| Trouble::keyless(&self.upstream))?;
            headers.insert(name, value);
            keys.extend(key);
        }
        Ok((request, keys))
    }
}

/// A header's value, and the key in it; none where the key cannot be read, or cannot stand in a header.
async fn held(source: &HeaderSource) -> Option<(HeaderValue, Option<Secret>)> {
    let (key, text) = match source {
        HeaderSource::Plain(text) => return Some((HeaderValue::from_str(text).ok()?, None)),
        HeaderSource::Key(source) => {
            let key = source.read().await.ok()?;
            let text = key.expose().to_owned();
            (key, text)
        }
        HeaderSource::Bearer(source) => {
            let key = source.read().await.ok()?;
            let text = format!("Bearer {}", key.expose());
            (key, text)
        }
    };
    let mut value = HeaderValue::try_from(text).ok()?;
    value.set_sensitive(true);
    Some((value, Some(key)))
}
