//! All checks, in the order in which they run.
//!
//! In: a name. Out: what it checks and how. Never: two checks that look at the same thing.

mod calls;
mod endurance;
mod files;
mod life;
mod loading;
mod promises;
mod table;

use std::fmt;

use promptweave_loader::Keys;

use crate::scene::{Scene, Verdict};
use crate::target::Target;

/// One check.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Check {
    /// Its name, such as `call-null`; it stays.
    pub name: &'static str,
    /// One sentence: what a plugin that passes does.
    pub about: &'static str,
    /// How far it goes.
    pub stage: Stage,
    pub(crate) body: Body,
}

/// How far a check goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// It reads files and loads nothing.
    Files,
    /// It loads the library.
    Loading,
    /// It reads the table.
    Table,
    /// It makes and ends states.
    Life,
    /// It calls items.
    Calls,
    /// It compares what calls give with what the table promises.
    Promises,
    /// It makes many calls.
    Endurance,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Files,
        Self::Loading,
        Self::Table,
        Self::Life,
        Self::Calls,
        Self::Promises,
        Self::Endurance,
    ];

    /// `files`, `loading`, `table`, `life`, `calls`, `promises` or `endurance`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Files => "files",
            Self::Loading => "loading",
            Self::Table => "table",
            Self::Life => "life",
            Self::Calls => "calls",
            Self::Promises => "promises",
            Self::Endurance => "endurance",
        }
    }

    /// One sentence: what its checks have in common.
    pub fn about(self) -> &'static str {
        match self {
            Self::Files => {
                "They read the library, `plugin.toml` and the signature, and run no code."
            }
            Self::Loading => "Loading and asking for the table is something that nobody notices.",
            Self::Table => "The entry answers any host, and the table is what the header says.",
            Self::Life => "States are made from any configuration, and end without a trace.",
            Self::Calls => "Whatever a call is given and whatever the host refuses, it comes back.",
            Self::Promises => "Items read what they declare, and are as stable as they say.",
            Self::Endurance => "Many calls cost what few calls cost.",
        }
    }
}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Check").field("name", &self.name).field("stage", &self.stage).finish()
    }
}

/// What a check runs.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    /// In the process that reports.
    Files(fn(&Target) -> Verdict),
    /// The same, with the keys that the user has pinned.
    Signature(fn(&Target, &Keys) -> Verdict),
    /// In a process of its own.
    Code(fn(&Scene) -> Verdict),
    /// The same, and again when it fails, for what depends on how busy the machine is.
    Timed(fn(&Scene) -> Verdict),
}

const fn check(stage: Stage, name: &'static str, body: Body, about: &'static str) -> Check {
    Check { name, about, stage, body }
}

use Body::{Code, Timed};
use Stage::{Calls, Endurance, Life, Loading, Promises, Table};

/// Every check, in the order in which they run.
pub fn checks() -> &'static [Check] {
    CHECKS
}

#[rustfmt::skip]
const CHECKS: &[Check] = &[
    check(Stage::Files, "manifest-schema", Body::Files(files::manifest_schema), "`plugin.toml` has the known keys with values of their types."),
    check(Stage::Files, "manifest-hash", Body::Files(files::manifest_hash), "The digest that `plugin.toml` lists is the library's."),
    check(Stage::Files, "manifest-embedded-same", Body::Files(files::manifest_embedded_same), "The manifest in the library says of the plugin and its items what `plugin.toml` says."),
    check(Stage::Files, "object-target", Body::Files(files::object_target), "The file is a shared library for this machine."),
    check(Stage::Files, "object-entry", Body::Files(files::object_entry), "It exports `weave_plugin_entry_v1`."),
    check(Stage::Files, "object-exports", Body::Files(files::object_exports), "It exports nothing else but `weave_*`; weak symbols warn."),
    check(Stage::Files, "object-needed", Body::Files(files::object_needed), "It needs usual libraries, has no relative search path and wants no executable stack."),
    check(Stage::Files, "object-glibc-floor", Body::Files(files::object_glibc_floor), "It asks for no newer glibc than `glibc` in `validate.toml`; above 2.35 warns."),
    check(Stage::Files, "object-go-runtime", Body::Files(files::object_go_runtime), "A Go library asks for a process of its own."),
    check(Stage::Files, "object-calls-exit", Body::Files(files::object_calls_exit), "It imports nothing that ends or copies the process; warns."),
    check(Stage::Files, "signature", Body::Signature(files::signature), "The signature is one of the pinned key over `plugin.toml`."),
    check(Loading, "load-now-local", Code(loading::now_local), "It loads with every symbol bound at once and none shared."),
    check(Loading, "load-time", Timed(loading::time), "It loads within 100 ms."),
    check(Loading, "load-silent", Code(loading::silent), "It prints nothing, makes no file, leaves nothing open."),
    check(Loading, "load-no-threads", Code(loading::no_threads), "It starts no thread."),
    check(Loading, "load-no-env", Code(loading::no_env), "It leaves the environment alone."),
    check(Loading, "load-no-signals", Code(loading::no_signals), "It leaves the handlers of signals alone."),
    check(Loading, "load-no-cwd", Code(loading::no_cwd), "It leaves the current folder, the mask of new files and the locale alone."),
    check(Loading, "load-twice-processes", Code(loading::twice), "Two processes load it at the same time."),
    check(Table, "entry-same-pointer", Code(table::same_pointer), "The entry gives the same table each time."),
    check(Table, "entry-refuses-major", Code(table::refuses_major), "The entry refuses a host of another major version."),
    check(Table, "entry-older-minor", Code(table::older_minor), "The entry takes hosts of a later minor version, and of the lowest that the table asks for."),
    check(Table, "entry-short-host", Code(table::short_host), "The entry reads no further than the `struct_size` of the host's table."),
    check(Table, "table-utf8", Code(table::utf8), "The table's texts are UTF-8, and at most 64 KiB (data: 1 MiB)."),
    check(Table, "table-ids", Code(table::ids), "The name and the ids have their shape, each id once per kind."),
    check(Table, "table-deps-grammar", Code(table::deps_grammar), "Declared keys are dotted paths, declared sections are ids."),
    check(Table, "table-reserved-zero", Code(table::reserved_zero), "Reserved fields and unknown flags are zero."),
    check(Table, "table-stride", Code(table::stride), "Sizes, counts, distances and addresses can be."),
    check(Table, "table-volatile-reason", Code(table::volatile_reason), "A volatile component says why, a static one declares no key."),
    check(Table, "table-matches-manifest", Code(table::matches_manifest), "The table says what `plugin.toml` says."),
    check(Table, "data-json", Code(table::data_json), "Data of variants and tools is JSON, a probe's is a context key; other items have code."),
    check(Life, "init-empty-config", Code(life::empty_config), "`init` takes an empty configuration, or says what it lacks."),
    check(Life, "init-bad-config", Code(life::bad_config), "`init` survives odd configurations; a refusal has a text."),
    check(Life, "init-deinit-100", Code(life::init_deinit), "100 states, two at a time, are made and ended."),
    check(Life, "deinit-stops-threads", Code(life::stops_threads), "After `deinit` no thread of `init` runs on."),
    check(Calls, "call-empty-context", Code(calls::empty_context), "An empty context is survived."),
    check(Calls, "call-missing-key", Code(calls::missing_key), "Each declared key may be missing."),
    check(Calls, "call-wrong-type", Code(calls::wrong_type), "Each declared key may have any type."),
    check(Calls, "call-null", Code(calls::null), "Each declared key may be `null`."),
    check(Calls, "call-huge-value", Code(calls::huge_value), "A text of 1 MiB is survived."),
    check(Calls, "call-deep-value", Code(calls::deep_value), "A value of 2,000 levels is survived."),
    check(Calls, "call-non-ascii", Code(calls::non_ascii), "Letters of any alphabet are survived."),
    check(Calls, "call-unknown-item", Code(calls::unknown_item), "A call under an unknown id, or none, is survived."),
    check(Calls, "call-host-errors", Code(calls::host_errors), "Each function of the host may fail at each of its calls."),
    check(Calls, "call-write-limit", Code(calls::write_limit), "After a refused write the call ends soon, with a failure."),
    check(Calls, "call-cancelled", Code(calls::cancelled), "A call after its deadline comes back."),
    check(Calls, "call-error-has-text", Code(calls::error_has_text), "A failure of the plugin's own has a text."),
    check(Calls, "call-utf8", Code(calls::utf8), "What is written is UTF-8."),
    check(Calls, "call-no-stdout", Code(calls::no_stdout), "Calls print nothing to standard output; to standard error warns."),
    check(Promises, "deps-honest", Code(promises::deps_honest), "Calls read only what their item declares."),
    check(Promises, "deps-sufficient", Code(promises::deps_sufficient), "Changing anything else leaves the text as it is."),
    check(Promises, "static-is-static", Code(promises::static_is_static), "A static item gives one text."),
    check(Promises, "session-repeatable", Code(promises::session_repeatable), "A session item gives the same text for the same values."),
    check(Promises, "thread-safe-overlap", Code(promises::overlap), "Calls that overlap give what they give alone, where the table allows them."),
    check(Promises, "thread-migrate", Code(promises::migrate), "A state serves other threads than the one that made it."),
    check(Promises, "state-independent", Code(promises::independent), "Two states do not mix."),
    check(Promises, "mode-parity", Code(promises::parity), "The text is the same in a child process and in the host's."),
    check(Endurance, "leak-10k", Code(endurance::leak), "10,000 calls take no more memory than 1,000."),
    check(Endurance, "time-p99", Timed(endurance::time_p99), "99 of 100 calls take at most a quarter of the plugin's time limit."),
    check(Endurance, "fd-leak", Code(endurance::descriptors), "Calls leave no file open."),
    check(Endurance, "fuzz-short", Code(endurance::fuzz_short), "Calls by chance are survived."),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_order() {
        let mut names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
        assert!(CHECKS.is_sorted_by_key(|check| check.stage));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
        assert!(CHECKS.iter().all(|check| check.about.ends_with('.')));
    }
}
