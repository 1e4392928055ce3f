//! The functions that stand in the table.
//!
//! In: what the host passes. Out: an author's function, called behind the barrier, and its outcome as a
//! status. Never: one of them that an author writes; each is generic over a trait of `items`.

use std::ffi::c_void;

use promptweave_abi::{ABI_MAJOR, Call, HostApi, Plugin, Status};

use crate::barrier::{checked, enter, shield};
use crate::{Component, Cx, Error, Helper, Matcher, Probe, Section};

/// What `export_plugin!` puts together.
///
/// # Safety
/// `table` hands out what `table::plugin` made for this very type, of items for its state.
pub unsafe trait Definition: 'static {
    /// What `init` makes; calls on it may overlap.
    type State: Send + Sync + 'static;

    /// The table.
    fn table() -> &'static Plugin;

    /// Makes a state from the configuration, a JSON text.
    fn init(config: &str) -> Result<Self::State, Error>;
}

/// A state, and whom to tell when its end goes wrong.
struct Instance<S> {
    host: &'static HostApi,
    state: S,
}

/// # Safety
/// As the header says of the entry.
pub unsafe extern "C" fn entry<D: Definition>(
    host: *const HostApi,
    out: *mut *const Plugin,
) -> Status {
    if host.is_null() || !host.is_aligned() || out.is_null() {
        return Status::E_ARG;
    }
    // SAFETY: it can be read; every host's table begins with its size and this, whatever its major version.
    let major = unsafe { (&raw const (*host).abi_major).read() };
    // A reference only to a table of our own major: what another one holds may be no `HostApi`.
    // SAFETY: of our major version, so it keeps to the header.
    if major != ABI_MAJOR || unsafe { checked(host, HostApi::SIZE_1_0) }.is_none() {
        return Status::E_VERSION;
    }
    // SAFETY: not null; the header asks for room for a pointer.
    unsafe { out.write(D::table()) };
    Status::OK
}

/// # Safety
/// As the header says of `init`.
pub(crate) unsafe extern "C" fn init<D: Definition>(
    call: *const Call,
    out: *mut *mut c_void,
) -> Status {
    let work = |cx: &mut Cx<'_>| {
        if out.is_null() {
            return Err(Error::new(Status::E_ARG, "`init` got no place for the state"));
        }
        let instance = Instance { host: cx.host(), state: D::init(cx.args())? };
        // SAFETY: not null; the header asks for room for a pointer.
        unsafe { out.write(Box::into_raw(Box::new(instance)).cast()) };
        Ok(Status::OK)
    };
    // SAFETY: the call is the host's.
    unsafe { enter(call, work) }
}

/// # Safety
/// As the header says of `deinit`: `state` is what `init` of the same plugin made, no call is running, and
/// none follows.
pub(crate) unsafe extern "C" fn deinit<D: Definition>(state: *mut c_void) {
    if state.is_null() {
        return;
    }
    // SAFETY: made by `init` of the same definition, and given back once.
    let instance = *unsafe { Box::from_raw(state.cast::<Instance<D::State>>()) };
    shield(instance.host, || drop(instance.state));
}

/// # Safety
/// As the header says of a call: `state` is what `init` of the same plugin made.
unsafe fn run<S: Send + Sync + 'static>(
    state: *mut c_void,
    call: *const Call,
    work: impl FnOnce(&S, &mut Cx<'_>) -> Result<Status, Error>,
) -> Status {
    let work = |cx: &mut Cx<'_>| {
        if state.is_null() {
            return Err(Error::new(Status::E_ARG, "the call came without the state of `init`"));
        }
        // SAFETY: made by `init` with this type, and alive until `deinit`; calls may overlap, hence the
        // shared reference and `Sync`.
        let instance = unsafe { &*state.cast::<Instance<S>>() };
        work(&instance.state, cx)
    };
    // SAFETY: the call is the host's.
    unsafe { enter(call, work) }
}

/// # Safety
/// As the header says of a call.
pub(crate) unsafe extern "C" fn component<S, C>(state: *mut c_void, call: *const Call) -> Status
where
    S: Send + Sync + 'static,
    C: Component<S>,
{
    let work = |state: &S, cx: &mut Cx<'_>| match C::render(state, cx)? {
        Section::Nothing => Ok(Status::NOTHING),
        Section::Written => Ok(Status::OK),
    };
    // SAFETY: the host's promise is the same.
    unsafe { run(state, call, work) }
}

/// # Safety
/// As the header says of a call.
pub(crate) unsafe extern "C" fn matcher<S, M>(state: *mut c_void, call: *const Call) -> Status
where
    S: Send + Sync + 'static,
    M: Matcher<S>,
{
    let work = |state: &S, cx: &mut Cx<'_>| match M::matches(state, cx)? {
        true => Ok(Status::OK),
        false => Ok(Status::NOTHING),
    };
    // SAFETY: the host's promise is the same.
    unsafe { run(state, call, work) }
}

/// # Safety
/// As the header says of a call.
pub(crate) unsafe extern "C" fn helper<S, H>(state: *mut c_void, call: *const Call) -> Status
where
    S: Send + Sync + 'static,
    H: Helper<S>,
{
    let work = |state: &S, cx: &mut Cx<'_>| H::help(state, cx).map(|()| Status::OK);
    // SAFETY: the host's promise is the same.
    unsafe { run(state, call, work) }
}

/// # Safety
/// As the header says of a call.
pub(crate) unsafe extern "C" fn probe<S, P>(state: *mut c_void, call: *const Call) -> Status
where
    S: Send + Sync + 'static,
    P: Probe<S>,
{
    let work = |state: &S, cx: &mut Cx<'_>| P::probe(state, cx).map(|()| Status::OK);
    // SAFETY: the host's promise is the same.
    unsafe { run(state, call, work) }
}
