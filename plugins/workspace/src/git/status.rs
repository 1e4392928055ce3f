//! The short status of the work tree.
//!
//! In: a repository, a number of lines. Out: text as `git status --short` prints it. Never: looks into
//! submodules, or writes the index back.

use git2::{Repository, Status, StatusEntry, StatusOptions};

use super::Read;

/// Empty: nothing has changed.
pub(super) fn read(repository: &mut Repository, most: usize) -> Read<String> {
    let mut options = StatusOptions::new();
    options.include_untracked(true).exclude_submodules(true).renames_head_to_index(true);
    let entries = repository.statuses(Some(&mut options))?;
    let mut lines: Vec<(bool, String)> = entries.iter().map(|entry| line(&entry)).collect();
    // As git does it: what is not tracked comes last.
    lines.sort_by_key(|(untracked, _)| *untracked);
    let more = lines.len().saturating_sub(most);
    let mut text: Vec<String> = lines.into_iter().take(most).map(|(_, line)| line).collect();
    if more > 0 {
        text.push(format!("… and {more} more"));
    }
    Ok(text.join("\n"))
}

fn line(entry: &StatusEntry<'_>) -> (bool, String) {
    let status = entry.status();
    let path = quoted(entry.path_bytes());
    if status.is_conflicted() {
        return (false, format!("UU {path}"));
    }
    if status == Status::WT_NEW {
        return (true, format!("?? {path}"));
    }
    let letter = |letters: &[(Status, char)]| {
        letters.iter().find(|(flag, _)| status.contains(*flag)).map_or(' ', |(_, letter)| *letter)
    };
    let index = letter(&[
        (Status::INDEX_NEW, 'A'),
        (Status::INDEX_RENAMED, 'R'),
        (Status::INDEX_DELETED, 'D'),
        (Status::INDEX_TYPECHANGE, 'T'),
        (Status::INDEX_MODIFIED, 'M'),
    ]);
    let tree = letter(&[
        (Status::WT_DELETED, 'D'),
        (Status::WT_TYPECHANGE, 'T'),
        (Status::WT_MODIFIED, 'M'),
        (Status::WT_NEW, '?'),
    ]);
    (false, format!("{index}{tree} {}", renamed(entry, path)))
}

/// `old -> new` where the index has it under another name.
fn renamed(entry: &StatusEntry<'_>, old: String) -> String {
    let delta = entry.head_to_index().filter(|_| entry.status().is_index_renamed());
    match delta.as_ref().and_then(|delta| delta.new_file().path_bytes()) {
        Some(new) => format!("{old} -> {}", quoted(new)),
        None => old,
    }
}

/// A name stays on one line.
fn quoted(path: &[u8]) -> String {
    let path = String::from_utf8_lossy(path);
    let plain = |letter: char| !letter.is_control() && letter != '"' && letter != '\\';
    if path.chars().all(plain) { path.into_owned() } else { format!("{path:?}") }
}
