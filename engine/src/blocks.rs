//! Cuts a prompt into blocks by how stable they are.
//!
//! In: a text and its static head. Out: [`Block`]s: joined they are the text, none is empty.
//! Never: changes a byte.

/// A run of finished prompt text with one cache scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block<'a> {
    /// The text; never empty.
    pub text: &'a str,
    /// Who shares it.
    pub scope: Scope,
}

/// Who shares a block in a provider's cache: a label for planning, not a wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The organisation.
    Org,
}

impl Scope {
    /// `org`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Org => "org",
        }
    }
}

/// The static head, then the rest.
pub(crate) fn blocks(text: &str, static_head: usize) -> impl Iterator<Item = Block<'_>> {
    let boundary = (0..=static_head).rev().find(|&at| text.is_char_boundary(at));
    let (head, rest) = text.split_at(boundary.unwrap_or_default());
    let blocks = [head, rest].into_iter().filter(|text| !text.is_empty());
    blocks.map(|text| Block { text, scope: Scope::Org })
}
