//! Looks at the halves of three neighbouring bytes in tables, for 32 places at once.
//!
//! In: a block. Out: whether a character beyond ASCII that is looked at may begin in it. Never: passes over one; what it
//! finds has to be looked at again.

use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast};

use super::{BLOCK, READ, Search};

/// Places that are judged in one go.
const WIDTH: usize = 32;

/// By half of a byte, the groups to which it may belong.
type Half = [u8; 16];

/// A group of characters by their bytes: the first, the second, the third of each.
struct Group([&'static [u8]; 3]);

/// For each bit one.
const GROUPS: [Group; 8] = [
    Group([
        &[0xC2],
        &[
            0x80, 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x8D,
            0x8E, 0x8F, 0x90,
        ],
        &[],
    ]),
    Group([&[0xC2], &[0xAD], &[]]),
    Group([&[0xCD, 0xD8], &[0x8F, 0x9C], &[]]),
    Group([&[0xE1], &[0x85, 0x9E, 0xA0], &[]]),
    Group([&[0xE2], &[0x80], &[0x8B, 0x8C, 0x8D, 0x8E, 0x8F, 0xAA]]),
    Group([&[0xE3], &[0x85], &[0xA4]]),
    Group([&[0xE2, 0xEF], &[0x81, 0xB8, 0xBB, 0xBE, 0xBF], &[]]),
    Group([&[0xF0, 0xF3], &[0x9B, 0x9D, 0xA0], &[]]),
];

/// Of each of the three bytes the lower half, then the upper one.
const HALVES: [[Half; 2]; 3] = [halves(0), halves(1), halves(2)];

const fn halves(which: usize) -> [Half; 2] {
    let (mut halves, mut bit) = ([[0; 16]; 2], 0);
    while bit < GROUPS.len() {
        let bytes = GROUPS[bit].0[which];
        let mut at = 0;
        while at < bytes.len() {
            halves[0][(bytes[at] & 0x0F) as usize] |= 1 << bit;
            halves[1][(bytes[at] >> 4) as usize] |= 1 << bit;
            at += 1;
        }
        // Any byte will do.
        while bytes.is_empty() && at < 16 {
            halves[0][at] |= 1 << bit;
            halves[1][at] |= 1 << bit;
            at += 1;
        }
        bit += 1;
    }
    halves
}

/// A search in the registers of AVX2.
pub(super) struct InSearch<'t> {
    pub(super) simd: V3,
    pub(super) search: Search<'t>,
}

impl NullaryFnOnce for InSearch<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn call(self) -> Option<usize> {
        let Self { simd, search } = self;
        search.first(|block| may_hold(simd, block))
    }
}

#[inline(always)]
fn may_hold(simd: V3, block: &[u8; READ]) -> bool {
    (0..BLOCK).step_by(WIDTH).any(|from| may_begin(simd, block, from))
}

/// Whether one may begin at a place from there on.
#[inline(always)]
fn may_begin(simd: V3, block: &[u8; READ], from: usize) -> bool {
    let low = simd.avx._mm256_set1_epi8(0x0F);
    let mut groups = simd.avx._mm256_set1_epi8(-1);
    for (behind, [lower, upper]) in HALVES.iter().enumerate() {
        let Some(bytes) = block[from + behind..].first_chunk::<WIDTH>() else { return true };
        let bytes = cast(*bytes);
        let wide = |half: &Half| simd.avx2._mm256_broadcastsi128_si256(cast(*half));
        let lower_half = simd.avx2._mm256_and_si256(bytes, low);
        let upper_half = simd.avx2._mm256_and_si256(simd.avx2._mm256_srli_epi16::<4>(bytes), low);
        let lower = simd.avx2._mm256_shuffle_epi8(wide(lower), lower_half);
        let upper = simd.avx2._mm256_shuffle_epi8(wide(upper), upper_half);
        groups = simd.avx2._mm256_and_si256(groups, simd.avx2._mm256_and_si256(lower, upper));
    }
    simd.avx._mm256_testz_si256(groups, groups) == 0
}
