//! Folds a text, block by block, so that what patterns take for the same is the same byte.
//!
//! In: bytes. Out: as many bytes, letters of ASCII small, its blanks a space. Never: tells all bytes apart that a
//! pattern tells apart; what is found in a folded text has to be looked at again.

/// How many bytes of a text a block has.
pub(crate) const BLOCK: usize = 4096;
/// How many bytes on each side of it are folded with it.
pub(crate) const MARGIN: usize = 16;

/// A folded byte. Bytes that differ may become one; the cases of a letter and the blanks do.
#[inline(always)]
pub(crate) const fn fold(byte: u8) -> u8 {
    match byte {
        b'\t'..=b'\r' => b' ',
        _ => byte | 0x20,
    }
}

/// A part of a text, folded, with what stands before and behind it; spaces where nothing does.
pub(crate) struct Block {
    bytes: [u8; MARGIN + BLOCK + MARGIN],
}

impl Block {
    pub(crate) fn new() -> Self {
        Self { bytes: [b' '; MARGIN + BLOCK + MARGIN] }
    }

    /// Takes the bytes of a text from there on.
    #[inline(always)]
    pub(crate) fn fill(&mut self, text: &[u8], from: usize) {
        let before = from.min(MARGIN);
        let source = &text[from - before..text.len().min(from + BLOCK + MARGIN)];
        let target = &mut self.bytes[MARGIN - before..];
        for (target, byte) in target.iter_mut().zip(source) {
            *target = fold(*byte);
        }
        if let Some(rest) = target.get_mut(source.len()..) {
            rest.fill(b' ');
        }
    }

    /// The bytes from a position on, which counts from the start of the margin.
    #[inline(always)]
    pub(crate) fn get<const N: usize>(&self, at: usize) -> Option<&[u8; N]> {
        self.bytes.get(at..)?.first_chunk()
    }
}
