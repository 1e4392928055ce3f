//! What is remembered of one request, from its beginning to its end.
//!
//! In: what happens to it. Out: a line of the log and counts, once it is over. Never: text of the request or of the answer.

use std::sync::Arc;
use std::time::Instant;

use promptweave_loopback::Stream;
use promptweave_wire::{Note, Usage};

use crate::metrics::Metrics;

/// One request; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Story {
    pub(crate) id: Arc<str>,
    pub(crate) upstream: String,
    pub(crate) metrics: Arc<Metrics>,
    begun: Instant,
    bytes: usize,
    end: End,
    _place: Stream,
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The client went away before its end.
    Cancelled,
    /// The answer was whole.
    Whole,
    /// The answer failed.
    Failed,
}

impl Story {
    pub(crate) fn new(id: Arc<str>, metrics: Arc<Metrics>, place: Stream) -> Self {
        Self {
            id,
            upstream: String::new(),
            metrics,
            begun: Instant::now(),
            bytes: 0,
            end: End::Cancelled,
            _place: place,
        }
    }

    /// The first event of a stream is there.
    pub(crate) fn began(&self) {
        self.metrics.first_event(&self.upstream, self.begun.elapsed().as_secs_f64());
    }

    pub(crate) fn wrote(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    pub(crate) fn cost(&self, usage: &Usage) {
        self.metrics.usage(&self.upstream, usage);
    }

    /// What of the answer could not be passed on as it came.
    pub(crate) fn noted(&self, notes: &[Note]) {
        notes.iter().for_each(|note| self.metrics.note(note.code.as_str()));
    }

    pub(crate) fn ended(&mut self, end: End) {
        self.end = end;
    }
}

impl Drop for Story {
    fn drop(&mut self) {
        let end = match self.end {
            End::Cancelled => "cancelled",
            End::Whole => "whole",
            End::Failed => "failed",
        };
        if self.end == End::Cancelled {
            self.metrics.cancelled();
        }
        let (ms, bytes) = (self.begun.elapsed().as_millis() as u64, self.bytes);
        tracing::info!(request = &*self.id, upstream = self.upstream, end, ms, bytes, "request");
    }
}
