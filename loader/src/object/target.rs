//! Names of targets: architecture, system, C library.
//!
//! In: what a file's header says. Out: a name such as `x86_64-linux-gnu`. Never: looks at the machine
//! beyond what this program was built for.

use ::object::{Architecture, Endianness};
use serde::Serialize;

/// Whether a library is for this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fit {
    /// It is.
    Here,
    /// It is for another.
    Elsewhere,
}

#[cfg(target_env = "musl")]
const LIBC: &str = "musl";
#[cfg(target_env = "msvc")]
const LIBC: &str = "msvc";
#[cfg(not(any(target_env = "musl", target_env = "msvc")))]
const LIBC: &str = "gnu";

/// The name of this machine in `[library.<target>]`: `x86_64-linux-gnu`, `aarch64-macos`.
pub fn host_target() -> String {
    let (arch, os) = (host_architecture(), std::env::consts::OS);
    match os {
        "linux" | "windows" => format!("{arch}-{os}-{LIBC}"),
        _ => format!("{arch}-{os}"),
    }
}

/// The architectures by the names that targets use.
const ARCHITECTURES: &[(&str, Architecture)] = &[
    ("x86_64", Architecture::X86_64),
    ("aarch64", Architecture::Aarch64),
    ("x86", Architecture::I386),
    ("arm", Architecture::Arm),
    ("riscv64", Architecture::Riscv64),
    ("loongarch64", Architecture::LoongArch64),
    ("s390x", Architecture::S390x),
];

fn host_architecture() -> &'static str {
    match (std::env::consts::ARCH, cfg!(target_endian = "little")) {
        ("powerpc64", true) => "powerpc64le",
        (arch, _) => arch,
    }
}

pub(super) fn architecture(found: Architecture, endian: Endianness) -> String {
    let name = ARCHITECTURES.iter().find(|(_, one)| *one == found).map(|(name, _)| *name);
    match (found, endian) {
        (Architecture::PowerPc64, Endianness::Little) => "powerpc64le".into(),
        (Architecture::PowerPc64, Endianness::Big) => "powerpc64".into(),
        _ => name.map_or_else(|| format!("{found:?}").to_lowercase(), str::to_owned),
    }
}

/// Whether a target is this machine; a library without a C library fits any of its system.
pub(super) fn fit(target: &str) -> Fit {
    let host = host_target();
    let without_libc = host.rsplit_once('-').map(|(front, _)| front);
    if target == host || Some(target) == without_libc { Fit::Here } else { Fit::Elsewhere }
}
