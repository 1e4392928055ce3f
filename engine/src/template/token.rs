//! Text and tags of a template, each with its exact byte range.
//!
//! In: nothing. Out: the words that the scanner and the tree share.
//! Never: reads a source.

use std::ops::Range;

/// How deep blocks may nest, and parentheses or brackets within a tag.
pub(super) const MAX_NESTING: usize = 64;
/// How long a tag may be; comments and the bodies of raw blocks may be longer.
pub(super) const MAX_TAG_BYTES: usize = 64 * 1024;

/// A byte range of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// Sources are shorter than `u32::MAX` bytes; the template sees to it.
    pub(super) fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The same as a range of `usize`.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The bytes themselves.
    pub(super) fn of(self, source: &str) -> &str {
        &source[self.range()]
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A run of text or a tag.
#[derive(Debug)]
pub(super) enum Token {
    /// Text as it is printed, but for white space that a neighbouring tag takes away.
    Text(Span),
    Tag(Tag),
}

/// One pair of braces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    /// From brace to brace.
    pub span: Span,
    /// What stands between, without sigil, `~` and outer blanks; of `{{else if x}}` only `if x`.
    pub body: Span,
    pub kind: Kind,
    /// Whether `~` takes the white space before it.
    pub trim_before: bool,
    /// Whether `~` takes the white space behind it.
    pub trim_after: bool,
}

/// What a tag is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `{{x}}`, `{{{x}}}`, `{{&x}}`
    Value,
    /// `{{#if x}}`
    Open,
    /// `{{{{raw}}}}`: what follows is text up to the closing tag.
    RawOpen,
    /// `{{else}}`, `{{^}}`
    Else,
    /// `{{else if x}}`, `{{^if x}}`
    ElseIf,
    /// `{{/if}}`
    Close,
    /// `{{{{/raw}}}}`
    RawClose,
    /// `{{> name}}`
    Partial,
    /// `{{! ... }}`, `{{!-- ... --}}`
    Comment,
    /// `{{* x}}`
    Decorator,
    /// `{{#* x}}`: opens a block.
    DecoratorBlock,
    /// `{{#> x}}`: opens a block.
    PartialBlock,
    /// A value whose name begins with `else`; other readers take it for `{{else ...}}`.
    ElseName,
}

/// Blanks of the grammar, between the words of a tag.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// A byte of a name: a letter, a digit, `-`, `_`, `$`, `:` or anything beyond ASCII.
pub(super) fn is_symbol(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'$' | b':') || !byte.is_ascii()
}
