//! What is counted of requests.
//!
//! In: requests and answers. Out: text in the format of Prometheus. Never: a label with what a client wrote.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Seconds.
const BUCKETS: [f64; 10] = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Asked {
    pub(crate) method: &'static str,
    /// The route as it is written in the router, or `other`.
    pub(crate) route: String,
    pub(crate) status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Route {
    pub(crate) route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Refused {
    pub(crate) code: String,
}

/// The numbers of a server.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    pub(crate) requests: Family<Asked, Counter>,
    pub(crate) seconds: Family<Route, Histogram, fn() -> Histogram>,
    pub(crate) refused: Family<Refused, Counter>,
    pub(crate) running: Gauge,
    pub(crate) connections: Gauge,
    pub(crate) streams: Gauge,
}

impl Metrics {
    /// The common ones, and what `more` registers.
    pub(crate) fn new(more: impl FnOnce(&mut Registry)) -> Self {
        let mut registry = Registry::with_prefix("promptweave");
        let seconds: Family<Route, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BUCKETS));
        let (requests, refused) = (Family::default(), Family::default());
        let (running, connections, streams) =
            (Gauge::default(), Gauge::default(), Gauge::default());
        registry.register("http_requests", "Answers by route and status", requests.clone());
        let help = "Time from a request's head to its answer's head";
        registry.register("http_request_seconds", help, seconds.clone());
        registry.register("http_problems", "Refused requests by code", refused.clone());
        registry.register("http_running", "Requests that are worked on or wait", running.clone());
        registry.register("http_connections", "Open connections", connections.clone());
        registry.register("http_streams", "Open streams", streams.clone());
        more(&mut registry);
        Self { registry, requests, seconds, refused, running, connections, streams }
    }

    /// All of them as text: `application/openmetrics-text; version=1.0.0; charset=utf-8`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
