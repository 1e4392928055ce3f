//! Finds the next byte that may mean something.
//!
//! In: a small set of bytes. Out: the first position of one of them. Never: knows what they mean.

use ascii::{AsAsciiStr, AsciiStr};
use wide::u8x16;

/// The highest and the lowest bit of each byte of a word.
const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x0101_0101_0101_0101;

/// Bytes to look for.
#[derive(Clone, Debug)]
pub(crate) struct Needles {
    list: Vec<u8>,
    table: Box<[bool; 256]>,
}

/// Below this length a plain loop is faster than starting anything wider.
const SHORT: usize = 24;

impl Needles {
    pub(crate) fn new(bytes: impl IntoIterator<Item = u8>) -> Self {
        let mut list: Vec<u8> = bytes.into_iter().collect();
        list.sort_unstable();
        list.dedup();
        let mut table = Box::new([false; 256]);
        list.iter().for_each(|byte| table[usize::from(*byte)] = true);
        Self { list, table }
    }

    pub(crate) fn has(&self, byte: u8) -> bool {
        self.table[usize::from(byte)]
    }

    /// The first position at or behind `from`.
    pub(crate) fn find(&self, bytes: &[u8], from: usize) -> Option<usize> {
        let rest = bytes.get(from..)?;
        rest.iter().position(|byte| self.has(*byte)).map(|at| from + at)
    }

    /// As [`Needles::find`], for one who asks again from behind what was found.
    #[inline]
    pub(crate) fn find_next(&self, ahead: &mut Ahead, bytes: &[u8], from: usize) -> Option<usize> {
        match ahead.behind(from) {
            Ok(at) => Some(at),
            Err(from) => self.find_block(ahead, bytes, from),
        }
    }

    fn find_block(&self, ahead: &mut Ahead, bytes: &[u8], mut from: usize) -> Option<usize> {
        while let Some(block) = bytes.get(from..).and_then(|rest| rest.first_chunk()) {
            let marks = match self.list[..] {
                [a] => marks_of_block(block, [a]),
                [a, b] => marks_of_block(block, [a, b]),
                [a, b, c] => marks_of_block(block, [a, b, c]),
                [a, b, c, d] => marks_of_block(block, [a, b, c, d]),
                [a, b, c, d, e] => marks_of_block(block, [a, b, c, d, e]),
                _ => break,
            };
            if marks != Marks(0) {
                *ahead = Ahead { from, marks };
                return marks.map(|at| from + at).next();
            }
            from += MAX_MARKED;
        }
        self.find(bytes, from)
    }
}

/// What is known of the bytes that are searched next.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Ahead {
    /// Where the marks begin.
    from: usize,
    marks: Marks,
}

impl Ahead {
    /// The first mark at or behind `from`, or where to go on.
    #[inline]
    fn behind(&self, from: usize) -> Result<usize, usize> {
        match from.checked_sub(self.from) {
            Some(skipped @ 0..MAX_MARKED) if self.marks != Marks(0) => {
                let left = Marks(self.marks.0 & (!0 << skipped));
                left.map(|at| self.from + at).next().ok_or(self.from + MAX_MARKED)
            }
            _ => Err(from),
        }
    }
}

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(crate) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte / 64)] |= 1 << (byte % 64);
    }

    #[inline]
    pub(crate) fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 64)] >> (byte % 64) & 1 == 1
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::default();
        bytes.into_iter().for_each(|byte| set.add(byte));
        set
    }
}

/// A short piece, and zeros behind it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Word([u8; Word::SIZE]);

impl Word {
    const SIZE: usize = 8;

    /// None if the piece is longer.
    #[inline]
    pub(crate) fn new(piece: &[u8]) -> Option<Self> {
        match piece.try_into() {
            Ok(whole) => Some(Self(whole)),
            Err(_) if piece.len() < Self::SIZE => Some(Self(joined(piece).to_le_bytes())),
            Err(_) => None,
        }
    }

    fn bits(self) -> u64 {
        u64::from_le_bytes(self.0)
    }

    /// As text, with the zeros, if it is ASCII.
    #[inline]
    pub(crate) fn text(&self) -> Option<&str> {
        self.0.as_ascii_str().ok().map(AsciiStr::as_str)
    }
}

/// A few ASCII bytes at which something may begin or end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stops([u8x16; MAX_STOPS]);

const MAX_STOPS: usize = 4;

impl Stops {
    #[inline]
    pub(crate) fn one(byte: u8) -> Self {
        Self([u8x16::splat(byte); MAX_STOPS])
    }

    /// Those that are ASCII, at least one; none if they are too many.
    pub(crate) fn new(bytes: impl IntoIterator<Item = u8>) -> Option<Self> {
        let mut stops: Vec<u8> = bytes.into_iter().filter(u8::is_ascii).collect();
        stops.sort_unstable();
        stops.dedup();
        stops.resize(MAX_STOPS.max(stops.len()), *stops.first()?);
        let stops: Result<[u8; MAX_STOPS], _> = stops.try_into();
        stops.ok().map(|stops| Self(stops.map(u8x16::splat)))
    }

    /// Whether a piece is without them.
    #[inline]
    pub(crate) fn are_not_in(&self, word: Word) -> bool {
        let word = u8x16::from(u128::from(word.bits()).to_le_bytes());
        let found = self.0.map(|stop| word.cmp_eq(stop));
        found.into_iter().fold(u8x16::ZERO, |all, found| all | found).move_mask() == 0
    }

    /// The same for a piece of any length.
    pub(crate) fn are_absent(&self, piece: &[u8]) -> bool {
        let mut words = piece.chunks(Word::SIZE).map(Word::new);
        words.all(|word| word.is_some_and(|word| self.are_not_in(word)))
    }
}

/// Less than eight bytes in a word, and zeros behind them.
#[inline]
fn joined(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Places in a short chunk, a bit for each byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u64);

/// As many bytes as [`Marks`] has bits.
pub(crate) const MAX_MARKED: usize = 64;

impl Iterator for Marks {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let at = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(at)
    }
}

/// Where the needles, which are ASCII, are in a chunk of at most [`MAX_MARKED`] bytes.
#[inline]
pub(crate) fn marks<const N: usize>(chunk: &[u8], needles: [u8; N]) -> Marks {
    match Word::new(chunk) {
        Some(word) => Marks(marks_of_word(word.bits(), needles)),
        None => marks_of_words(chunk, needles),
    }
}

#[inline(never)]
fn marks_of_words<const N: usize>(chunk: &[u8], needles: [u8; N]) -> Marks {
    let words = chunk.chunks(Word::SIZE).filter_map(Word::new).enumerate();
    Marks(words.fold(0, |marks, (at, word)| {
        marks | marks_of_word(word.bits(), needles) << (Word::SIZE * at)
    }))
}

/// The same for a whole block.
#[inline]
fn marks_of_block<const N: usize>(block: &[u8; MAX_MARKED], needles: [u8; N]) -> Marks {
    let (lanes, _) = block.as_chunks::<16>();
    let marks = lanes.iter().map(|lane| marks_of_lane(lane, needles));
    Marks(marks.enumerate().fold(0, |all, (at, marks)| all | marks << (16 * at)))
}

#[inline]
fn marks_of_lane<const N: usize>(lane: &[u8; 16], needles: [u8; N]) -> u64 {
    let lane = u8x16::new(*lane);
    let found = needles.map(|needle| lane.cmp_eq(u8x16::splat(needle)));
    let found = found.into_iter().fold(u8x16::ZERO, |all, found| all | found);
    u64::from(found.move_mask().cast_unsigned())
}

/// The lowest bit of each byte, side by side.
fn gather(bits: u64) -> u64 {
    bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// The first of the needles among the next bytes, of which at most [`MAX_MARKED`] are looked at; none if it is further
/// away.
#[inline]
pub(crate) fn near<const N: usize>(bytes: &[u8], from: usize, needles: [u8; N]) -> Option<usize> {
    let (lanes, _) = bytes.get(from..)?.as_chunks::<16>();
    let marks = lanes.iter().take(MAX_MARKED / 16).map(|lane| marks_of_lane(lane, needles));
    let found = marks.enumerate().find(|(_, marks)| *marks != 0);
    found.map(|(at, marks)| from + 16 * at + marks.trailing_zeros() as usize)
}

/// A bit for each byte of the word that is a needle.
#[inline]
fn marks_of_word<const N: usize>(word: u64, needles: [u8; N]) -> u64 {
    let mut found = 0;
    for needle in needles {
        let different = word ^ (u64::from(needle) * LOW);
        // Only a byte that is zero has no high bit then; no byte carries into the next one.
        found |= !(((different & !HIGH) + !HIGH) | different) & HIGH;
    }
    if found == 0 { 0 } else { gather(found >> 7) }
}

/// The first `needle` at or behind `from`.
pub(crate) fn byte(needle: u8, bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let at = if rest.len() < SHORT {
        rest.iter().position(|byte| *byte == needle)
    } else {
        memchr::memchr(needle, rest)
    };
    at.map(|at| from + at)
}

/// The first of two bytes at or behind `from`.
pub(crate) fn either(a: u8, b: u8, bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let at = if rest.len() < SHORT {
        rest.iter().position(|byte| *byte == a || *byte == b)
    } else {
        memchr::memchr2(a, b, rest)
    };
    at.map(|at| from + at)
}
