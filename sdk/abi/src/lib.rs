//! The C ABI of promptweave's plugins: the twin of `sdk/include/promptweave.h`, name by name.
//!
//! In: nothing. Out: `repr(C)` structs, constants and the names of the symbols, for both sides of the
//! border. Never: allocates, calls, logs or checks; whoever reads a table from outside checks it.
//!
//! Names lose the prefix `weave_` and follow Rust's habits: `weave_host_api` is [`HostApi`],
//! `WEAVE_E_LIMIT` is [`Status::E_LIMIT`]. A test compiles the header and compares every size, offset
//! and constant.
//!
//! **Growth.** Each struct begins with `struct_size`, set by whoever fills it; fields are only
//! appended, and a released one never changes. So a struct from outside may end before the fields of
//! this crate do: stay behind a raw pointer, and ask [`has!`] before reading what is younger than 1.0.
//! Each struct's `SIZE_1_0` is the least it may be. This crate is frozen per major.
#![no_std]

mod constants;
mod origin;
mod status;
mod str;
mod tables;

pub use constants::{
    CacheClass, GET_JSON, ITEM_WANTS_CONTEXT, Kind, Level, PLUGIN_THREAD_SAFE, ValueKind,
};
pub use origin::{ORIGIN_EXTENSION, OriginExtension};
pub use status::Status;
pub use str::Str;
pub use tables::{
    Call, CallFn, Ctx, DeinitFn, Entry, EntryFn, HostApi, InitFn, Item, Plugin, Value,
};

/// The major version that this crate describes; it is also in the name of the entry symbol.
pub const ABI_MAJOR: u16 = 1;

/// The minor version: one more for every appended field, constant or host function.
pub const ABI_MINOR: u16 = 0;

/// The one symbol that every plugin exports: an [`EntryFn`].
pub const ENTRY_SYMBOL: &str = "weave_plugin_entry_v1";

/// The symbol of the embedded manifest: the text of a `plugin.toml`, ended by a NUL byte.
pub const MANIFEST_SYMBOL: &str = "weave_manifest_v1";

/// Whether a struct of the size `$struct_size` (its first field) reaches to the end of `$field`.
///
/// ```
/// use promptweave_abi::{has, Item};
/// assert!(has!(Item::SIZE_1_0, Item, flags));
/// assert!(!has!(8, Item, flags));
/// ```
#[macro_export]
macro_rules! has {
    ($struct_size:expr, $type:ty, $field:ident) => {
        ($struct_size as usize)
            >= ::core::mem::offset_of!($type, $field)
                + $crate::__size_of_field(|it: &$type| &it.$field)
    };
}

#[doc(hidden)]
pub const fn __size_of_field<T, F>(_: fn(&T) -> &F) -> usize {
    size_of::<F>()
}
