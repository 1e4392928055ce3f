//! Exact counts, with the vocabularies that `tiktoken-rs` brings along.

use crate::facts::Encoding;

/// The tokens of a text, in which names of special tokens are plain text; none when the encoder's expressions give up,
/// as they do on megabytes of blanks.
pub(super) fn count(encoding: Encoding, text: &str) -> Option<usize> {
    let encoder = match encoding {
        Encoding::O200k => tiktoken_rs::o200k_base_singleton(),
        Encoding::Cl100k => tiktoken_rs::cl100k_base_singleton(),
    };
    encoder.encode(text, &Default::default()).ok().map(|(tokens, _)| tokens.len())
}
