//! How much a server takes.
//!
//! In: nothing. Out: [`Limits`]. Never: is without one.

use std::time::Duration;

/// How much a server takes; what is more is refused, and what is late is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a body; more is 413.
    pub body_bytes: usize,
    /// From the head of a request to the head of its answer: a body that is not there by then is 408, an answer 503.
    pub request_time: Duration,
    /// From the first byte of a head to its last, and how long a connection may be idle.
    pub header_time: Duration,
    /// How long a client may take no byte of an answer.
    pub write_time: Duration,
    /// Requests that are worked on at a time.
    pub concurrency: usize,
    /// Requests that wait for their turn beyond that; more is 503.
    pub queue: usize,
    /// Connections; more wait in the system's queue.
    pub connections: usize,
    /// Streams that are open at a time; more is 503.
    pub streams: usize,
    /// How long a shutdown waits for requests.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 8 << 20,
            request_time: Duration::from_secs(30),
            header_time: Duration::from_secs(10),
            write_time: Duration::from_secs(30),
            concurrency: 64,
            queue: 1024,
            connections: 1024,
            streams: 64,
            grace: Duration::from_secs(10),
        }
    }
}
