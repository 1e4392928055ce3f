//! The numbers that fields of the tables hold.
//!
//! In: nothing. Out: newtypes with one constant per known number. Never: an enum, for the other side may
//! send a number of a later minor version, which is skipped rather than refused.

/// `WEAVE_KIND_*`: what an item is. Unknown kinds are skipped.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u32);

impl Kind {
    /// `call` writes the text of a section.
    pub const COMPONENT: Self = Self(1);
    /// `data` is a variant file's TOML as JSON; `*_file` keys are refused.
    pub const VARIANT: Self = Self(2);
    /// `call` says [`Status::OK`](crate::Status::OK) or [`Status::NOTHING`](crate::Status::NOTHING).
    pub const MATCHER: Self = Self(3);
    /// `call` with arguments writes text.
    pub const HELPER: Self = Self(4);
    /// `data` is a tool as JSON, or `call` writes it.
    pub const TOOL: Self = Self(5);
    /// `call` writes JSON, which is put at the context key `data`.
    pub const PROBE: Self = Self(6);
}

/// `WEAVE_CACHE_*`: how long what an item yields stays the same. Unknown ones count as volatile.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CacheClass(pub u32);

impl CacheClass {
    /// Fixed for a library, its configuration and the variant; it reads nothing.
    pub const STATIC: Self = Self(1);
    /// Fixed while the declared dependencies keep their values.
    pub const SESSION: Self = Self(2);
    /// May differ at every call; needs a reason.
    pub const VOLATILE: Self = Self(3);
}

/// `WEAVE_VAL_*`: what a [`Value`](crate::Value) holds.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueKind(pub u32);

impl ValueKind {
    /// JSON's `null`.
    pub const NULL: Self = Self(0);
    /// `true` or `false`.
    pub const BOOL: Self = Self(1);
    /// A number without fraction or exponent.
    pub const INT: Self = Self(2);
    /// Another number.
    pub const FLOAT: Self = Self(3);
    /// A string; the text is its own bytes, unless JSON was asked for.
    pub const STRING: Self = Self(4);
    /// A list.
    pub const ARRAY: Self = Self(5);
    /// A map.
    pub const OBJECT: Self = Self(6);
}

/// `WEAVE_LOG_*`: how grave a log line or a report is.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(pub u32);

impl Level {
    /// Something failed.
    pub const ERROR: Self = Self(1);
    /// Something is probably wrong.
    pub const WARN: Self = Self(2);
    /// Good to know.
    pub const INFO: Self = Self(3);
    /// For the author alone.
    pub const DEBUG: Self = Self(4);
}

/// A flag for `get` and `variant`: strings as JSON too.
pub const GET_JSON: u32 = 1;

/// A flag of an item: its calls get the whole context. It is then volatile.
pub const ITEM_WANTS_CONTEXT: u32 = 1;

/// A flag of a plugin: calls may overlap on one state. Flags from `1 << 16` on must be understood, lower
/// unknown ones are ignored.
pub const PLUGIN_THREAD_SAFE: u32 = 1;
