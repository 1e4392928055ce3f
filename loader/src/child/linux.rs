//! Landlock for files, TCP and signals; a seccomp filter for what a plugin has no business with.
//!
//! In: what the host allows. Out: how far the kernel went. Never: fails because the kernel is too old; the level
//! says so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::thread::{CapabilitySet, CapabilitySets, set_capabilities};
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
    "/dev/zero",
    "/dev/urandom",
    "/proc/self",
    "/nix/store",
    "/gnu/store",
];

/// What takes everything and keeps nothing; programs are started with it.
const NOTHING: &[&str] = &["/dev/null"];

/// What is needed to find a host by its name, and to know it, where there is a network.
const NETWORK: &[&str] = &[
    "/etc/gai.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/pki",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
    "/run/systemd/resolve",
    "/usr/share/ca-certificates",
];

/// What other programs need, where they may be started.
const PROGRAMS: &[&str] =
    &["/bin", "/sbin", "/usr", "/etc/gitconfig", "/etc/group", "/etc/nsswitch.conf", "/etc/passwd"];

/// Confines this process; what the kernel lacks is left out, and lowers the level.
pub(super) fn confine(wanted: &Confine, library: &Path) -> Sandbox {
    let rights = drop_rights();
    let files = landlock(wanted, library);
    let calls = if seccomp(wanted).is_ok() { Sandbox::Full } else { Sandbox::None };
    match (files, calls, rights) {
        (Sandbox::Full, Sandbox::Full, Sandbox::Full) => Sandbox::Full,
        (Sandbox::None, Sandbox::None, _) => Sandbox::None,
        _ => Sandbox::Partial,
    }
}

/// Gives up what the superuser may and others may not, for good: new programs get nothing back.
fn drop_rights() -> Sandbox {
    let none = CapabilitySets {
        effective: CapabilitySet::empty(),
        permitted: CapabilitySet::empty(),
        inheritable: CapabilitySet::empty(),
    };
    match set_capabilities(None, none) {
        Ok(()) => Sandbox::Full,
        Err(_) => Sandbox::None,
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
    let network = NETWORK.iter().filter(|_| wanted.network);
    let programs = PROGRAMS.iter().filter(|_| wanted.processes);
    let system = SYSTEM.iter().chain(network).chain(programs).map(Path::new);
    let granted = wanted.read.iter().map(PathBuf::as_path);
    let readable = system.chain([library]).chain(granted);
    let writable = NOTHING.iter().map(Path::new).chain(wanted.write.iter().map(PathBuf::as_path));
    let status = rules
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::from_read(abi)))?
        .add_rules(path_beneath_rules(writable, AccessFs::from_all(abi)))?
        .restrict_self()?;
    Ok(status.ruleset)
}

/// What no plugin needs.
const NEVER: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_pidfd_getfd,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_keyctl,
    libc::SYS_setpriority,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_msgget,
    libc::SYS_semget,
    libc::SYS_userfaultfd,
    libc::SYS_inotify_init1,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_ioprio_set,
];

/// What concerns another process unless its first argument is 0 or this process; with a limit of no time
/// a parent can be ended, too.
const OWN: &[libc::c_long] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];

/// What concerns whoever the first argument names.
const SIGNALS: &[libc::c_long] =
    &[libc::SYS_kill, libc::SYS_tgkill, libc::SYS_rt_sigqueueinfo, libc::SYS_rt_tgsigqueueinfo];

/// What only those need that start processes, and then end them.
const PROCESSES: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_tkill,
    libc::SYS_pidfd_send_signal,
];

/// What changes a file but for its bytes, which Landlock does not look at.
const ATTRIBUTES: &[libc::c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];
/// The same number everywhere; not every C library knows it.
const FCHMODAT2: libc::c_long = 452;

/// Refuses the calls with `EPERM`, so that the plugin can say what it was denied.
fn seccomp(wanted: &Confine) -> Result<(), Box<dyn std::error::Error>> {
    let own = u64::from(std::process::id());
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let mut refuse = |calls: &[libc::c_long], rules: &[SeccompRule]| {
        refused.extend(calls.iter().map(|&call| (call, rules.to_vec())));
    };
    refuse(NEVER, &[]);
    refuse(OWN, &[all(&[differs(0)?, differs(own)?])?]);
    // The signal that ends this process with its host stays as it is.
    let death = libc::PR_SET_PDEATHSIG as u64;
    refuse(&[libc::SYS_prctl], &[all(&[first(SeccompCmpOp::Eq, death)?])?]);
    if !wanted.network {
        refuse(&[libc::SYS_socket], &[]);
    }
    if wanted.write.is_empty() {
        refuse(ATTRIBUTES, &[]);
    }
    if !wanted.processes {
        refuse(PROCESSES, &[]);
        refuse(SIGNALS, &[all(&[differs(own)?])?]);
        let thread = libc::CLONE_THREAD as u64;
        refuse(&[libc::SYS_clone], &[all(&[first(SeccompCmpOp::MaskedEq(thread), 0)?])?]);
    }
    apply(refused, libc::EPERM)?;
    if !wanted.processes {
        // Its flags lie in memory, where a filter cannot look; without it the C library falls back to `clone`.
        apply(BTreeMap::from([(libc::SYS_clone3, Vec::new())]), libc::ENOSYS)?;
    }
    Ok(())
}

type Condition = Result<SeccompCondition, seccompiler::BackendError>;

fn first(compare: SeccompCmpOp, number: u64) -> Condition {
    SeccompCondition::new(0, SeccompCmpArgLen::Dword, compare, number)
}

/// The first argument is another number.
fn differs(number: u64) -> Condition {
    first(SeccompCmpOp::Ne, number)
}

/// All conditions at once.
fn all(conditions: &[SeccompCondition]) -> Result<SeccompRule, seccompiler::BackendError> {
    SeccompRule::new(conditions.to_vec())
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
