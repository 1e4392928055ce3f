//! What a tag of a call can begin with, so that most others are passed over at once.
//!
//! In: a format and a tool. Out: two sets of bytes. Never: a byte too few.

use crate::dialect::{Format, Tags};
use crate::pattern::Pattern;
use crate::scan::ByteSet;
use crate::specs::Tool;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heads {
    second: ByteSet,
    /// Behind a second byte `/`.
    third: ByteSet,
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
        let names = || tool.params.list.iter().map(|param| &param.name[..]).chain([&*tool.name]);
        let firsts = names().filter_map(|name| name.bytes().next());
        match (pattern.second(), pattern.third()) {
            (None, _) => firsts.for_each(|first| self.second.add(first)),
            (Some(b'/'), None) => firsts.for_each(|first| self.third.add(first)),
            (Some(b'/'), Some(third)) => self.third.add(third),
            (Some(second), _) => self.second.add(second),
        }
    }

    /// Whether one of the tags may stand at `hit`, as far as one can see.
    #[inline]
    pub(super) fn may_begin(&self, bytes: &[u8], hit: usize) -> bool {
        match (bytes.get(hit + 1), bytes.get(hit + 2)) {
            (None, _) | (Some(b'/'), None) => true,
            (Some(b'/'), Some(third)) => self.third.has(*third),
            (Some(second), _) => self.second.has(*second),
        }
    }
}
