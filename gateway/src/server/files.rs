//! How many connections the system lets a process have.
//!
//! In: the process's limit of open files. Out: as many as it may have; each stream takes two. Never: more than the system allows.

/// Raises the limit as far as it goes without being asked.
#[cfg(unix)]
pub(super) fn allow_most() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::debug!(%error, "the limit of open files stays");
    }
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub(super) fn allow_most() {}
