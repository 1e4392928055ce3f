//! What the child gives up before it loads the library.
//!
//! In: what the host allows. Out: how far it went. Never: fails because the system offers less; it says so.

use std::io;
use std::path::Path;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::config::SandboxPolicy;
use crate::limits::{Confine, Sandbox};

/// Limits this process, and confines it as far as the system can.
///
/// # Errors
/// The limits of memory and files, which every system has, cannot be set.
pub(super) fn confine(wanted: &Confine, library: &Path) -> io::Result<Sandbox> {
    limit(Resource::Core, 0)?;
    limit(Resource::As, wanted.memory)?;
    limit(Resource::Nofile, wanted.files)?;
    Ok(match wanted.mode {
        SandboxPolicy::Off => Sandbox::None,
        SandboxPolicy::BestEffort | SandboxPolicy::Require => system::confine(wanted, library),
    })
}

fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let hard = rustix::process::getrlimit(resource).maximum;
    let most = hard.map_or(most, |hard| hard.min(most));
    Ok(setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })?)
}

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn confine(_: &super::Confine, _: &super::Path) -> super::Sandbox {
        super::Sandbox::None
    }
}
