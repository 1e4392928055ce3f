//! When something is due on a stream where nothing comes.
//!
//! In: what was heard and what was written, by the clock. Out: what is due, or when to look again. Never: sleeps.

use std::time::Duration;

use tokio::time::Instant;

use crate::upstream::after;

/// After so long without an event the client is told that the connection is alive.
const PING: Duration = Duration::from_secs(15);

/// The times of one stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    /// When the upstream said something, whatever it was.
    heard: Instant,
    /// When the client was told something.
    wrote: Instant,
    /// How long the upstream may say nothing.
    idle: Duration,
    /// When the answer must be whole.
    until: Instant,
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// Nothing before then.
    Nothing(Instant),
    /// A sign of life for the client.
    Ping,
    /// The upstream says nothing any more.
    Idle,
    /// The answer takes too long, whatever comes.
    Late,
}

impl Watch {
    pub(super) fn new(now: Instant, idle: Duration, until: Instant) -> Self {
        Self { heard: now, wrote: now, idle, until }
    }

    pub(super) fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    pub(super) fn wrote(&mut self, now: Instant) {
        self.wrote = now;
    }

    pub(super) fn due(&self, now: Instant) -> Due {
        let (idle, ping) = (after(self.heard, self.idle), after(self.wrote, PING));
        match () {
            () if now >= self.until => Due::Late,
            () if now >= idle => Due::Idle,
            () if now >= ping => Due::Ping,
            () => Due::Nothing(self.until.min(idle).min(ping)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn bytes_that_become_nothing_hold_no_ping_back() {
        let begun = Instant::now();
        let mut watch = Watch::new(begun, seconds(300), begun + seconds(3600));
        let mut pings = 0;
        // A comment each second, and no event.
        for second in 1..=60 {
            let now = begun + seconds(second);
            watch.heard(now);
            if watch.due(now) == Due::Ping {
                watch.wrote(now);
                pings += 1;
            }
        }
        assert_eq!(pings, 4);
    }

    #[test]
    fn what_drips_for_ever_ends() {
        let begun = Instant::now();
        let mut watch = Watch::new(begun, seconds(300), begun + seconds(100));
        watch.heard(begun + seconds(99));
        watch.wrote(begun + seconds(99));
        assert_eq!(watch.due(begun + seconds(99)), Due::Nothing(begun + seconds(100)));
        assert_eq!(watch.due(begun + seconds(100)), Due::Late);
        let silent = Watch::new(begun, seconds(5), begun + seconds(100));
        assert_eq!(silent.due(begun + seconds(4)), Due::Nothing(begun + seconds(5)));
        assert_eq!(silent.due(begun + seconds(5)), Due::Idle);
        let endless = Watch::new(begun, Duration::MAX, after(begun, Duration::MAX));
        assert_eq!(endless.due(begun), Due::Nothing(begun + PING));
    }
}
