//! The repository that holds the folder: `git`.
//!
//! In: the folder, a limit of time. Out: one object; it lacks what was not ready in time or could not be
//! read, with a report for each. Never: writes to the repository.
//!
//! libgit2 reads the files itself. The program `git` would run what a repository's configuration names.

mod commits;
mod facts;
mod status;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use git2::{ErrorCode, Repository, RepositoryOpenFlags};
use promptweave_plugin::{Cx, Error, Level, Probe, Report};
use serde::Serialize;

use crate::config::Config;
use crate::{folder, write};

pub(crate) struct Git;

#[derive(Default, Serialize)]
struct Found {
    #[serde(flatten)]
    facts: facts::Facts,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commits: Option<Vec<String>>,
}

impl Probe<Config> for Git {
    const ID: &'static str = "git";
    const DESCRIPTION: &'static str = "Branch, user, short status and recent commits";
    const KEY: &'static str = "git";
    const DEPS: &'static [&'static str] = &["cwd"];

    fn probe(config: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        let limit = config.limit(cx);
        let deadline = Instant::now() + limit;
        let Some(folder) = folder(cx)? else { return Ok(()) };
        let Some(repository) = open(folder)? else { return Ok(()) };
        let (lines, most) = (config.status_lines, config.commits);
        let status = aside(repository.path(), move |repository| status::read(repository, lines));
        let commits = aside(repository.path(), move |repository| commits::read(repository, most));
        let facts = facts::read(&repository);
        let in_time = InTime { cx, deadline, limit_ms: limit.as_millis() };
        let status = in_time.take("status", status)?;
        let commits = in_time.take("commits", commits)?;
        write(cx, &Found { facts, status, commits })
    }
}

/// The repository that holds a folder; none when there is none.
pub(crate) fn open(folder: &Path) -> Result<Option<Repository>, git2::Error> {
    let nowhere: [&Path; 0] = [];
    match Repository::open_ext(folder, RepositoryOpenFlags::empty(), nowhere) {
        Ok(repository) => Ok(Some(repository)),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

type Read<T> = Result<T, git2::Error>;

/// Reads on a thread of its own, with a handle of its own: one handle serves one thread.
///
/// A thread that comes too late ends when its work does, and nobody hears of it.
fn aside<T: Send + 'static>(
    path: &Path,
    read: impl FnOnce(&mut Repository) -> Read<T> + Send + 'static,
) -> Receiver<Read<T>> {
    let (sender, receiver) = mpsc::channel();
    let path: PathBuf = path.into();
    // Where no thread can be started the sender is dropped, and its receiver is told.
    let _ = thread::Builder::new().name("workspace-git".into()).spawn(move || {
        let _ =
            sender.send(Repository::open(path).and_then(|mut repository| read(&mut repository)));
    });
    receiver
}

/// Waits for what is read aside.
struct InTime<'c, 'a> {
    cx: &'c Cx<'a>,
    deadline: Instant,
    limit_ms: u128,
}

impl InTime<'_, '_> {
    fn take<T>(&self, what: &str, from: Receiver<Read<T>>) -> Result<Option<T>, Error> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let (message, help) = match from.recv_timeout(left) {
            Ok(Ok(read)) => return Ok(Some(read)),
            Ok(Err(error)) => (format!("it cannot be read: {}", error.message()), None),
            Err(RecvTimeoutError::Timeout) => (
                format!("it is not ready after {} ms", self.limit_ms),
                Some("raise `limit_ms` of the plugin `workspace`"),
            ),
            Err(RecvTimeoutError::Disconnected) => ("its thread has ended early".into(), None),
        };
        let message = &format!("`git.{what}` is left out: {message}");
        self.cx.report(Report { level: Level::WARN, code: "git-left-out", message, help })?;
        Ok(None)
    }
}
