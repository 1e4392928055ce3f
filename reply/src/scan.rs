//! Finds the next byte that may mean something.
//!
//! In: a small set of bytes. Out: the first position of one of them. Never: knows what they mean.

/// A set of bytes to look for.
#[derive(Clone, Debug)]
pub(crate) struct Needles {
    list: Vec<u8>,
    table: Box<[bool; 256]>,
}

/// Below this length a plain loop is faster than starting anything wider.
const SHORT: usize = 24;
/// How many bytes are looked at together; the compiler makes vector code of it.
const BLOCK: usize = 32;

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
        let at = if rest.len() < SHORT {
            self.one_by_one(rest)
        } else {
            match self.list[..] {
                [] => None,
                [a] => memchr::memchr(a, rest),
                [a, b] => memchr::memchr2(a, b, rest),
                [a, b, c] => memchr::memchr3(a, b, c, rest),
                [a, b, c, d] => self.by_blocks([a, b, c, d], rest),
                [a, b, c, d, e] => self.by_blocks([a, b, c, d, e], rest),
                _ => self.one_by_one(rest),
            }
        };
        at.map(|at| from + at)
    }

    fn one_by_one(&self, bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|byte| self.has(*byte))
    }

    fn by_blocks<const N: usize>(&self, needles: [u8; N], bytes: &[u8]) -> Option<usize> {
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        for (at, block) in blocks.iter().enumerate() {
            let mut hit = 0u8;
            for byte in block {
                for needle in needles {
                    hit |= u8::from(*byte == needle);
                }
            }
            if hit != 0 {
                return self.one_by_one(block).map(|within| at * BLOCK + within);
            }
        }
        self.one_by_one(rest).map(|within| bytes.len() - rest.len() + within)
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

/// Bytes that mean nothing: ASCII, and not among those that are looked for.
#[derive(Clone, Debug)]
pub(crate) struct Plain([bool; 256]);

impl Plain {
    pub(crate) fn new(meaningful: impl IntoIterator<Item = u8>) -> Self {
        let mut table = [false; 256];
        table[..128].fill(true);
        meaningful.into_iter().for_each(|byte| table[usize::from(byte)] = false);
        Self(table)
    }

    #[inline]
    pub(crate) fn all(&self, chunk: &[u8]) -> bool {
        chunk.iter().fold(true, |all, byte| all & self.0[usize::from(*byte)])
    }
}

/// Whether the chunk is ASCII without these bytes.
#[inline]
pub(crate) fn is_plain<const N: usize>(chunk: &[u8], meaningful: [u8; N]) -> bool {
    let (words, rest) = chunk.as_chunks::<8>();
    let mut marks = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        marks |= word & HIGH;
        for byte in meaningful {
            let different = word ^ (u64::from(byte) * LOW);
            marks |= different.wrapping_sub(LOW) & !different & HIGH;
        }
    }
    marks == 0 && rest.iter().all(|byte| byte.is_ascii() && !meaningful.contains(byte))
}

/// Places in a short chunk, a bit for each byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Where the needles, which are ASCII, are in a chunk of at most [`MAX_MARKED`] bytes. Behind a byte that is not
/// ASCII it says nothing.
#[inline]
pub(crate) fn marks<const N: usize>(chunk: &[u8], needles: [u8; N]) -> Marks {
    let (words, rest) = chunk.as_chunks::<8>();
    let mut marks = 0;
    for (at, word) in words.iter().enumerate() {
        marks |= marks_of_word(u64::from_le_bytes(*word), needles) << (8 * at);
    }
    if !rest.is_empty() {
        let word = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        marks |= marks_of_word(word, needles) << (8 * words.len());
    }
    Marks(marks)
}

const HIGH: u64 = 0x8080_8080_8080_8080;
const LOW: u64 = 0x0101_0101_0101_0101;

/// A bit for each byte of the word that is a needle.
#[inline]
fn marks_of_word<const N: usize>(word: u64, needles: [u8; N]) -> u64 {
    let mut found = 0;
    for needle in needles {
        let different = word ^ (u64::from(needle) * LOW);
        // Only a byte that is zero has no high bit then; no byte carries into the next one.
        found |= !((different & !HIGH) + !HIGH | different) & HIGH;
    }
    if found == 0 {
        return 0;
    }
    // Gathers the lowest bit of each byte in the highest byte.
    (found >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
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
