//! Keeps every byte of the reply, and reads any part of it as text.
//!
//! In: chunks of bytes that may end inside a character. Out: slices, borrowed as text while all of it is UTF-8.
//! Never: changes a byte, holds more than one and a half times what it was given.

use std::borrow::Cow;

use ascii::{AsAsciiStr, AsciiStr};

use crate::scan::Word;

/// A part of the buffer, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

#[derive(Debug, Default)]
pub(crate) struct Buffer {
    kept: Kept,
    /// The beginning of a character whose rest has not come yet.
    begun: [u8; 3],
    begun_length: usize,
}

#[derive(Debug)]
enum Kept {
    Text(String),
    /// From the first sequence on that is not UTF-8.
    Bytes(Vec<u8>),
}

impl Default for Kept {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl Buffer {
    /// Takes a chunk that is ASCII and begins no second half of a character; false if it is another.
    #[inline]
    pub(crate) fn push_ascii(&mut self, chunk: &[u8]) -> bool {
        let word = Word::new(chunk).filter(|_| self.is_whole());
        let text = word.as_ref().and_then(Word::text);
        text.is_some_and(|text| self.keep_short(text, chunk.len())) || self.push_long_ascii(chunk)
    }

    #[inline(never)]
    fn push_long_ascii(&mut self, chunk: &[u8]) -> bool {
        ascii(chunk).filter(|_| self.is_whole()).map(|text| self.keep(text)).is_some()
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        if self.begun_length == 0
            && let Ok(chunk) = simdutf8::basic::from_utf8(chunk)
        {
            return self.keep(chunk);
        }
        let mut joined = self.begun[..self.begun_length].to_vec();
        joined.extend_from_slice(chunk);
        self.begun_length = 0;
        self.keep_sequences(&joined);
    }

    /// The stream has ended: what was begun stays so.
    pub(crate) fn end(&mut self) {
        let length = std::mem::take(&mut self.begun_length);
        let begun = self.begun;
        self.keep_broken(&begun[..length]);
    }

    fn keep_sequences(&mut self, bytes: &[u8]) {
        let mut left = bytes.len();
        for part in bytes.utf8_chunks() {
            self.keep(part.valid());
            left -= part.valid().len() + part.invalid().len();
            let begun = std::str::from_utf8(part.invalid()).is_err_and(|e| e.error_len().is_none());
            if left == 0 && begun {
                self.begun_length = part.invalid().len();
                self.begun[..self.begun_length].copy_from_slice(part.invalid());
            } else {
                self.keep_broken(part.invalid());
            }
        }
    }

    /// Takes text, where no character is begun.
    #[inline]
    pub(crate) fn keep(&mut self, chunk: &str) {
        match &mut self.kept {
            Kept::Text(text) => {
                if text.capacity() - text.len() < chunk.len() {
                    text.reserve_exact(growth(text.len(), chunk.len()));
                }
                text.push_str(chunk);
            }
            Kept::Bytes(bytes) => append(bytes, chunk.as_bytes()),
        }
    }

    /// The same for the first bytes of some ASCII of a length that is known, which are copied without a call. False if
    /// there is no room for it all, or what is kept is no text.
    #[inline]
    pub(crate) fn keep_short(&mut self, ascii: &str, length: usize) -> bool {
        let Kept::Text(text) = &mut self.kept else { return false };
        let has_room = text.capacity() - text.len() >= ascii.len();
        if has_room {
            text.push_str(ascii);
            if length < ascii.len() {
                text.truncate(text.len() - ascii.len() + length);
            }
        }
        has_room
    }

    fn keep_broken(&mut self, chunk: &[u8]) {
        if chunk.is_empty() {
            return;
        }
        if let Kept::Text(text) = &mut self.kept {
            self.kept = Kept::Bytes(std::mem::take(text).into_bytes());
        }
        if let Kept::Bytes(bytes) = &mut self.kept {
            append(bytes, chunk);
        }
    }

    /// Whether no character is begun.
    pub(crate) fn is_whole(&self) -> bool {
        self.begun_length == 0
    }

    /// The beginning of a character whose rest has not come yet.
    pub(crate) fn begun(&self) -> &[u8] {
        &self.begun[..self.begun_length]
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.kept {
            Kept::Text(text) => text.as_bytes(),
            Kept::Bytes(bytes) => bytes,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Bytes that are held for it.
    pub(crate) fn capacity(&self) -> usize {
        match &self.kept {
            Kept::Text(text) => text.capacity(),
            Kept::Bytes(bytes) => bytes.capacity(),
        }
    }

    pub(crate) fn slice(&self, span: Span) -> &[u8] {
        self.bytes().get(span.start..span.end).unwrap_or_default()
    }

    /// The text there, if all of the reply so far is UTF-8.
    #[inline]
    pub(crate) fn borrowed(&self, span: Span) -> Option<&str> {
        match &self.kept {
            Kept::Text(text) => text.get(span.start..span.end),
            Kept::Bytes(_) => None,
        }
    }

    /// Sequences that are not UTF-8 read as U+FFFD.
    pub(crate) fn text(&self, span: Span) -> Cow<'_, str> {
        match self.borrowed(span) {
            Some(text) => Cow::Borrowed(text),
            None => String::from_utf8_lossy(self.slice(span)),
        }
    }
}

/// The chunk as text, if it is ASCII.
#[inline]
pub(crate) fn ascii(chunk: &[u8]) -> Option<&str> {
    chunk.as_ascii_str().ok().map(AsciiStr::as_str)
}

/// By a half at most, so that the bound on memory holds.
fn growth(held: usize, wanted: usize) -> usize {
    wanted.max(held / 2)
}

fn append(bytes: &mut Vec<u8>, chunk: &[u8]) {
    if bytes.capacity() - bytes.len() < chunk.len() {
        bytes.reserve_exact(growth(bytes.len(), chunk.len()));
    }
    bytes.extend_from_slice(chunk);
}
