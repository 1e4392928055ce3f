//! What the gateway counts, as Prometheus reads it.
//!
//! In: what happened, under names of the configuration. Out: text. Never: a name that a client chose, for there is no end of them.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use promptweave_wire::Usage;

/// Counters, and how they are written.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Request, Counter>,
    pub(crate) open: Gauge,
    failures: Family<Attempt, Counter>,
    cancelled: Counter,
    first_event: Family<Upstream, Histogram, fn() -> Histogram>,
    tokens: Family<Tokens, Counter>,
    notes: Family<Note, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Attempt {
    upstream: String,
    reason: &'static str,
    /// Whether it was sent again.
    again: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Upstream {
    upstream: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Tokens {
    upstream: String,
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Note {
    code: &'static str,
}

const PREFIX: &str = "promptweave_gateway";
/// Seconds until the first event.
const SECONDS: [f64; 10] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        let (requests, open, failures) = (Family::default(), Gauge::default(), Family::default());
        let (cancelled, tokens, notes) = (Counter::default(), Family::default(), Family::default());
        let first_event: Family<Upstream, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(seconds);
        let it = &mut registry;
        it.register("requests", "Requests by status of the response", requests.clone());
        it.register("open_requests", "Requests that are being answered", open.clone());
        it.register("failures", "Attempts that no answer came of", failures.clone());
        it.register("cancelled", "Answers that the client did not wait for", cancelled.clone());
        it.register(
            "first_event_seconds",
            "Time until the first event of a stream",
            first_event.clone(),
        );
        it.register("tokens", "Tokens as upstreams count them", tokens.clone());
        it.register("notes", "Adaptations of requests by code", notes.clone());
        Self { registry, requests, open, failures, cancelled, first_event, tokens, notes }
    }
}

impl Metrics {
    pub(crate) fn request(&self, status: u16) {
        self.requests.get_or_create(&Request { status }).inc();
    }

    /// An attempt failed; it is made again, or not.
    pub(crate) fn failure(&self, upstream: &str, reason: &'static str, again: bool) {
        let again = if again { "yes" } else { "no" };
        self.failures.get_or_create(&Attempt { upstream: upstream.into(), reason, again }).inc();
    }

    pub(crate) fn cancelled(&self) {
        self.cancelled.inc();
    }

    pub(crate) fn first_event(&self, upstream: &str, seconds: f64) {
        self.first_event.get_or_create(&Upstream { upstream: upstream.into() }).observe(seconds);
    }

    pub(crate) fn note(&self, code: &'static str) {
        self.notes.get_or_create(&Note { code }).inc();
    }

    /// Counts what an answer cost.
    pub(crate) fn usage(&self, upstream: &str, usage: &Usage) {
        for (kind, tokens) in [
            ("input", usage.input),
            ("output", usage.output),
            ("cache_read", usage.cache_read),
            ("cache_write", usage.cache_write),
        ] {
            if let Some(tokens) = tokens {
                let label = Tokens { upstream: upstream.into(), kind };
                self.tokens.get_or_create(&label).inc_by(tokens);
            }
        }
    }

    /// All of it in the text format of OpenMetrics.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

/// One open request; counted for as long as it is held.
#[derive(Debug)]
pub(crate) struct Open(Gauge);

impl Open {
    pub(crate) fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.dec();
    }
}
