//! Guards the examples of diffs in a prompt: their separators are no section borders.
//!
//! In: a text, then places in it, in order. Out: whether a trace of a diff stands near each place.
//! Never: reads the text more than a constant number of times.

use std::ops::Range;

use memchr::memmem::Finder;

use super::white::{units_after, units_before};

/// UTF-16 units from a place to the edge of its window.
const HALF: usize = 50;

/// The most units before a separator that a decision about it can look at.
pub(super) const REACH: usize = HALF + 1;

/// The same in bytes: a unit takes three at most.
const REACH_BYTES: usize = 3 * REACH;

/// How many bytes are read beyond what was asked for.
const AHEAD: usize = 1024;

/// What stands in diffs. Of plus signs and hyphens there may be more.
const NEEDLES: [&str; 4] = ["SEARCH", "REPLACE", "+++++++", "-------"];
const LONGEST: usize = 7;

/// A needle, with all that follows of the same sign.
struct Trace {
    start: usize,
    end: usize,
    /// How many of its bytes a window must hold.
    needed: usize,
}

/// The traces of diffs in a text, found when they are asked for.
pub(super) struct Traces<'t> {
    bytes: &'t [u8],
    finders: [Finder<'static>; 4],
    /// How far the text was read.
    read: usize,
    /// What was found, in order.
    found: Vec<Trace>,
    /// The first one that a later place can be near to.
    next: usize,
}

impl<'t> Traces<'t> {
    pub(super) fn of(bytes: &'t [u8]) -> Self {
        let finders = NEEDLES.map(Finder::new);
        Self { bytes, finders, read: 0, found: Vec::new(), next: 0 }
    }

    /// Whether the window around `at`, a place no earlier than the last one asked for, holds a trace.
    /// It takes `HALF` units to both sides, shifted back by `shift` units.
    pub(super) fn near(&mut self, at: usize, shift: usize) -> bool {
        let (first, last) = (at.saturating_sub(REACH_BYTES), at + REACH_BYTES);
        if last > self.read {
            self.read_on(first, last + AHEAD);
        }
        while self.found.get(self.next).is_some_and(|trace| trace.end < first) {
            self.next += 1;
        }
        let mut near = self.found[self.next..].iter().take_while(|trace| trace.start < last);
        if near.clone().next().is_none() {
            return false;
        }
        let start = units_before(self.bytes, at, HALF + shift);
        let end = units_after(self.bytes, at, HALF - shift);
        near.any(|trace| end.min(trace.end) >= start.max(trace.start) + trace.needed)
    }

    /// Reads on to `to`, leaving out what is before `from`.
    fn read_on(&mut self, from: usize, to: usize) {
        let from = from.max(self.read.saturating_sub(LONGEST - 1));
        let to = to.min(self.bytes.len());
        let known = self.found.len();
        self.read = to;
        for finder in &self.finders {
            find_traces(self.bytes, from..to, finder, &mut self.found);
        }
        self.found[known..].sort_unstable_by_key(|trace| trace.start);
    }
}

/// Finds the traces that start in `range` and whose needle is in it.
fn find_traces(bytes: &[u8], range: Range<usize>, finder: &Finder<'_>, found: &mut Vec<Trace>) {
    let needle = finder.needle();
    let is_sign = needle[0] == needle[1];
    let mut from = range.start;
    while from < range.end
        && let Some(start) = finder.find(&bytes[from..range.end])
    {
        let start = from + start;
        from = start + needle.len();
        while is_sign && bytes.get(from) == Some(&needle[0]) {
            from += 1;
        }
        found.push(Trace { start, end: from, needed: needle.len() });
    }
}
