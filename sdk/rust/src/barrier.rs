//! Where unwinding ends.
//!
//! In: what the host passed to a function of the table, and the work. Out: a status, and a text for the
//! host if it is a failure. Never: lets a panic out, or drops one: a payload may panic in its turn.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

use promptweave_abi::{Call, HostApi, Level, Status, Str};

use crate::{Cx, Error};

/// Runs the work of one call.
///
/// # Safety
/// `call` is null, or keeps to the header until this returns.
pub(crate) unsafe fn enter(
    call: *const Call,
    work: impl FnOnce(&mut Cx<'_>) -> Result<Status, Error>,
) -> Status {
    // SAFETY: the caller's promise.
    let Some(call) = (unsafe { checked(call, Call::SIZE_1_0) }) else {
        return Status::E_ARG;
    };
    // SAFETY: the header asks for a host's table here; it lives until the process ends.
    let Some(host) = (unsafe { checked(call.host, HostApi::SIZE_1_0) }) else {
        return Status::E_ARG;
    };
    // The state may be left half changed; the host retires it after a panic.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: both were checked, and this is the thread of the call.
        work(&mut unsafe { Cx::new(host, call) }?)
    }));
    match outcome {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => fail(host, call, error.status(), error.message()),
        Err(payload) => fail(host, call, Status::E_PANIC, &text_of(payload)),
    }
}

/// Runs what has no call to answer: the end of a state.
pub(crate) fn shield(host: &HostApi, work: impl FnOnce()) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(work)) {
        let text = text_of(payload);
        // SAFETY: this is `deinit`, where the host's log takes a null context; it copies.
        unsafe { (host.log)(std::ptr::null_mut(), Level::ERROR, Str::new(&text)) };
    }
}

// A reference to a struct of the host is sound only while 1.0 is all that this crate knows of it; with
// the first appended field this line asks for `has!`.
const _: () = assert!(size_of::<Call>() == Call::SIZE_1_0);
const _: () = assert!(size_of::<HostApi>() == HostApi::SIZE_1_0);

/// A struct of the host, if it is there and as long as 1.0 has it.
///
/// # Safety
/// `it` is null, or leads to a struct that begins with its size, keeps to the header and lives for `'a`.
pub(crate) unsafe fn checked<'a, T>(it: *const T, least: usize) -> Option<&'a T> {
    if it.is_null() || !it.is_aligned() {
        return None;
    }
    // SAFETY: every struct of the header begins with its size.
    let size = unsafe { *it.cast::<u32>() };
    // SAFETY: it is as long as `T`, by its own word and by the two lines above.
    (size as usize >= least).then(|| unsafe { &*it })
}

fn fail(host: &HostApi, call: &Call, status: Status, text: &str) -> Status {
    // `init` may come without a context; its text then goes to the log.
    if call.ctx.is_null() {
        // SAFETY: the host's log takes a null context during `init`.
        unsafe { (host.log)(call.ctx, Level::ERROR, Str::new(text)) };
    } else {
        // SAFETY: the host's own function, with its context, on the call's thread; it copies.
        unsafe { (host.set_error)(call.ctx, status, Str::new(text)) };
    }
    status
}

fn text_of(payload: Box<dyn Any + Send>) -> String {
    let text = match (payload.downcast_ref::<&str>(), payload.downcast_ref::<String>()) {
        (Some(text), _) => format!("panic: {text}"),
        (None, Some(text)) => format!("panic: {text}"),
        (None, None) => "panic".to_owned(),
    };
    mem::forget(payload);
    text
}
