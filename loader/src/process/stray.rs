//! Processes that a plugin left behind.
//!
//! A process that leaves the group of the child outlives the group. It still carries the child's token in its
//! environment; where the sandbox is full there is none, for it could not have been made.

/// Ends every process that carries the token.
#[cfg(target_os = "linux")]
pub(super) fn end(token: &str) {
    use rustix::process::{Pid, Signal, kill_process};
    /// What is born while we look, by a parent that ends before we look at it, is found in the next round: only
    /// two rounds in a row that find nothing count.
    const CLEAN: usize = 2;
    /// Of those that go on for ever, some may be left.
    const ROUNDS: usize = 16;
    let mark = format!("{}={token}", super::spawn::TOKEN);
    let mut clean = 0;
    for _ in 0..ROUNDS {
        let mut found = false;
        for pid in processes().filter(|pid| carries(*pid, mark.as_bytes())) {
            found |= Pid::from_raw(pid).is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok());
        }
        clean = if found { 0 } else { clean + 1 };
        if clean == CLEAN {
            return;
        }
    }
}

/// Elsewhere another process's environment cannot be read.
#[cfg(not(target_os = "linux"))]
pub(super) fn end(_: &str) {}

#[cfg(target_os = "linux")]
fn processes() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(target_os = "linux")]
fn carries(pid: i32, mark: &[u8]) -> bool {
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|entry| entry == mark)
}
