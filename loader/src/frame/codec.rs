//! Numbers and texts as bytes.
//!
//! In: numbers and texts. Out: bytes, and the same again. Never: reads past the end, or makes room for a count
//! before the bytes are there.

use std::fmt;

/// What the other side sent is no message: what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub(crate) &'static str);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Writes a message.
#[derive(Default)]
pub(crate) struct Encoder(pub(crate) Vec<u8>);

impl Encoder {
    pub(crate) fn u8(&mut self, number: u8) -> &mut Self {
        self.0.push(number);
        self
    }

    pub(crate) fn u32(&mut self, number: u32) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(crate) fn u64(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Self {
        self.u32(text.len() as u32);
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn all<T>(&mut self, items: &[T], mut put: impl FnMut(&mut Self, &T)) -> &mut Self {
        self.u32(items.len() as u32);
        items.iter().for_each(|item| put(self, item));
        self
    }
}

/// Reads a message; texts are borrowed from it.
#[derive(Clone)]
pub(crate) struct Decoder<'a>(&'a [u8]);

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) =
            self.0.split_at_checked(count).ok_or(Malformed("a message that ends too early"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Malformed> {
        let count = self.u32()? as usize;
        str::from_utf8(self.take(count)?).map_err(|_| Malformed("a text that is not UTF-8"))
    }

    pub(crate) fn all<T>(
        &mut self,
        mut get: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let count = self.u32()? as usize;
        if count > self.0.len() {
            return Err(Malformed("a list that is longer than its message"));
        }
        (0..count).map(|_| get(self)).collect()
    }

    pub(crate) fn end(self) -> Result<(), Malformed> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Malformed("a message with more behind its end"))
        }
    }
}
