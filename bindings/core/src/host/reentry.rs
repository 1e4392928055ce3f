//! Tells whether a thread is inside a component of the host.
//!
//! In: calls. Out: whether the engine was called from within one. Never: blocks.

use std::cell::Cell;

use crate::error::{Error, Misuse};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    Inside,
    /// Inside, and the engine was called.
    Reentered,
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place::Outside) };
}

/// Leaves the component also when it panics.
struct Leave(Place);

impl Drop for Leave {
    fn drop(&mut self) {
        PLACE.set(self.0);
    }
}

/// Runs the code of a component: whoever calls an engine or a session from within is refused. None when it did so,
/// whatever it answers then. A binding whose components run on a thread of their own wraps the call there.
pub fn inside_component<T>(call: impl FnOnce() -> T) -> Option<T> {
    let leave = Leave(PLACE.replace(Place::Inside));
    let answer = call();
    let has_reentered = PLACE.get() == Place::Reentered;
    drop(leave);
    (!has_reentered).then_some(answer)
}

/// Refuses a call that comes from within a component.
pub(crate) fn outside() -> Result<(), Error> {
    if PLACE.get() == Place::Outside {
        return Ok(());
    }
    PLACE.set(Place::Reentered);
    Err(Error::new(
        Misuse::EngineReentered,
        "a component called the engine that waits for it",
        "build before, and give the component what it needs in the context",
    ))
}
