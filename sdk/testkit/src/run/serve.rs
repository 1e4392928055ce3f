//! The other side of [`Process::Child`](super::Process::Child), and checks without it.
//!
//! In: a request. Out: its outcome. Never: anything else; the process is there for one check.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::{env, fs};

use super::SERVE;
use crate::measure;
use crate::scene::{Outcome, Request};

/// Runs the check that the last argument describes, and writes down its outcome.
///
/// A program calls it as the first thing of its `main` and does nothing else; [`Options::program`](super::Options::program)
/// names it, with the arguments that lead there.
#[must_use]
pub fn serve() -> ExitCode {
    let asked = env::args().next_back().unwrap_or_default();
    if asked == SERVE {
        return promptweave_loader::serve();
    }
    let Ok(request) = serde_json::from_str::<Request>(&asked) else { return ExitCode::from(2) };
    die_quietly();
    let answer = request.answer.clone();
    let outcome = if request.check == measure::NAME {
        serde_json::to_vec(&super::long::measured_here(request))
    } else {
        serde_json::to_vec(&super::perform(request))
    };
    let written = outcome.map(|bytes| fs::write(answer, bytes));
    // What the plugin left running, or registered for the end of the process, is not waited for.
    let code = if matches!(written, Ok(Ok(()))) { 0 } else { 3 };
    // SAFETY: it ends this process.
    unsafe { libc::_exit(code) }
}

/// A crash of this process writes no core file, and the end of whoever waits for it is its end.
fn die_quietly() {
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is read during the call alone.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &raw const none) };
    #[cfg(target_os = "linux")]
    // SAFETY: it sets what this process is sent, and nothing else.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL)
    };
}

/// Runs a check in this process.
pub(super) fn here(request: Request) -> Outcome {
    let before = env::current_dir();
    let moved = env::set_current_dir(&request.scratch);
    let outcome = catch_unwind(AssertUnwindSafe(|| super::perform(request)))
        .unwrap_or_else(|_| Outcome::Fail("the check itself panicked".into()));
    if let (Ok(()), Ok(before)) = (moved, before) {
        // The folder was there a moment ago; without it the next check makes its own.
        let _ = env::set_current_dir(before);
    }
    outcome
}
