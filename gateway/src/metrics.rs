//! What the gateway counts, as Prometheus reads it.
//!
//! In: what happened, under names of the configuration. Out: numbers. Never: a name that a client chose, for there is no end of them.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use promptweave_wire::Usage;

/// Counters beside those of the gate.
#[derive(Debug)]
pub(crate) struct Metrics {
    failures: Family<Attempt, Counter>,
    cancelled: Counter,
    first_event: Family<Upstream, Histogram, fn() -> Histogram>,
    tokens: Family<Tokens, Counter>,
    notes: Family<Note, Counter>,
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

/// Seconds until the first event.
const SECONDS: [f64; 10] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];

impl Default for Metrics {
    fn default() -> Self {
        let first_event: Family<Upstream, Histogram, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(SECONDS));
        let (failures, cancelled) = (Family::default(), Counter::default());
        let (tokens, notes) = (Family::default(), Family::default());
        Self { failures, cancelled, first_event, tokens, notes }
    }
}

impl Metrics {
    /// Registers them among those of the gate.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let Self { failures, cancelled, first_event, tokens, notes } = self;
        let help = "Attempts that no answer came of";
        registry.register("gateway_failures", help, failures.clone());
        let help = "Answers that the client did not wait for";
        registry.register("gateway_cancelled", help, cancelled.clone());
        let help = "Time until the first event of a stream";
        registry.register("gateway_first_event_seconds", help, first_event.clone());
        let help = "Tokens as upstreams count them";
        registry.register("gateway_tokens", help, tokens.clone());
        let help = "Adaptations of requests by code";
        registry.register("gateway_notes", help, notes.clone());
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
}
