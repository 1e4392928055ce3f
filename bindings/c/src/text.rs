//! Texts that come in and go out.
//!
//! In: pointers with lengths. Out: borrowed UTF-8, texts that the caller owns. Never: reads over a length.

use std::ffi::c_char;
use std::ptr;

use promptweave_bindings::{Error, Json, Misuse, limited, parse};

use crate::error::free;
use crate::handle::{give, handle, of};

/// A text in UTF-8, without a NUL at its end; `{NULL, 0}` is absent.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct promptweave_str {
    /// Its first byte.
    pub ptr: *const c_char,
    /// How many bytes it has.
    pub len: usize,
}

/// A text that you own. Free it with `promptweave_text_free`.
pub struct promptweave_text {
    _named: (),
}

handle!(promptweave_text, Box<str>, "text");

impl promptweave_str {
    /// No text.
    pub(crate) const ABSENT: Self = Self { ptr: ptr::null(), len: 0 };

    /// A text that somebody else keeps.
    pub(crate) fn lent(text: Option<&str>) -> Self {
        text.map_or(Self::ABSENT, |text| Self { ptr: text.as_ptr().cast(), len: text.len() })
    }

    /// The text, or absent.
    ///
    /// # Safety
    /// `ptr` is NULL, or `len` bytes can be read there as long as the result is used.
    pub(crate) unsafe fn optional<'a>(self) -> Result<Option<&'a str>, Error> {
        if self.ptr.is_null() && self.len == 0 {
            return Ok(None);
        }
        // SAFETY: the caller's promise.
        let bytes = unsafe { self.bytes() }?;
        std::str::from_utf8(bytes).map(Some).map_err(|error| {
            let message = format!("a text is not UTF-8 from byte {} on", error.valid_up_to());
            Error::new(Misuse::NotUtf8, message, "give UTF-8, and the length in bytes")
        })
    }

    /// The bytes, which need not be UTF-8.
    ///
    /// # Safety
    /// As for [`promptweave_str::optional`].
    pub(crate) unsafe fn bytes<'a>(self) -> Result<&'a [u8], Error> {
        let Self { ptr, len } = self;
        if len == 0 {
            return Ok(&[]);
        }
        if ptr.is_null() {
            let message = format!("a pointer is NULL, and its length is {len}");
            return Err(Error::new(Misuse::PointerNull, message, "give the length 0 with NULL"));
        }
        limited(len)?;
        // SAFETY: it is not NULL, the caller vouches for `len` bytes, and so many fit into memory.
        Ok(unsafe { std::slice::from_raw_parts(ptr.cast(), len) })
    }

    /// The text; absent is a mistake.
    ///
    /// # Safety
    /// As for [`promptweave_str::optional`].
    pub(crate) unsafe fn text<'a>(self, what: &str) -> Result<&'a str, Error> {
        // SAFETY: the caller's promise.
        unsafe { self.optional() }?.ok_or_else(|| {
            let message = format!("the {what} is absent");
            Error::new(Misuse::PointerNull, message, "give a pointer, and the length in bytes")
        })
    }

    /// Options; absent ones have their defaults.
    ///
    /// # Safety
    /// As for [`promptweave_str::optional`].
    pub(crate) unsafe fn options(self) -> Result<Json, Error> {
        // SAFETY: the caller's promise.
        parse(unsafe { self.optional() }?.unwrap_or_default())
    }
}

/// Refuses an out-parameter that is NULL.
pub(crate) fn writable<T>(out: *mut T) -> Result<(), Error> {
    if !out.is_null() {
        return Ok(());
    }
    let help = "give the address of a variable";
    Err(Error::new(Misuse::PointerNull, "there is no place for the result", help))
}

/// Writes a JSON value as a text that the caller owns.
///
/// # Safety
/// `out` was found [`writable`].
pub(crate) unsafe fn give_json(json: &Json, out: *mut *mut promptweave_text) {
    let text = give(json.to_string().into());
    // SAFETY: the caller's promise.
    unsafe { out.write(text) };
}

/// The bytes of a text, lent by it; absent for a handle that is none.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_text_view(text: *const promptweave_text) -> promptweave_str {
    of(text).map_or(promptweave_str::ABSENT, |text| promptweave_str::lent(Some(&text)))
}

/// Frees a text.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_text_free(text: *mut promptweave_text) {
    free(text);
}
