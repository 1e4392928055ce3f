//! What takes no time: branch, main branch, user.
//!
//! In: a repository. Out: [`Facts`], without what it does not say. Never: fails; each of them may be absent.

use git2::{BranchType, ErrorCode, Repository};
use serde::Serialize;

#[derive(Default, Serialize)]
pub(super) struct Facts {
    /// Absent when no branch is checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    main_branch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
}

pub(super) fn read(repository: &Repository) -> Facts {
    let config = repository.config().and_then(|mut config| config.snapshot()).ok();
    let text = |key| config.as_ref().and_then(|config| config.get_string(key).ok());
    let default = text("init.defaultBranch");
    Facts {
        branch: branch(repository),
        main_branch: main_branch(repository, default.as_deref()),
        user: text("user.name"),
    }
}

fn branch(repository: &Repository) -> Option<String> {
    match repository.head() {
        Ok(head) if head.is_branch() => Some(lossy(head.shorthand_bytes())),
        // A repository without a commit: its branch is named, and not there yet.
        Err(error) if error.code() == ErrorCode::UnbornBranch => {
            let head = repository.find_reference("HEAD").ok()?;
            Some(lossy(head.symbolic_target_bytes()?.strip_prefix(b"refs/heads/")?))
        }
        Ok(_) | Err(_) => None,
    }
}

/// The branch that the remote calls its own, else the first usual name that there is.
fn main_branch(repository: &Repository, default: Option<&str>) -> Option<String> {
    let remote = repository.find_reference("refs/remotes/origin/HEAD").ok();
    let named = remote.as_ref().and_then(|head| head.symbolic_target_bytes());
    if let Some(name) = named.and_then(|name| name.strip_prefix(b"refs/remotes/origin/")) {
        return Some(lossy(name));
    }
    let mut usual = default.into_iter().chain(["main", "master"]);
    usual.find(|name| repository.find_branch(name, BranchType::Local).is_ok()).map(Into::into)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
