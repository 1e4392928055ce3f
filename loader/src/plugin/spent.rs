//! How long a plugin's helpers have worked in each build.
//!
//! In: the number of a build, the time of a call. Out: what is left of the one budget that all calls of helpers share.
//! Never: counts the waiting of one build against another.

use std::collections::VecDeque;
use std::time::Duration;

/// So many builds are remembered; more do not run at the same time.
const MOST: usize = 64;

/// The newest builds, newest last.
#[derive(Default)]
pub(super) struct Spent(VecDeque<(u64, Duration)>);

impl Spent {
    /// Whether a build has used up the budget.
    pub(super) fn is_over(&self, build: u64, budget: Duration) -> bool {
        self.0.iter().any(|(known, spent)| *known == build && *spent >= budget)
    }

    /// A call took that long.
    pub(super) fn add(&mut self, build: u64, took: Duration) {
        match self.0.iter_mut().find(|(known, _)| *known == build) {
            Some((_, spent)) => *spent += took,
            None => self.0.push_back((build, took)),
        }
        if self.0.len() > MOST {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_build_has_its_own() {
        let (budget, call) = (Duration::from_millis(200), Duration::from_millis(150));
        let mut spent = Spent::default();
        spent.add(1, call);
        assert!(!spent.is_over(1, budget));
        spent.add(1, call);
        spent.add(2, call);
        assert!(spent.is_over(1, budget) && !spent.is_over(2, budget) && !spent.is_over(3, budget));
    }
}
