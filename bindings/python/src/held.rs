//! What belongs to whoever holds the interpreter.
//!
//! In: a value. Out: the value, to one thread at a time. Never: locks: to lock and to open again costs as much as a push.

use std::cell::RefCell;

use pyo3::Python;

/// A value that is used while the interpreter is held.
pub(crate) struct Held<T>(RefCell<T>);

// SAFETY: `with` alone reaches the value, and it wants the interpreter, which one thread holds at a time: interpreters
// without that lock load no extension of the stable interface. The value may come to another thread, for `T` is `Send`.
unsafe impl<T: Send> Sync for Held<T> {}

impl<T> Held<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(RefCell::new(value))
    }

    /// Uses it. No code of Python may run meanwhile, for it could use it again: nothing of Python's is made or dropped.
    pub(crate) fn with<R>(&self, _held: Python<'_>, work: impl FnOnce(&mut T) -> R) -> R {
        work(&mut self.0.borrow_mut())
    }
}
