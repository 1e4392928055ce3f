//! Tells at nearly the speed of memory whether a text holds a character that is looked at more closely.
//!
//! In: a text. Out: yes or no. Never: passes over one.

use pulp::{Arch, Simd, WithSimd};

use crate::hidden::is_looked_at;

#[cfg(target_arch = "x86_64")]
mod shuffled;

/// So many places are looked at in one go.
const BLOCK: usize = 64;
/// The bytes that these need.
const READ: usize = BLOCK + 2;

/// Whether a text holds a character that shows nothing, or may.
pub(crate) fn has(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_meant = |at: usize| {
        let begins = |at: &usize| text.is_char_boundary(*at);
        let from = (0..=at).rev().find(begins).unwrap_or_default();
        let to = (at + READ..bytes.len()).find(begins).unwrap_or(bytes.len());
        text.get(from..to).is_some_and(|part| part.chars().any(is_looked_at))
    };
    let (arch, mut from) = (Arch::new(), 0);
    while let Some(at) = next(arch, Search { bytes, from }) {
        if is_meant(at) {
            return true;
        }
        from = at + BLOCK;
    }
    false
}

/// For the first block from there on that may hold such a character; in the widest registers that the processor has.
struct Search<'t> {
    bytes: &'t [u8],
    from: usize,
}

fn next(arch: Arch, search: Search<'_>) -> Option<usize> {
    match arch {
        #[cfg(target_arch = "x86_64")]
        Arch::V3(simd) => simd.vectorize(shuffled::InSearch { simd, search }),
        other => other.dispatch(search),
    }
}

impl WithSimd for Search<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Option<usize> {
        self.first(|_| true)
    }
}

impl Search<'_> {
    /// Passes over blocks of which `may` knows that they hold none.
    #[inline(always)]
    fn first(self, may: impl Fn(&[u8; READ]) -> bool) -> Option<usize> {
        let (mut at, mut end) = (self.from, [b' '; READ]);
        while let Some(rest) = self.bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let block = match rest.first_chunk() {
                Some(block) => block,
                None => {
                    end[..rest.len()].copy_from_slice(rest);
                    &end
                }
            };
            if (has_low(block) && has_control(block))
                || (is_beyond_ascii(block) && may(block) && may_hold(block))
            {
                return Some(at);
            }
            at += BLOCK;
        }
        None
    }
}

/// Whether one may begin in it that is not beyond ASCII: most blocks have no end of a line either.
#[inline(always)]
fn has_low(block: &[u8; READ]) -> bool {
    block[..BLOCK].iter().fold(false, |any, byte| any | (*byte < b' ') | (*byte == 0x7F))
}

/// Whether a character of control begins in it.
#[inline(always)]
fn has_control(block: &[u8; READ]) -> bool {
    block[..BLOCK].iter().fold(false, |any, byte| any | is_control(*byte) | (*byte == 0x7F))
}

#[inline(always)]
fn is_beyond_ascii(block: &[u8; READ]) -> bool {
    block[..BLOCK].iter().fold(0, |any, byte| any | byte) >= 0x80
}

#[inline(always)]
fn is_control(byte: u8) -> bool {
    (byte < b' ') & (byte != b'\t') & (byte != b'\n') & (byte != b'\x0C') & (byte != b'\r')
}

/// Whether bytes that begin such a character stand in it; without jumps, so that many places are judged at once.
#[inline(always)]
fn may_hold(block: &[u8; READ]) -> bool {
    let (second, third) = (&block[1..=BLOCK], &block[2..READ]);
    block[..BLOCK]
        .iter()
        .zip(second)
        .zip(third)
        .fold(false, |any, ((a, b), c)| any | may_begin(*a, *b, *c))
}

/// Whether three bytes may begin a character of `is_looked_at` beyond ASCII; the third counts only where the second says
/// too little.
#[inline(always)]
fn may_begin(a: u8, b: u8, c: u8) -> bool {
    let e1 = (a == 0xE1)
        & ((b == 0x85) | ((b == 0x9E) & (c & 0xFE == 0xB4)) | ((b == 0xA0) & (c & 0xF8 == 0x88)));
    let e2 = (a == 0xE2)
        & (((b == 0x80) & ((c.wrapping_sub(0x8B) < 5) | (c.wrapping_sub(0xAA) < 5)))
            | ((b == 0x81) & (c >= 0xA0)));
    let ef = (a == 0xEF) & ((b == 0xB8) | (b == 0xBB) | (b & 0xFE == 0xBE));
    let two = ((a == 0xC2) & ((b < 0xA0) | (b == 0xAD)))
        | ((a == 0xCD) & (b == 0x8F))
        | ((a == 0xD8) & (b == 0x9C));
    let rare = ((a == 0xE3) & (b == 0x85) & (c == 0xA4))
        | ((a == 0xF0) & ((b == 0x9B) | (b == 0x9D)))
        | (a == 0xF3);
    e1 | e2 | ef | two | rare
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every character, at every place of a block and across its end.
    #[test]
    fn every_character() {
        for c in '\0'..=char::MAX {
            let places = if is_looked_at(c) { 58..70 } else { 62..63 };
            for before in places {
                let text = format!("{}{c}", "a".repeat(before));
                assert_eq!(has(&text), is_looked_at(c), "{c:?} behind {before}");
                let plain = Search { bytes: text.as_bytes(), from: 0 }.first(|_| true);
                assert!(plain.is_some() || !is_looked_at(c), "{c:?} behind {before}");
            }
        }
    }
}
