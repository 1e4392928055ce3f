//! One check in a process of its own.
//!
//! In: a request. Out: its outcome, or how the process ended. Never: waits longer than the time-out, or leaves
//! the process or its kin behind.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use serde::de::DeserializeOwned;

use crate::scene::{Outcome, Request, last_note};

/// What a check's process keeps of the environment.
const KEPT: &[&str] = &["LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "TZ"];
/// The most bytes of standard error that are told.
const MAX_ERROR_BYTES: usize = 300;

pub(crate) fn run(request: &Request) -> Outcome {
    answer(request).unwrap_or_else(|outcome| outcome)
}

/// What the process writes down; else why it did not.
pub(crate) fn answer<T: DeserializeOwned>(request: &Request) -> Result<T, Outcome> {
    let errors = request.answer.with_extension("stderr");
    let mut process = start(request, &errors)
        .map_err(|error| Outcome::Skip(format!("its process does not start: {error}")))?;
    let status = wait(&mut process, request.timeout);
    let doing = last_note(&request.answer);
    let Some(status) = status else {
        let how = format!("did not come back within {} s", request.timeout.as_secs_f32());
        return Err(died(&how, doing));
    };
    let answer = fs::read(&request.answer).ok();
    answer.and_then(|bytes| serde_json::from_slice(&bytes).ok()).ok_or_else(|| {
        let how = format!("{}{}", end(status), last_words(&errors));
        died(&how, doing)
    })
}

/// What a process did last is what the next one dies of as well.
fn died(how: &str, doing: String) -> Outcome {
    if doing.is_empty() {
        return Outcome::Fail(format!("it {how}"));
    }
    Outcome::Once { why: format!("{doing}: it {how}"), known_by: doing }
}

fn start(request: &Request, errors: &Path) -> io::Result<Child> {
    let (program, args) = &request.program;
    let mut command = Command::new(program);
    command.args(args).arg(serde_json::to_string(request)?);
    command.env_clear().envs(KEPT.iter().filter_map(|name| Some((name, env::var_os(name)?))));
    command.env("HOME", &request.scratch).env("TMPDIR", &request.scratch);
    command.current_dir(&request.scratch).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(errors)?);
    command.spawn()
}

/// Waits for the end; after the time-out, and for what the process left behind, ends it.
fn wait(process: &mut Child, timeout: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + timeout;
    let mut pause = Duration::from_micros(500);
    let status = loop {
        match process.try_wait() {
            Ok(Some(status)) => break Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(pause),
            Ok(None) | Err(_) => break None,
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    if let Ok(group) = i32::try_from(process.id()) {
        // SAFETY: the group is the one that this process was made the leader of.
        unsafe { libc::killpg(group, libc::SIGKILL) };
    }
    let _ = process.wait();
    status
}

fn end(status: ExitStatus) -> String {
    match (status.signal(), status.code()) {
        (Some(signal), _) => format!("crashed (signal {signal}, {})", name(signal)),
        (None, Some(code)) => format!("ended its process (status {code})"),
        (None, None) => "ended its process".into(),
    }
}

fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGABRT => "abort",
        libc::SIGBUS => "bus error",
        libc::SIGFPE => "arithmetic error",
        libc::SIGILL => "illegal instruction",
        libc::SIGKILL => "killed",
        libc::SIGSEGV => "bad address",
        libc::SIGSYS => "forbidden system call",
        libc::SIGTRAP => "trap",
        _ => "unusual",
    }
}

/// The last line of standard error.
fn last_words(errors: &Path) -> String {
    let text = fs::read(errors).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rev().find(|line| !line.trim().is_empty());
    let last: String = last.unwrap_or_default().chars().take(MAX_ERROR_BYTES).collect();
    if last.is_empty() { last } else { format!(": {last}") }
}
