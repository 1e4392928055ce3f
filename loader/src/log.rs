//! What plugins log, as events.
//!
//! In: a level of the ABI and a line. Out: an event of the target `promptweave::plugin`. Never: adds
//! anything of a prompt or a context to it.

use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether this process is there for one plugin: its host then reads its standard error.
static FOR_A_PLUGIN: AtomicBool = AtomicBool::new(false);

/// Says that this process is there for one plugin.
pub(crate) fn is_for_a_plugin() {
    FOR_A_PLUGIN.store(true, Ordering::Relaxed);
}

/// Logs a line that belongs to no item.
pub(crate) fn outside(level: u32, message: &str) {
    if FOR_A_PLUGIN.load(Ordering::Relaxed) {
        let _ = writeln!(std::io::stderr(), "{message}");
    } else {
        line("", level, message);
    }
}

/// The level of what is probably wrong.
pub(crate) const WARNING: u32 = 2;
/// The level of what only the plugin's author wants to see.
pub(crate) const DEBUG: u32 = 4;

/// Logs a line; `item` may be empty.
pub(crate) fn line(item: &str, level: u32, message: &str) {
    match level {
        1 => tracing::error!(target: "promptweave::plugin", item, message),
        2 => tracing::warn!(target: "promptweave::plugin", item, message),
        3 => tracing::info!(target: "promptweave::plugin", item, message),
        _ => tracing::debug!(target: "promptweave::plugin", item, message),
    }
}
