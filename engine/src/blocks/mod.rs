//! Cuts a prompt into blocks by how stable they are, and says who may share each.
//!
//! In: a text and its static head; what the request says. Out: [`Block`]s: joined they are the text, none is blank
//! unless the text is. Never: changes a byte.

mod caching;

pub(crate) use caching::{Caching, GlobalCaching};

/// A run of finished prompt text with one cache scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block<'a> {
    /// The text; never empty.
    pub text: &'a str,
    /// What it is.
    pub kind: BlockKind,
    /// Who shares it.
    pub scope: Scope,
}

/// What a block is. They stand in a request in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BlockKind {
    /// What the host's maker is billed by: no part of the text, always alone, never cached.
    Attribution,
    /// The request's own text before the prompt.
    Prefix,
    /// The static head of the text.
    Static,
    /// The rest of the text.
    Dynamic,
}

/// Who shares a block in a provider's cache: a label for planning, not a wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nobody: no prefix that should be cached ends with it.
    None,
    /// The organisation.
    Org,
    /// Everybody who uses these packs with this model.
    Global,
}

impl Scope {
    /// `none`, `org` or `global`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Org => "org",
            Self::Global => "global",
        }
    }
}

/// How a request is split between those who share parts of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// Servers bring tools that come and go, and tools stand before everything.
    ToolsVolatile,
    /// Anthropic's own API with global caching on, and a static head to share.
    Global,
    /// Everything else.
    Default,
}

impl CacheMode {
    /// The scope that a block has in this mode.
    pub fn scope(self, kind: BlockKind) -> Scope {
        match (self, kind) {
            (_, BlockKind::Attribution) => Scope::None,
            (Self::Global, BlockKind::Static) => Scope::Global,
            (Self::Global, BlockKind::Prefix | BlockKind::Dynamic) => Scope::None,
            (
                Self::ToolsVolatile | Self::Default,
                BlockKind::Prefix | BlockKind::Static | BlockKind::Dynamic,
            ) => Scope::Org,
        }
    }
}

/// Where the text is cut: behind its static head, but never so that one side is blank, which no API takes.
pub(crate) fn boundary(text: &str, static_head: usize) -> usize {
    let boundary = (0..=static_head).rev().find(|&at| text.is_char_boundary(at));
    let (head, rest) = text.split_at(boundary.unwrap_or_default());
    match (head.trim().is_empty(), rest.trim().is_empty()) {
        (false, false) => head.len(),
        (_, true) if rest.is_empty() => text.len(),
        (true, _) | (false, true) => 0,
    }
}

/// The text before a boundary, then the rest.
pub(crate) fn blocks(
    text: &str,
    boundary: usize,
    mode: CacheMode,
) -> impl Iterator<Item = Block<'_>> {
    let (head, rest) = text.split_at(boundary);
    let parts = [(BlockKind::Static, head), (BlockKind::Dynamic, rest)].into_iter();
    let parts = parts.filter(|(_, text)| !text.is_empty());
    parts.map(move |(kind, text)| Block { text, kind, scope: mode.scope(kind) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MODES: [CacheMode; 3] = [CacheMode::ToolsVolatile, CacheMode::Global, CacheMode::Default];

    #[test]
    fn the_table_of_modes_and_blocks() {
        use BlockKind::{Attribution, Dynamic, Prefix, Static};
        let kinds = [Attribution, Prefix, Static, Dynamic];
        let table = MODES.map(|mode| kinds.map(|kind| mode.scope(kind).as_str()));
        assert_eq!(
            table,
            [
                ["none", "org", "org", "org"],
                ["none", "none", "global", "none"],
                ["none", "org", "org", "org"],
            ]
        );
    }

    #[test]
    fn a_blank_block_goes_with_the_other() {
        for (text, head, kinds) in [
            ("ab", 1, &[(BlockKind::Static, "a"), (BlockKind::Dynamic, "b")][..]),
            ("ab", 2, &[(BlockKind::Static, "ab")]),
            ("ab", 0, &[(BlockKind::Dynamic, "ab")]),
            (" b", 1, &[(BlockKind::Dynamic, " b")]),
            ("a\n", 1, &[(BlockKind::Dynamic, "a\n")]),
            ("é", 1, &[(BlockKind::Dynamic, "é")]),
            ("", 0, &[]),
        ] {
            let cut: Vec<_> = blocks(text, boundary(text, head), CacheMode::Default).collect();
            let cut: Vec<_> = cut.iter().map(|block| (block.kind, block.text)).collect();
            assert_eq!(cut, kinds, "{text:?} {head}");
        }
    }

    proptest! {
        #[test]
        fn joined_they_are_the_text(text in "[a \né🦀]{0,12}", head in 0..40_usize, mode in 0..3_usize) {
            let head = head.min(text.len());
            let cut: Vec<_> = blocks(&text, boundary(&text, head), MODES[mode]).collect();
            let joined: String = cut.iter().map(|block| block.text).collect();
            prop_assert_eq!(&joined, &text);
            prop_assert!(cut.iter().all(|block| !block.text.is_empty()));
            prop_assert!(text.trim().is_empty() || cut.iter().all(|block| !block.text.trim().is_empty()));
        }
    }
}
