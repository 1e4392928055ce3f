//! What a tag of a call can begin with, so that most others are passed over at once.
//!
//! In: a format and a tool. Out: two sets of pairs of bytes. Never: a pair too few.

use crate::dialect::{Format, Tags};
use crate::pattern::Pattern;
use crate::specs::Tool;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heads {
    /// Behind the first byte.
    open: PairSet,
    /// Behind the first byte and `/`.
    close: PairSet,
}

/// Pairs of bytes. It may seem to hold one that it does not, for it has a bit for 256 of them.
#[derive(Clone, Copy, Debug, Default)]
struct PairSet([u64; 4]);

impl PairSet {
    fn bit(first: u8, second: u8) -> (usize, u64) {
        let hash = first.wrapping_mul(31) ^ second;
        (usize::from(hash / 64), 1 << (hash % 64))
    }

    /// With every second byte if none is given, and every pair if the first one is not.
    fn add(&mut self, first: Option<u8>, second: Option<u8>) {
        let every = |byte: Option<u8>| byte.map_or(0..=u8::MAX, |byte| byte..=byte);
        for first in every(first) {
            for second in every(second) {
                let (word, bit) = Self::bit(first, second);
                self.0[word] |= bit;
            }
        }
    }

    #[inline]
    fn may_hold(&self, first: u8, second: u8) -> bool {
        let (word, bit) = Self::bit(first, second);
        self.0[word] & bit != 0
    }
}

impl Heads {
    pub(super) fn of(format: &Format, tags: &Tags, tool: &Tool) -> Self {
        let mut heads = Self::default();
        let all = [&format.open, &format.close, &format.outer, &tags.open, &tags.ignore];
        for pattern in all.into_iter().flatten().chain([&tags.close]) {
            heads.add(pattern, tool);
        }
        heads
    }

    fn add(&mut self, pattern: &Pattern, tool: &Tool) {
        let names = tool.params.list.iter().map(|param| &param.name[..]).chain([&*tool.name]);
        let (set, skip) = match pattern.byte(1) {
            Some(b'/') => (&mut self.close, 2),
            _ => (&mut self.open, 1),
        };
        match pattern.byte(skip) {
            Some(first) => set.add(Some(first), pattern.byte(skip + 1)),
            None if pattern.has_name_at(skip) => names.for_each(|name| {
                let mut bytes = name.bytes();
                set.add(bytes.next(), bytes.next());
            }),
            None => set.add(None, None),
        }
    }

    /// Whether one of the tags may stand at `hit`, as far as one can see.
    #[inline]
    pub(super) fn may_begin(&self, bytes: &[u8], hit: usize) -> bool {
        match bytes[hit + 1..] {
            [b'/', first, second, ..] => self.close.may_hold(first, second),
            [] | [_] | [b'/', _] => true,
            [first, second, ..] => self.open.may_hold(first, second),
        }
    }
}
