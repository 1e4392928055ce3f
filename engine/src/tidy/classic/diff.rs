//! Guards the examples of diffs in a prompt: their separators are no section borders.
//!
//! In: a text, then places in it, in order. Out: whether a trace of a diff stands near each place.
//! Never: reads the text more than a constant number of times.

use memchr::memmem;

use super::white::{units_after, units_before};

/// UTF-16 units from a place to the edge of its window.
const HALF: usize = 50;

/// The most units before a separator that a decision about it can look at.
pub(super) const REACH: usize = HALF + 1;

/// The most bytes that a unit takes.
const UNIT_BYTES: usize = 3;

/// `SEARCH`, `REPLACE`, or a run of at least seven plus signs or hyphens.
struct Trace {
    start: usize,
    end: usize,
    /// How many of its bytes a window must hold.
    needed: usize,
}

/// The traces of diffs in a text.
pub(super) struct Traces<'t> {
    bytes: &'t [u8],
    /// In text order; they never overlap.
    traces: Vec<Trace>,
    /// The first one that a later place can be near to.
    next: usize,
}

impl<'t> Traces<'t> {
    pub(super) fn find(bytes: &'t [u8]) -> Self {
        let mut traces = Vec::new();
        for needle in ["SEARCH", "REPLACE", "+++++++", "-------"] {
            find_traces(bytes, needle.as_bytes(), &mut traces);
        }
        traces.sort_unstable_by_key(|trace| trace.start);
        Self { bytes, traces, next: 0 }
    }

    /// Whether the window around `at`, a place no earlier than the last one asked for, holds a trace.
    /// It takes `HALF` units to both sides, shifted back by `shift` units.
    pub(super) fn near(&mut self, at: usize, shift: usize) -> bool {
        let reach = REACH * UNIT_BYTES;
        while self.traces.get(self.next).is_some_and(|trace| trace.end + reach < at) {
            self.next += 1;
        }
        let mut near =
            self.traces[self.next..].iter().take_while(|trace| trace.start < at + reach).peekable();
        if near.peek().is_none() {
            return false;
        }
        let start = units_before(self.bytes, at, HALF + shift);
        let end = units_after(self.bytes, at, HALF - shift);
        near.any(|trace| end.min(trace.end) >= start.max(trace.start) + trace.needed)
    }
}

fn find_traces(bytes: &[u8], needle: &[u8], traces: &mut Vec<Trace>) {
    let finder = memmem::Finder::new(needle);
    let is_run = needle[0] == needle[1];
    let mut from = 0;
    while let Some(found) = finder.find(&bytes[from..]) {
        let start = from + found;
        let mut end = start + needle.len();
        while is_run && bytes.get(end) == Some(&needle[0]) {
            end += 1;
        }
        traces.push(Trace { start, end, needed: needle.len() });
        from = end;
    }
}
