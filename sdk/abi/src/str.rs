//! Text that is passed across the border.
//!
//! In: a `&str`, or bytes of the other side. Out: pointer and length, or the bytes again.
//! Never: owns or frees; checks UTF-8 before it is asked to.

use core::str::Utf8Error;

/// `weave_str`: UTF-8 without a NUL at its end; `{null, 0}` says that it is absent.
///
/// It borrows: what it points at lives as long as the contract of the field or function says.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Str {
    /// The first byte, or null.
    pub ptr: *const u8,
    /// How many bytes.
    pub len: usize,
}

// SAFETY: a `Str` is two numbers; each read of the memory behind it is unsafe, and its contract asks
// that the bytes do not change meanwhile.
unsafe impl Send for Str {}
// SAFETY: as above; there is nothing in it that could change through a shared reference.
unsafe impl Sync for Str {}

impl Str {
    /// Says that there is no text.
    pub const ABSENT: Self = Self { ptr: core::ptr::null(), len: 0 };

    /// Points at `text`; whoever passes it on answers for its lifetime.
    pub const fn new(text: &str) -> Self {
        Self { ptr: text.as_ptr(), len: text.len() }
    }

    /// Whether there is no text, as opposed to an empty one.
    pub const fn is_absent(self) -> bool {
        self.ptr.is_null() && self.len == 0
    }

    /// Whether it can be text at all: no length without a pointer, and none that no object has.
    pub const fn is_plausible(self) -> bool {
        self.len <= isize::MAX as usize && (self.len == 0 || !self.ptr.is_null())
    }

    /// The bytes; none when it is absent, or not [plausible](Self::is_plausible).
    ///
    /// # Safety
    /// If it is plausible and not absent, `ptr` points at `len` bytes that can be read, and that nobody
    /// changes or frees during `'a`.
    pub const unsafe fn as_bytes<'a>(self) -> &'a [u8] {
        if self.ptr.is_null() || !self.is_plausible() {
            return &[];
        }
        // SAFETY: not null and not longer than an object can be; the rest is the caller's promise.
        unsafe { core::slice::from_raw_parts(self.ptr, self.len) }
    }

    /// The text.
    ///
    /// # Errors
    /// The bytes are not UTF-8.
    ///
    /// # Safety
    /// As for [`as_bytes`](Self::as_bytes).
    pub const unsafe fn as_text<'a>(self) -> Result<&'a str, Utf8Error> {
        // SAFETY: the caller's promise is the same.
        core::str::from_utf8(unsafe { self.as_bytes() })
    }
}
