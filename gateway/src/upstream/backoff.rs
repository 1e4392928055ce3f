//! How long to wait before the next try.
//!
//! In: the number of tries, what the provider asked for. Out: a time. Never: a time so long that the client had better be told.

use std::time::Duration;

/// The longest wait before the second try; it doubles from try to try.
const FIRST: Duration = Duration::from_millis(500);
/// The longest wait that we choose ourselves.
const MOST: Duration = Duration::from_secs(8);
/// The longest wait that a provider may ask for; beyond it the client is told.
const MOST_ASKED: Duration = Duration::from_secs(30);

/// The wait after so many tries, from 1; none where the client had better be told.
pub(super) fn wait(tries: u32, asked: Option<Duration>) -> Option<Duration> {
    match asked {
        Some(asked) if asked > MOST_ASKED => None,
        // Clients that were refused together should not come back together.
        Some(asked) => Some(asked + jitter(FIRST.min(asked))),
        None => {
            let doubled = FIRST.saturating_mul(2u32.saturating_pow(tries.saturating_sub(1)));
            Some(jitter(doubled.min(MOST)))
        }
    }
}

/// Any time from nothing to the limit.
fn jitter(limit: Duration) -> Duration {
    limit.mul_f64(fastrand::f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_a_limit_and_long_ones_are_not_waited_for() {
        for tries in 1..100 {
            assert!(wait(tries, None).unwrap() <= MOST);
        }
        assert!(wait(1, None).unwrap() <= FIRST);
        assert_eq!(wait(1, Some(Duration::ZERO)), Some(Duration::ZERO));
        assert!(wait(1, Some(Duration::from_secs(2))).unwrap() >= Duration::from_secs(2));
        assert_eq!(wait(1, Some(Duration::from_secs(3600))), None);
    }
}
