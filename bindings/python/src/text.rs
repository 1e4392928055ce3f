//! The bytes of Python's strings.
//!
//! In: strings. Out: their UTF-8, lent. Never: copies; takes lone surrogates.

use std::ffi::c_char;
use std::{ptr, slice, str};

use promptweave_bindings::limited;
use pyo3::ffi::{Py_ssize_t, PyObject};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::error::done;

unsafe extern "C" {
    /// Every CPython since 3.3 exports it; `pyo3` offers it from 3.10 on alone, when it became a part of the stable ABI.
    fn PyUnicode_AsUTF8AndSize(text: *mut PyObject, size: *mut Py_ssize_t) -> *const c_char;
}

/// The UTF-8 of a string, which the string keeps.
pub(crate) fn utf8<'t>(text: &'t Bound<'_, PyString>) -> PyResult<&'t str> {
    let mut size = 0;
    // SAFETY: it is a string, the interpreter is held, and there is a place for the size.
    let start = unsafe { PyUnicode_AsUTF8AndSize(text.as_ptr(), ptr::from_mut(&mut size)) };
    let size = usize::try_from(size).unwrap_or_default();
    if start.is_null() {
        return Err(PyErr::fetch(text.py()));
    }
    // SAFETY: there are so many bytes of UTF-8, and they live and stay as they are as long as the string, which is borrowed.
    Ok(unsafe { str::from_utf8_unchecked(slice::from_raw_parts(start.cast(), size)) })
}

/// The same of a string that is not too large.
pub(crate) fn utf8_limited<'t>(text: &'t Bound<'_, PyString>) -> PyResult<&'t str> {
    let utf8 = utf8(text)?;
    done(text.py(), limited(utf8.len()))?;
    Ok(utf8)
}
