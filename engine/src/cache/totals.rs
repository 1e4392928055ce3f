//! Sums over all requests.
//!
//! In: steps, in order. Out: [`CacheTotals`]. Never: grows with the number of requests.

use std::collections::BTreeMap;

use super::step::{CachePlace, CachePrice, CacheStep, CacheUsage};
use crate::diagnostic::Origin;

/// Sums over all requests, and the breaks by their cause.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CacheTotals {
    /// How many there are.
    pub requests: usize,
    /// How many of them broke the prefix of the one before.
    pub breaks: usize,
    /// The tokens of all.
    pub usage: CacheUsage,
    /// What those cost that have a price.
    pub price: CachePrice,
    /// How many have no price, since the data has none for their model.
    pub unpriced: usize,
    /// The breaks by [`CacheBreak::cause`](crate::CacheBreak::cause).
    pub causes: BTreeMap<String, CauseTotals>,
}

/// The breaks of one cause.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CauseTotals {
    /// How many there are.
    pub breaks: usize,
    /// How many tokens were billed again.
    pub billed_again: usize,
    /// What that costs, where there is a price.
    pub price: f64,
    /// The first of those requests.
    pub first: usize,
    /// The part of the request that the first stands in.
    pub place: CachePlace,
    /// Where the first comes from.
    pub origin: Origin,
}

/// How many causes are told apart; what comes later counts as one.
const MAX_CAUSES: usize = 256;
const OTHERS: &str = "others";

impl CacheTotals {
    /// Adds a request.
    pub fn add(&mut self, step: &CacheStep) {
        self.requests += 1;
        self.usage = self.usage + step.usage;
        match step.price {
            Some(price) => self.price = self.price + price,
            None => self.unpriced += 1,
        }
        let Some(broken) = &step.broken else { return };
        self.breaks += 1;
        let mut cause = broken.cause();
        if self.causes.len() >= MAX_CAUSES && !self.causes.contains_key(&cause) {
            cause = OTHERS.to_owned();
        }
        let totals = self.causes.entry(cause).or_insert_with(|| CauseTotals {
            breaks: 0,
            billed_again: 0,
            price: 0.0,
            first: step.request,
            place: broken.place,
            origin: broken.origin(),
        });
        totals.breaks += 1;
        totals.billed_again += broken.billed_again;
        totals.price += broken.price.unwrap_or_default();
    }
}

impl CacheTotals {
    /// The causes, those that cost most first.
    pub fn by_cost(&self) -> Vec<(&str, &CauseTotals)> {
        let mut causes: Vec<_> = self.causes.iter().map(|(cause, one)| (&**cause, one)).collect();
        causes.sort_by(|(_, one), (_, other)| {
            let by_price = other.price.total_cmp(&one.price);
            by_price
                .then(other.billed_again.cmp(&one.billed_again))
                .then(one.first.cmp(&other.first))
        });
        causes
    }
}

impl CacheUsage {
    /// All tokens.
    pub fn total(self) -> usize {
        self.read + self.written + self.uncached
    }

    /// The share of the tokens that are read, written, uncached: 0 to 1 each; nought without tokens.
    pub fn shares(self) -> [f64; 3] {
        let total = self.total().max(1) as f64;
        [self.read, self.written, self.uncached].map(|tokens| tokens as f64 / total)
    }
}

impl std::ops::Add for CacheUsage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            written: self.written + other.written,
            uncached: self.uncached + other.uncached,
        }
    }
}

impl std::ops::Add for CachePrice {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            paid: self.paid + other.paid,
            unbroken: self.unbroken + other.unbroken,
            without: self.without + other.without,
        }
    }
}
