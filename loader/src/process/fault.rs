//! Why an item of a plugin in a child gave no answer.

use std::fmt;
use std::process::ExitStatus;
use std::time::Duration;

/// What stands between an item and its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process ended while the item ran.
    Died(Death),
    /// The item took longer than it may, and its process was ended.
    Late(Duration),
    /// The process sent what is no answer.
    Hostile(&'static str),
    /// The process ended twice in this call, both times before the item ran.
    Skipped,
    /// The item ended its process twice; it is not asked before so long.
    Resting(Duration),
    /// The item ended its process too often.
    Quarantined,
    /// Both processes were busy for so long.
    Busy(Duration),
    /// No process could be had: why.
    Unstarted(String),
}

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// By a signal of that number.
    Signal(i32),
    /// With an exit status.
    Exit(i32),
    /// It closed its end of the socket, and was ended.
    Closed,
}

impl Death {
    pub(super) fn of(status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt;
        match (status.signal(), status.code()) {
            (Some(signal), _) => Self::Signal(signal),
            (None, code) => Self::Exit(code.unwrap_or_default()),
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(number) => match signal_name(*number) {
                Some(name) => write!(f, "died of {name}"),
                None => write!(f, "died of signal {number}"),
            },
            Self::Exit(status) => write!(f, "exited with status {status}"),
            Self::Closed => f.write_str("closed its connection to the host"),
        }
    }
}

fn signal_name(number: i32) -> Option<&'static str> {
    Some(match number {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        _ => return None,
    })
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Died(death) => write!(f, "its process {death}"),
            Self::Late(limit) => {
                write!(f, "it took longer than {} ms, and its process was ended", limit.as_millis())
            }
            Self::Hostile(what) => write!(f, "its process sent {what}, and was ended"),
            Self::Skipped => f.write_str("its process ended twice before it could be asked"),
            Self::Resting(left) => write!(
                f,
                "it ended its process twice, and is asked again in {} ms",
                left.as_millis().max(1)
            ),
            Self::Quarantined => f.write_str(
                "it ended its process three times within ten minutes, and is asked no more",
            ),
            Self::Busy(waited) => {
                write!(f, "its processes were busy for {} ms", waited.as_millis())
            }
            Self::Unstarted(why) => write!(f, "its process cannot be had: {why}"),
        }
    }
}
