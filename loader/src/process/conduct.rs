//! Which items keep ending their process.
//!
//! In: deaths, by item. Out: whether an item may be asked. Never: punishes the other items of a plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::fault::Fault;
use crate::limits::Quarantine;

/// How long a death counts.
const MEMORY: Duration = Duration::from_secs(600);
/// After so many deaths an item is asked no more.
const LAST: usize = 3;
/// How long an item rests after its second death.
const REST: Duration = Duration::from_secs(1);

/// The deaths of one plugin's items.
#[derive(Debug, Default)]
pub(super) struct Conduct {
    quarantine: Quarantine,
    deaths: BTreeMap<u32, Vec<Instant>>,
    banned: BTreeSet<u32>,
}

impl Conduct {
    pub(super) fn new(quarantine: Quarantine) -> Self {
        Self { quarantine, ..Self::default() }
    }

    /// Why an item may not be asked now.
    pub(super) fn refusal(&self, item: u32, now: Instant) -> Option<Fault> {
        if self.banned.contains(&item) {
            return Some(Fault::Quarantined);
        }
        let deaths = self.deaths.get(&item)?;
        let last = deaths.last().filter(|_| deaths.len() + 1 >= LAST)?;
        let left = REST.checked_sub(now.duration_since(*last))?;
        (!left.is_zero()).then_some(Fault::Resting(left))
    }

    /// An item has ended its process.
    pub(super) fn died(&mut self, item: u32, now: Instant) {
        match self.quarantine {
            Quarantine::Off => return,
            Quarantine::On => {}
        }
        let deaths = self.deaths.entry(item).or_default();
        deaths.retain(|death| now.duration_since(*death) < MEMORY);
        deaths.push(now);
        if deaths.len() >= LAST {
            self.banned.insert(item);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_rests_and_then_is_asked_no_more() {
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let mut conduct = Conduct::default();
        assert_eq!(conduct.refusal(1, start), None);
        conduct.died(1, start);
        assert_eq!(conduct.refusal(1, start), None, "the first death is forgiven");
        conduct.died(1, start);
        assert_eq!(conduct.refusal(1, start), Some(Fault::Resting(REST)));
        assert_eq!(conduct.refusal(2, start), None, "only that item rests");
        assert_eq!(conduct.refusal(1, after(1)), None);
        conduct.died(1, after(1));
        assert_eq!(conduct.refusal(1, after(10_000)), Some(Fault::Quarantined));
    }

    #[test]
    fn old_deaths_are_forgotten() {
        let start = Instant::now();
        let mut conduct = Conduct::default();
        for hour in 0..9 {
            conduct.died(1, start + Duration::from_secs(hour * 3600));
        }
        assert_eq!(conduct.refusal(1, start + Duration::from_secs(9 * 3600)), None);
    }

    #[test]
    fn it_can_be_switched_off() {
        let start = Instant::now();
        let mut conduct = Conduct::new(Quarantine::Off);
        for _ in 0..9 {
            conduct.died(1, start);
        }
        assert_eq!(conduct.refusal(1, start), None);
    }
}
