//! Errors, owned by whoever gets them.
//!
//! In: what a call came to. Out: NULL or an error. Never: lets a panic through.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use promptweave_bindings::{Error, Misuse};

use crate::handle::{give, handle, of, take};
use crate::text::{promptweave_str, promptweave_text};

/// Why a call gave nothing. Free it with `promptweave_error_free`.
pub struct promptweave_error {
    _named: (),
}

handle!(promptweave_error, Told, "error");

/// An error with its parts as texts that can be lent.
pub(crate) struct Told {
    error: Error,
    file: Option<String>,
}

/// Runs the body of a call.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Error>) -> *mut promptweave_error {
    let done = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Err(Error::new(Misuse::Panicked, "the library failed", "please report what you called"))
    });
    match done {
        Ok(()) => ptr::null_mut(),
        Err(error) => {
            let file = error.origin().file_name().map(str::to_owned);
            give(Told { error, file })
        }
    }
}

/// Ends a handle; nothing of what that runs gets through.
pub(crate) fn free<H: crate::handle::Handle>(handle: *const H) {
    // What the last owner drops may be a component's own data, with code behind it.
    let _ = catch_unwind(AssertUnwindSafe(|| drop(take(handle))));
}

/// A part of an error, lent by it; absent for a handle that is none.
fn part(error: *const promptweave_error, part: fn(&Told) -> Option<&str>) -> promptweave_str {
    of(error).map_or(promptweave_str::ABSENT, |told| promptweave_str::lent(part(&told)))
}

/// A stable name for tools, e.g. `no-variant`; lent by the error.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_error_code(error: *const promptweave_error) -> promptweave_str {
    part(error, |told| Some(told.error.code()))
}

/// What happened, as a sentence; lent by the error.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_error_message(error: *const promptweave_error) -> promptweave_str {
    part(error, |told| Some(told.error.message()))
}

/// What to do about it, or absent; lent by the error.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_error_help(error: *const promptweave_error) -> promptweave_str {
    part(error, |told| told.error.help())
}

/// The file that it is about, or absent; lent by the error.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_error_file(error: *const promptweave_error) -> promptweave_str {
    part(error, |told| told.file.as_deref())
}

/// The bytes of the file that it is about, from the first to behind the last. Returns 1 where that is known and written,
/// else 0.
///
/// # Safety
/// `start` and `end` are NULL or can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_error_span(
    error: *const promptweave_error,
    start: *mut usize,
    end: *mut usize,
) -> i32 {
    let Some(span) = of(error).ok().and_then(|told| told.error.span()) else { return 0 };
    if start.is_null() || end.is_null() {
        return 0;
    }
    // SAFETY: they are not NULL, so the caller vouches that they can be written to.
    unsafe {
        start.write(span.start);
        end.write(span.end);
    }
    1
}

/// The whole error as JSON: `{code, message, origin, help}`, as diagnostics are written; NULL for a handle that is none.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_error_json(error: *const promptweave_error) -> *mut promptweave_text {
    of(error).map_or(ptr::null_mut(), |told| give(told.error.to_json().to_string().into()))
}

/// Frees an error and what it lent.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_error_free(error: *mut promptweave_error) {
    free(error);
}
