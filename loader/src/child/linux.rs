//! Landlock for files, TCP and signals; a seccomp filter for what a plugin has no business with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::{Confine, Sandbox};

/// What every library needs to load and to run, read-only; what of it does not exist is skipped.
const SYSTEM: &[&str] = &[
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/usr/share/locale",
    "/etc/ld.so.cache",
    "/etc/ld.so.preload",
    "/etc/localtime",
    "/etc/ssl/openssl.cnf",
    "/dev/null",
    "/dev/zero",
    "/dev/urandom",
    "/proc/self",
    "/nix/store",
    "/gnu/store",
];

/// Confines this process; what the kernel lacks is left out, and lowers the level.
pub(super) fn confine(wanted: &Confine, library: &Path) -> Sandbox {
    let files = landlock(wanted, library);
    let calls = if seccomp(wanted).is_ok() { Sandbox::Full } else { Sandbox::None };
    match (files, calls) {
        (Sandbox::Full, Sandbox::Full) => Sandbox::Full,
        (Sandbox::None, Sandbox::None) => Sandbox::None,
        _ => Sandbox::Partial,
    }
}

fn landlock(wanted: &Confine, library: &Path) -> Sandbox {
    match restricted(wanted, library) {
        Ok(RulesetStatus::FullyEnforced) => Sandbox::Full,
        Ok(RulesetStatus::PartiallyEnforced) => Sandbox::Partial,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Sandbox::None,
    }
}

fn restricted(wanted: &Confine, library: &Path) -> Result<RulesetStatus, landlock::RulesetError> {
    // ABI 6 brought the scope of signals; what came later concerns nothing that is asked for here.
    let abi = ABI::V6;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(abi))?
        .scope(Scope::from_all(abi))?;
    if !wanted.network {
        rules = rules.handle_access(AccessNet::from_all(ABI::V5))?;
    }
    let system: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
    let own = [library.to_owned()];
    let programs = [PathBuf::from("/usr"), PathBuf::from("/bin")];
    let programs = programs.iter().filter(|_| wanted.processes);
    let read = AccessFs::from_read(abi);
    let readable = system.iter().chain(&own).chain(programs).chain(&wanted.read);
    let status = rules
        .create()?
        .add_rules(path_beneath_rules(readable, read))?
        .add_rules(path_beneath_rules(&wanted.write, AccessFs::from_all(abi)))?
        .restrict_self()?;
    Ok(status.ruleset)
}

/// Refuses the calls with `EPERM`, so that the plugin can say what it was denied.
fn seccomp(wanted: &Confine) -> Result<(), Box<dyn std::error::Error>> {
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut never = |calls: &[libc::c_long]| {
        refused.extend(calls.iter().map(|&call| (call, Vec::new())));
    };
    never(&[
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_setsid,
        libc::SYS_setpgid,
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
        libc::SYS_pidfd_send_signal,
        libc::SYS_pidfd_getfd,
        libc::SYS_mount,
        libc::SYS_umount2,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_bpf,
        libc::SYS_perf_event_open,
        libc::SYS_keyctl,
    ]);
    if !wanted.network {
        never(&[libc::SYS_socket]);
    }
    let own = i64::from(std::process::id());
    refused.insert(libc::SYS_kill, vec![differs(own)?]);
    refused.insert(libc::SYS_tgkill, vec![differs(own)?]);
    refused.insert(libc::SYS_tkill, Vec::new());
    if !wanted.processes {
        refused.extend([libc::SYS_execve, libc::SYS_execveat].map(|call| (call, Vec::new())));
        #[cfg(target_arch = "x86_64")]
        refused.extend([libc::SYS_fork, libc::SYS_vfork].map(|call| (call, Vec::new())));
        refused.insert(libc::SYS_clone, vec![no_thread()?]);
    }
    apply(refused, libc::EPERM)?;
    if !wanted.processes {
        // Its flags lie in memory, where a filter cannot look; without it the C library falls back to `clone`.
        apply(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)?;
    }
    Ok(())
}

/// The first argument is another number.
fn differs(own: i64) -> Result<SeccompRule, seccompiler::BackendError> {
    let condition =
        SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, own as u64)?;
    SeccompRule::new(vec![condition])
}

/// The flags of `clone` do not make a thread.
fn no_thread() -> Result<SeccompRule, seccompiler::BackendError> {
    let thread = libc::CLONE_THREAD as u64;
    let masked = SeccompCmpOp::MaskedEq(thread);
    SeccompRule::new(vec![SeccompCondition::new(0, SeccompCmpArgLen::Qword, masked, 0)?])
}

fn apply(
    calls: BTreeMap<i64, Vec<SeccompRule>>,
    error: libc::c_int,
) -> Result<(), Box<dyn std::error::Error>> {
    let filter = SeccompFilter::new(
        calls,
        SeccompAction::Allow,
        SeccompAction::Errno(error as u32),
        TargetArch::try_from(std::env::consts::ARCH)?,
    )?;
    seccompiler::apply_filter(&BpfProgram::try_from(filter)?)?;
    Ok(())
}
