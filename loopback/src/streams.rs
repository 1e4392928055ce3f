//! Streams that stay open: how many there are.
//!
//! In: [`Limits::streams`](crate::Limits). Out: a place for each stream while it lives. Never: lets one wait for a place.

use std::sync::Arc;

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;

/// The places for streams.
#[derive(Clone, Debug)]
pub struct Streams {
    places: Arc<Semaphore>,
    open: Gauge,
}

/// The place of a stream; it goes with the stream and is free when it is dropped.
#[derive(Debug)]
pub struct Stream {
    _place: OwnedSemaphorePermit,
    open: Gauge,
}

impl Streams {
    pub(crate) fn new(places: usize, open: Gauge) -> Self {
        Self { places: Arc::new(Semaphore::new(places)), open }
    }

    /// Takes a place.
    ///
    /// # Errors
    /// 503 when none is free.
    pub fn open(&self) -> Result<Stream, Problem> {
        let place = Arc::clone(&self.places).try_acquire_owned();
        let place = place.map_err(|_| Problem::overloaded("all places for streams are taken"))?;
        self.open.inc();
        Ok(Stream { _place: place, open: self.open.clone() })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.open.dec();
    }
}
