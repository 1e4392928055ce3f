//! The structs that the two sides show each other.
//!
//! In: nothing. Out: `repr(C)` structs, fields in the header's order. Never: a Rust type with a layout of
//! its own, an owner, or a reference; a table from outside may be shorter than these structs.

use core::ffi::c_void;
use core::marker::{PhantomData, PhantomPinned};
use core::mem::offset_of;

use crate::{CacheClass, Kind, Level, Status, Str, ValueKind};

/// `weave_ctx`: one call on one thread; nothing after its return.
#[repr(C)]
pub struct Ctx {
    opaque: [u8; 0],
    not_send: PhantomData<(*mut u8, PhantomPinned)>,
}

/// An item's work: `state` is what `init` made, else null.
pub type CallFn = unsafe extern "C" fn(state: *mut c_void, call: *const Call) -> Status;
/// Makes a state; [`Call::args`] is the configuration as JSON.
pub type InitFn = unsafe extern "C" fn(call: *const Call, state: *mut *mut c_void) -> Status;
/// Ends a state; no call is running, none follows.
pub type DeinitFn = unsafe extern "C" fn(state: *mut c_void);
/// The entry: hands out the table and nothing else, the same pointer every time.
pub type EntryFn = unsafe extern "C" fn(host: *const HostApi, out: *mut *const Plugin) -> Status;

/// The entry of a plugin that is linked into the host's own program, as a handle that safe code can pass
/// on; a library's entry comes from its symbol instead.
#[derive(Clone, Copy, Debug)]
pub struct Entry(EntryFn);

impl Entry {
    /// Vouches for an entry.
    ///
    /// # Safety
    /// `entry` keeps to the header: called with a host's table that lives until the process ends, it
    /// hands out a sound table, and neither it nor a function of the table lets an unwinding out.
    pub const unsafe fn new(entry: EntryFn) -> Self {
        Self(entry)
    }

    /// The function itself.
    pub const fn as_fn(self) -> EntryFn {
        self.0
    }
}

/// `weave_value`: made by the plugin, filled by the host; its text is borrowed until the call returns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Value {
    /// Set by the plugin.
    pub struct_size: u32,
    /// What the text is.
    pub kind: ValueKind,
    /// A string's own bytes; JSON text for other kinds.
    pub text: Str,
    /// Zero.
    pub reserved: [u64; 2],
}

/// `weave_host_api`: what the host does for a plugin; it lives until the process ends. No function is
/// null. All but `log` and `extension` need the [`Ctx`] of the current call, on its own thread.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct HostApi {
    /// The size that the host knows.
    pub struct_size: u32,
    /// The host's major version.
    pub abi_major: u16,
    /// The host's minor version.
    pub abi_minor: u16,
    /// For messages.
    pub host_name: Str,
    /// For messages.
    pub host_version: Str,
    /// Reads a context key: dotted, or a JSON pointer when it begins with `/`.
    pub get: unsafe extern "C" fn(*mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status,
    /// Reads a fact of the variant in the same way.
    pub variant: unsafe extern "C" fn(*mut Ctx, key: Str, flags: u32, out: *mut Value) -> Status,
    /// Reads an earlier section.
    pub section: unsafe extern "C" fn(*mut Ctx, item_id: Str, out: *mut Str) -> Status,
    /// Appends to the output, which is copied. A failure is sticky: the call then fails.
    pub write: unsafe extern "C" fn(*mut Ctx, text: Str) -> Status,
    /// Says why the call will fail.
    pub set_error: unsafe extern "C" fn(*mut Ctx, code: Status, message: Str) -> Status,
    /// [`Status::OK`] or [`Status::E_CANCELLED`].
    pub cancelled: unsafe extern "C" fn(*mut Ctx) -> Status,
    /// Logs a line; the context may be null during `init` and `deinit`.
    pub log: unsafe extern "C" fn(*mut Ctx, level: Level, message: Str),
    /// Finds an extension such as `weave.origin/1`; null when it is not offered.
    pub extension: unsafe extern "C" fn(id: Str) -> *const c_void,
    /// Adds a diagnostic to the result; the help may be absent.
    pub report: unsafe extern "C" fn(
        *mut Ctx,
        severity: Level,
        code: Str,
        message: Str,
        help: Str,
    ) -> Status,
    /// Says something about the output, such as `title` or `cache` (only towards volatile), as JSON.
    pub meta: unsafe extern "C" fn(*mut Ctx, key: Str, json: Str) -> Status,
    /// Zero.
    pub reserved: [u64; 4],
}

/// `weave_call`: one call, or one `init`. Its texts live until it returns.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The size that the host knows.
    pub struct_size: u32,
    /// Zero in 1.0.
    pub flags: u32,
    /// The host's functions.
    pub host: *const HostApi,
    /// To be passed to them.
    pub ctx: *mut Ctx,
    /// Which item; absent during `init`.
    pub item_id: Str,
    /// Which variant; absent where there is none yet.
    pub variant_id: Str,
    /// For helpers a JSON array; for `init` the configuration as JSON.
    pub args: Str,
    /// The whole context as JSON, only with [`ITEM_WANTS_CONTEXT`](crate::ITEM_WANTS_CONTEXT).
    pub context: Str,
    /// Microseconds left at entry; 0: not told.
    pub budget_us: u64,
    /// Zero.
    pub reserved: [u64; 4],
}

/// `weave_item`: one thing that a plugin offers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// The size that the plugin knows.
    pub struct_size: u32,
    /// What it is.
    pub kind: Kind,
    /// Unique per kind.
    pub id: Str,
    /// One sentence.
    pub description: Str,
    /// The context keys that it reads; one covers what lies under it.
    pub deps: *const Str,
    /// How many.
    pub deps_count: u32,
    /// How long its output stays the same.
    pub cache_class: CacheClass,
    /// Why, if it is volatile.
    pub cache_reason: Str,
    /// JSON, or a probe's key, by kind.
    pub data: Str,
    /// Its work, if its kind has any.
    pub call: Option<CallFn>,
    /// The ids of the earlier sections that it reads.
    pub sections: *const Str,
    /// How many.
    pub sections_count: u32,
    /// [`ITEM_WANTS_CONTEXT`](crate::ITEM_WANTS_CONTEXT).
    pub flags: u32,
    /// Zero.
    pub reserved: [u64; 4],
}

/// `weave_plugin`: the table; static, and unchanged until the process ends.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    /// The size that the plugin knows.
    pub struct_size: u32,
    /// The major version that it was compiled against.
    pub abi_major: u16,
    /// The minor version that it was compiled against.
    pub abi_minor: u16,
    /// The minor version that it needs.
    pub min_host_minor: u16,
    /// Zero.
    pub reserved0: u16,
    /// [`PLUGIN_THREAD_SAFE`](crate::PLUGIN_THREAD_SAFE).
    pub flags: u32,
    /// Names the plugin.
    pub name: Str,
    /// Its own version, in its own form.
    pub version: Str,
    /// One sentence, or absent.
    pub description: Str,
    /// An SPDX expression, or absent.
    pub license: Str,
    /// A URL, or absent.
    pub homepage: Str,
    /// The items, each `items_stride` bytes after the one before.
    pub items: *const Item,
    /// How many.
    pub items_count: u32,
    /// The plugin's own size of an item.
    pub items_stride: u32,
    /// Makes a state; several may live at once.
    pub init: Option<InitFn>,
    /// Ends a state.
    pub deinit: Option<DeinitFn>,
    /// Zero.
    pub reserved: [u64; 6],
}

// SAFETY: the pointers lead to what never changes while the process lives, and each read through them is
// unsafe; the functions may be called from any thread.
unsafe impl Send for Item {}
// SAFETY: as above.
unsafe impl Sync for Item {}
// SAFETY: as for `Item`.
unsafe impl Send for Plugin {}
// SAFETY: as for `Item`.
unsafe impl Sync for Plugin {}

impl Value {
    /// The least `struct_size`.
    pub const SIZE_1_0: usize = offset_of!(Self, reserved) + 2 * size_of::<u64>();

    /// An empty one for the host to fill.
    pub const EMPTY: Self = Self {
        struct_size: size_of::<Self>() as u32,
        kind: ValueKind::NULL,
        text: Str::ABSENT,
        reserved: [0; 2],
    };
}

impl HostApi {
    /// The least `struct_size`.
    pub const SIZE_1_0: usize = offset_of!(Self, reserved) + 4 * size_of::<u64>();
}

impl Call {
    /// The least `struct_size`.
    pub const SIZE_1_0: usize = offset_of!(Self, reserved) + 4 * size_of::<u64>();
}

impl Item {
    /// The least `struct_size`.
    pub const SIZE_1_0: usize = offset_of!(Self, reserved) + 4 * size_of::<u64>();
}

impl Plugin {
    /// The least `struct_size`.
    pub const SIZE_1_0: usize = offset_of!(Self, reserved) + 6 * size_of::<u64>();
}
