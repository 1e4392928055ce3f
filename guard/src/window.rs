//! Finds the few bytes by which a match of a pattern is noticed.
//!
//! In: prefixes, then bytes of a folded text. Out: the windows that stand there. Never: passes over one.

use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use crate::automata::Side;
use crate::fold::fold;
use crate::prefixes::{LONGEST, Prefixes, SHORTEST};

/// The bytes of a window.
const BYTES: usize = 4;
/// A window that is further behind is one of few matches only.
const MAX_OFFSET: usize = 5;
/// So many bytes hold eight places.
const READ: usize = 18;
const HASH_BITS: u32 = 17;
const SLOT_BITS: u32 = 13;
/// What is met most often in prose and code, in that order, [`BYTES`] bytes each.
const COMMON: &str = include_str!("../common.txt");
/// How often a letter stands in a text, in thousandths.
const OFTEN: [u16; 26] = [
    82, 15, 28, 43, 127, 22, 20, 61, 70, 2, 8, 40, 24, 67, 75, 19, 1, 60, 63, 91, 28, 10, 24, 2,
    20, 1,
];
const OFTEN_BLANK: u16 = 180;
const OFTEN_ELSE: u16 = 10;

/// A few bytes of a prefix.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    bytes: [u8; BYTES],
    /// How far behind the byte before the prefix it stands.
    pub(crate) offset: usize,
    /// How far behind the start of the prefix its pattern is tried.
    pub(crate) place: usize,
    /// Whose prefix it is.
    pub(crate) branch: usize,
    prefix: u128,
    mask: u128,
}

impl Window {
    /// Those by which all matches of a pattern are noticed, but for those that begin with a sign and are stubs.
    pub(crate) fn of(prefixes: &Prefixes, branch: usize) -> Vec<Self> {
        let new = |bytes, offset, prefix: &[u8]| {
            let mut whole = [0; LONGEST];
            whole[..prefix.len()].copy_from_slice(prefix);
            let mask = u128::MAX >> (8 * (LONGEST - prefix.len()));
            let place = if prefixes.from == Side::End { prefix.len() } else { 0 };
            Self { bytes, offset, place, branch, prefix: u128::from_le_bytes(whole), mask }
        };
        // Two neighbours, of which one stands at an even place: the two that are seen the least.
        let of_whole = prefixes.whole.iter().flat_map(|prefix| {
            let seen = |at: &usize| often(&prefix[*at..]) + often(&prefix[at + 1..]);
            let last = prefix.len() - SHORTEST;
            let offsets = match prefixes.from {
                Side::Start => 0..=MAX_OFFSET.min(last),
                Side::End => last.saturating_sub(MAX_OFFSET)..=last,
            };
            let best = offsets.min_by_key(seen).unwrap_or_default();
            [best, best + 1].map(|at| new(first(&prefix[at..]), at + 1, prefix))
        });
        // With any byte before it, and with any behind.
        let any = || (0..=u8::MAX).filter(|byte| fold(*byte) == *byte);
        let short = prefixes.stubs.iter().filter(|stub| stub[0].is_ascii_alphanumeric());
        let of_stubs = short.flat_map(|stub| {
            let [a, b, c] = *stub;
            let around = move |any| [([any, a, b, c], 0), ([a, b, c, any], 1)];
            any().flat_map(around).map(move |(bytes, offset)| new(bytes, offset, stub))
        });
        of_whole.chain(of_stubs).collect()
    }

    /// About how often one of them is met, in 10¹² places.
    pub(crate) fn often(windows: &[Self]) -> u64 {
        let bytes: BTreeSet<_> = windows.iter().map(|window| window.bytes).collect();
        bytes.iter().map(|bytes| often(bytes)).sum()
    }

    /// Whether these bytes begin with its prefix.
    pub(crate) fn is_prefix(&self, bytes: [u8; LONGEST]) -> bool {
        u128::from_le_bytes(bytes) & self.mask == self.prefix
    }
}

/// About how often the first window of these bytes is met, in 10¹² places.
fn often(bytes: &[u8]) -> u64 {
    static RANKS: LazyLock<HashMap<&[u8], usize>> = LazyLock::new(|| {
        let by_rank = COMMON.as_bytes().chunks(BYTES).enumerate();
        by_rank.map(|(rank, common)| (common, rank)).collect()
    });
    let window = first(bytes);
    let rank = RANKS.get(&window[..]).copied();
    let by_rank = |rank: usize| 90_000_000_000 / (rank as u64 + 14);
    let byte = |byte: u8| match byte {
        b'a'..=b'z' => OFTEN[usize::from(byte - b'a')],
        b' ' => OFTEN_BLANK,
        _ => OFTEN_ELSE,
    };
    let by_bytes = window.into_iter().map(|it| u64::from(byte(it))).product::<u64>();
    rank.map_or(by_bytes.min(by_rank(COMMON.len() / BYTES)), by_rank)
}

fn first(bytes: &[u8]) -> [u8; BYTES] {
    bytes.first_chunk().copied().unwrap_or_default()
}

#[inline(always)]
fn hash(bytes: [u8; BYTES]) -> u32 {
    u32::from_le_bytes(bytes).wrapping_mul(0x9E37_79B1) >> (u32::BITS - HASH_BITS)
}

/// The positions of the bits that are set.
pub(crate) fn ones(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = bits.trailing_zeros();
        bits &= bits.checked_sub(1)?;
        Some(place as usize)
    })
}

fn slot(bytes: [u8; BYTES]) -> usize {
    (hash(bytes) >> (HASH_BITS - SLOT_BITS)) as usize
}

/// Windows by their bytes.
#[derive(Debug)]
pub(crate) struct Table {
    /// For each hash whether a window has it.
    marks: Box<[u8; 1 << HASH_BITS]>,
    /// Where the windows of each slot begin, and where the last one's end.
    slots: Vec<usize>,
    windows: Vec<Window>,
}

impl Table {
    pub(crate) fn new(mut windows: Vec<Window>) -> Self {
        windows.sort_by_key(|window| slot(window.bytes));
        let slots = (0..=1 << SLOT_BITS)
            .map(|at| windows.partition_point(|window| slot(window.bytes) < at))
            .collect();
        let mut marks = Box::new([0; 1 << HASH_BITS]);
        windows.iter().for_each(|window| marks[hash(window.bytes) as usize] = 1);
        Self { marks, slots, windows }
    }

    /// Whether a window may stand at one of the eight even places.
    #[inline(always)]
    pub(crate) fn may_hold(&self, bytes: &[u8; READ]) -> bool {
        let may = |at| self.mark(bytes, at);
        (may(0) | may(2) | may(4) | may(6) | may(8) | may(10) | may(12) | may(14)) != 0
    }

    /// The even places at which one may stand.
    pub(crate) fn places(&self, bytes: &[u8; READ]) -> impl Iterator<Item = usize> {
        let may = |at| u64::from(self.mark(bytes, at)) << at;
        ones(may(0) | may(2) | may(4) | may(6) | may(8) | may(10) | may(12) | may(14))
    }

    #[inline(always)]
    fn mark(&self, bytes: &[u8; READ], at: usize) -> u8 {
        let window = bytes[at..].first_chunk().copied().unwrap_or_default();
        self.marks[hash(window) as usize]
    }

    /// The windows of these bytes.
    pub(crate) fn get(&self, bytes: [u8; BYTES]) -> impl Iterator<Item = &Window> {
        let slot = slot(bytes);
        let slot = self.windows.get(self.slots[slot]..self.slots[slot + 1]).unwrap_or_default();
        slot.iter().filter(move |window| window.bytes == bytes)
    }
}
