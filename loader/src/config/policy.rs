//! What the user allows of plugins at all.
//!
//! In: `[policy]`. Out: a [`Policy`]. Never: takes the looser of two readings.

pub use crate::limits::SandboxPolicy;
use crate::reader::Table;

/// Where native plugins may run at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum NativePolicy {
    /// In a child process.
    #[default]
    Process,
    /// In the host's process where the trust entry grants that, else in a child.
    InProc,
    /// Nowhere.
    Off,
}

/// What makes a plugin trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Require {
    /// An entry in `plugins.lock`.
    #[default]
    Lock,
    /// That, and a signature by a pinned key.
    LockAndSignature,
    /// Nothing; warned of at each start.
    Off,
}

/// What the user allows of plugins at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Policy {
    /// `isolation = "process" | "inproc" | "off"`.
    pub isolation: NativePolicy,
    /// `require = "lock" | "lock+signature" | "off"`.
    pub require: Require,
    /// `sandbox = "best-effort" | "require" | "off"`.
    pub sandbox: SandboxPolicy,
}

impl Policy {
    /// What counts when the user's words cannot be read.
    pub const STRICTEST: Self = Self {
        isolation: NativePolicy::Off,
        require: Require::LockAndSignature,
        sandbox: SandboxPolicy::Require,
    };
}

const KEYS: &[&str] = &["isolation", "require", "sandbox"];
const ISOLATION: &[(&str, NativePolicy)] = &[
    ("process", NativePolicy::Process),
    ("inproc", NativePolicy::InProc),
    ("off", NativePolicy::Off),
];
const REQUIRE: &[(&str, Require)] = &[
    ("lock", Require::Lock),
    ("lock+signature", Require::LockAndSignature),
    ("off", Require::Off),
];
const SANDBOX: &[(&str, SandboxPolicy)] = &[
    ("best-effort", SandboxPolicy::BestEffort),
    ("require", SandboxPolicy::Require),
    ("off", SandboxPolicy::Off),
];

pub(super) fn read(root: Table<'_>) -> Policy {
    let Some(value) = root.get("policy") else { return Policy::default() };
    let Some(table) = value.table() else { return Policy::STRICTEST };
    let strictest = Policy::STRICTEST;
    // A key that is not known may be one that narrows.
    if let Some(unknown) = table.all().find(|value| !KEYS.contains(&value.name)) {
        let message = format!("`{}` is not a key of `[policy]`", unknown.name);
        let help =
            "its keys are `isolation`, `require`, `sandbox`; until then the strictest counts";
        unknown.refuse(message, help);
        return strictest;
    }
    let off = table.get("require").filter(|value| value.is("off"));
    if let Some(value) = off {
        let help = "use `lock`; `promptweave plugin trust` writes the entries";
        value.warn("every plugin of yours is loaded, trusted or not", help);
    }
    Policy {
        isolation: word(table, "isolation", ISOLATION, strictest.isolation),
        require: word(table, "require", REQUIRE, strictest.require),
        sandbox: word(table, "sandbox", SANDBOX, strictest.sandbox),
    }
}

fn word<T: Copy + Default>(table: Table<'_>, key: &str, words: &[(&str, T)], strictest: T) -> T {
    match table.get(key) {
        None => T::default(),
        Some(value) => value.choice(words).unwrap_or(strictest),
    }
}
