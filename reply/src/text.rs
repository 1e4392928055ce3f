//! A piece of the reply as the host gets it: small, and read only when it is asked for.
//!
//! In: a piece as it is written, and how. Out: the text that it stands for. Never: copies text that can be borrowed.

use std::borrow::Cow;
use std::fmt;

use crate::literal;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Text,
    Json,
    /// The inside of a string literal.
    Quoted,
    Python,
    /// JSON that was written within a JSON string.
    SideJson,
    SideQuoted,
}

/// A piece of the reply as it is written. Most text is there at once; what has escapes in it, or is no UTF-8, is
/// decoded by [`Text::read`].
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(Written<'a>);

#[derive(Clone, Copy, Debug)]
enum Written<'a> {
    /// What it stands for.
    Plain(&'a str),
    Coded(Coding, &'a [u8]),
}

impl<'a> Text<'a> {
    /// Text, or JSON.
    #[inline(always)]
    pub(crate) fn plain(text: &'a str) -> Self {
        Self(Written::Plain(text))
    }

    /// What has to be decoded, or is no UTF-8.
    #[inline(always)]
    pub(crate) fn coded(coding: Coding, written: &'a [u8]) -> Self {
        Self(Written::Coded(coding, written))
    }

    /// The text: borrowed from the parser, unless something in it has to be decoded. Sequences that are not UTF-8 read
    /// as U+FFFD.
    #[inline]
    pub fn read(self) -> Cow<'a, str> {
        match self.0 {
            Written::Plain(text) => Cow::Borrowed(text),
            Written::Coded(coding, written) => decode(coding, String::from_utf8_lossy(written)),
        }
    }
}

fn decode(coding: Coding, written: Cow<'_, str>) -> Cow<'_, str> {
    match coding {
        Coding::Text | Coding::Json | Coding::SideJson => written,
        Coding::Quoted | Coding::SideQuoted => literal::unescape(written),
        Coding::Python => Cow::Owned(literal::python_to_json(&written)),
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.read())
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        self.read() == **other
    }
}
