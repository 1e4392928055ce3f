//! How much a server takes.
//!
//! In: nothing. Out: [`Limits`]. Never: is without one.

use std::time::Duration;

/// How much a server takes; what is more is refused, and what is late is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a body; more is 413.
    pub body_bytes: usize,
    /// Bytes of all bodies that are there at a time; more is 503.
    pub held_bytes: usize,
    /// From the head of a request to the end of its body; one that is late is 408.
    pub body_time: Duration,
    /// From the head of a request to the head of its answer; one that is late is 503.
    pub request_time: Duration,
    /// From the first byte of a head to its last, and how long a connection may be idle.
    pub header_time: Duration,
    /// How long a client may take no byte of an answer.
    pub write_time: Duration,
    /// Requests that are worked on at a time; one whose body is still on its way is none of them.
    pub concurrency: usize,
    /// Requests that wait for their turn beyond that, their bodies being there; more is 503.
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
            held_bytes: 256 << 20,
            body_time: Duration::from_secs(30),
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
