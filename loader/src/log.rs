//! What plugins log, as events.
//!
//! In: a level of the ABI and a line. Out: an event of the target `promptweave::plugin`. Never: adds
//! anything of a prompt or a context to it.

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
