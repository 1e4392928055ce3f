//! Places where a text can be cut without a change of its count.
//!
//! The encodings cut a text into words before they look for tokens. Behind a line end a word goes on only with white
//! space or, in `o200k_base`, with `/`: punctuation takes `[\r\n/]*` along there. So the tokens of both sides are those of the whole.

/// The text in pieces, cut at those of the edges that are safe.
pub(super) fn cut(text: &str, edges: impl Iterator<Item = usize>) -> Vec<&str> {
    let mut edges: Vec<usize> = edges.filter(|&at| is_safe(text, at)).chain([text.len()]).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut start = 0;
    edges.into_iter().map(|end| &text[std::mem::replace(&mut start, end)..end]).collect()
}

/// Whether the tokens before and behind a place are those of the whole.
pub(super) fn is_safe(text: &str, at: usize) -> bool {
    let (Some(before), Some(behind)) = (text.get(..at), text.get(at..)) else { return false };
    let goes_on = |character: char| character.is_whitespace() || character == '/';
    before.ends_with('\n') && behind.chars().next().is_some_and(|first| !goes_on(first))
}
