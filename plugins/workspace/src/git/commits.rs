//! The latest commits.
//!
//! In: a repository, a number. Out: lines of a short id and a summary, newest first. Never: more of a
//! message than its first paragraph.

use git2::{ErrorCode, Repository};

use super::Read;

const ID_DIGITS: usize = 7;

pub(super) fn read(repository: &mut Repository, most: usize) -> Read<Vec<String>> {
    match repository.head() {
        Err(error) if error.code() == ErrorCode::UnbornBranch => return Ok(Vec::new()),
        head => drop(head?),
    }
    let mut walk = repository.revwalk()?;
    walk.push_head()?;
    let line = |id: Read<git2::Oid>| {
        let id = id?;
        let commit = repository.find_commit(id)?;
        let summary = String::from_utf8_lossy(commit.summary_bytes().unwrap_or_default());
        Ok(format!("{:.ID_DIGITS$} {summary}", id.to_string()).trim_end().to_owned())
    };
    walk.take(most).map(line).collect()
}
