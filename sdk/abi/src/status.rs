//! What a call across the border says when it returns.
//!
//! In: a number. Out: what it means. Never: text; that goes through the host's `set_error`.

/// `weave_status`: 0 is fine, above it is fine with a meaning, below it is a failure. A failure that is
/// not known counts as [`E_PLUGIN`](Self::E_PLUGIN).
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Status(pub i32);

impl Status {
    /// It worked. A matcher: yes.
    pub const OK: Self = Self(0);
    /// A component: no section. A matcher: no match. `get`, `variant`, `section`: not there.
    pub const NOTHING: Self = Self(1);
    /// A bad pointer, path or UTF-8.
    pub const E_ARG: Self = Self(-1);
    /// The handshake was refused.
    pub const E_VERSION: Self = Self(-2);
    /// A key or section that the item did not declare.
    pub const E_UNDECLARED: Self = Self(-3);
    /// The output is at its limit: stop, and return this.
    pub const E_LIMIT: Self = Self(-4);
    /// The deadline has passed: return soon.
    pub const E_CANCELLED: Self = Self(-5);
    /// The other side cannot do this.
    pub const E_UNSUPPORTED: Self = Self(-6);
    /// The context lacks what the item needs.
    pub const E_CONTEXT: Self = Self(-7);
    /// A failure of the plugin's own; `set_error` has its text.
    pub const E_PLUGIN: Self = Self(-8);
    /// An unwinding was caught; the host retires the instance.
    pub const E_PANIC: Self = Self(-9);

    /// Whether it is a failure, a known one or not.
    pub const fn is_failure(self) -> bool {
        self.0 < 0
    }

    /// The constant's name without its prefix, such as `E_LIMIT`; none for a number that 1.0 lacks.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::OK => "OK",
            Self::NOTHING => "NOTHING",
            Self::E_ARG => "E_ARG",
            Self::E_VERSION => "E_VERSION",
            Self::E_UNDECLARED => "E_UNDECLARED",
            Self::E_LIMIT => "E_LIMIT",
            Self::E_CANCELLED => "E_CANCELLED",
            Self::E_UNSUPPORTED => "E_UNSUPPORTED",
            Self::E_CONTEXT => "E_CONTEXT",
            Self::E_PLUGIN => "E_PLUGIN",
            Self::E_PANIC => "E_PANIC",
            _ => return None,
        })
    }
}
