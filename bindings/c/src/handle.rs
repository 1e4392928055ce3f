//! Names for what a caller in C owns.
//!
//! In: values. Out: pointers that nobody follows: each is a number that no living handle has, on machines of 64 bits one
//! that none has had. Never: confuses a freed handle with a living one, or one type with another.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use promptweave_bindings::{Error, Misuse};

/// Numbers are far from each other, so that arithmetic on a handle does not lead to another one.
const STEP: usize = 64;

static NEXT: AtomicUsize = AtomicUsize::new(STEP);

/// How many handles live, of all types.
static LIVING: AtomicUsize = AtomicUsize::new(0);

/// The living handles of one type.
pub(crate) struct Handles<T>(RwLock<Option<HashMap<usize, Arc<T>>>>);

/// What a handle of C stands for.
pub(crate) trait Handle: Sized {
    /// What it names.
    type Value: 'static;

    /// What it is called in errors.
    const NAME: &str;

    /// The living ones.
    fn all() -> &'static Handles<Self::Value>;
}

impl<T> Handles<T> {
    /// None yet.
    pub(crate) const fn new() -> Self {
        Self(RwLock::new(None))
    }
}

/// Makes a handle.
pub(crate) fn give<H: Handle>(value: H::Value) -> *mut H {
    let mut living = H::all().0.write().unwrap_or_else(PoisonError::into_inner);
    let living = living.get_or_insert_default();
    // On machines of 32 bits the numbers come round some day: those that still live are passed over.
    let number = loop {
        let number = NEXT.fetch_add(STEP, Ordering::Relaxed);
        if number != 0 && !living.contains_key(&number) {
            break number;
        }
    };
    living.insert(number, Arc::new(value));
    LIVING.fetch_add(1, Ordering::Relaxed);
    std::ptr::without_provenance_mut(number)
}

/// What a handle stands for.
pub(crate) fn of<H: Handle>(handle: *const H) -> Result<Arc<H::Value>, Error> {
    if handle.is_null() {
        let message = format!("the {} is NULL", H::NAME);
        return Err(Error::new(Misuse::PointerNull, message, "give one that a call has made"));
    }
    let living = H::all().0.read().unwrap_or_else(PoisonError::into_inner);
    let found = living.as_ref().and_then(|living| living.get(&handle.addr()));
    found.cloned().ok_or_else(|| {
        let message = format!("this is no {}, or it was freed", H::NAME);
        Error::new(
            Misuse::HandleInvalid,
            message,
            "use a handle until it is freed, and free it once",
        )
    })
}

/// Ends a handle; what it stood for lives on while calls use it.
pub(crate) fn take<H: Handle>(handle: *const H) -> Option<Arc<H::Value>> {
    let mut living = H::all().0.write().unwrap_or_else(PoisonError::into_inner);
    let taken = living.as_mut()?.remove(&handle.addr());
    LIVING.fetch_sub(usize::from(taken.is_some()), Ordering::Relaxed);
    taken
}

/// How many handles live: 0 when a host has freed all that it owns, which its tests may want to know. Whatever was not freed is
/// still reached by the library, and no leak to the tools that look for leaks.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_handles() -> usize {
    LIVING.load(Ordering::Relaxed)
}

/// Says what a handle stands for.
macro_rules! handle {
    ($name:ident, $value:ty, $shown:literal) => {
        impl $crate::handle::Handle for $name {
            type Value = $value;

            const NAME: &str = $shown;

            fn all() -> &'static $crate::handle::Handles<$value> {
                static ALL: $crate::handle::Handles<$value> = $crate::handle::Handles::new();
                &ALL
            }
        }
    };
}
pub(crate) use handle;
