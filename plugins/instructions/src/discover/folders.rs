//! The folders and files that a source names.
//!
//! In: a folder, names, globs. Out: paths, in the same order everywhere. Never: reads a file but `.gitignore`, or follows
//! a link out of the folder.

use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::io::{self, ErrorKind};
use std::iter;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use globset::GlobBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::files::reason;

/// Folders that one search looks into.
pub(super) const MAX_FOLDERS: usize = 50_000;
/// How deep a folder of rules is looked into.
const MAX_DEPTH: usize = 8;
/// Bytes of a `.gitignore`; a longer one ignores nothing.
const MAX_IGNORE_BYTES: u64 = 256 * 1024;
/// Files that one glob gives.
const MAX_RULES: usize = 5000;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    Whole,
    Stopped,
}

/// What a walk found.
pub(super) struct Below {
    /// The folders that hold one of the names.
    pub found: Vec<PathBuf>,
    /// Folders that the system refuses to list, and why.
    pub shut: Vec<(PathBuf, String)>,
    pub walk: Walk,
}

/// The folders below `cwd` that hold one of the names. What git ignores is not looked into, nor are hidden folders and
/// links.
pub(super) fn below(cwd: &Path, top: &Path, names: &BTreeSet<&str>) -> Below {
    let mut above: Vec<&Path> = cwd.ancestors().skip(1).collect();
    above.retain(|folder| folder.starts_with(top));
    let ignored = above.iter().rev().fold(None, |before, folder| ignores(folder, before));
    // A tree may be deeper than the stack of a thread.
    let mut left = vec![(cwd.to_path_buf(), ignored)];
    let (mut found, mut shut) = (Vec::new(), Vec::new());
    for _ in 0..MAX_FOLDERS {
        let Some((folder, ignored)) = left.pop() else {
            return Below { found, shut, walk: Walk::Whole };
        };
        let Looked { holds, inner, ignored } = match look(&folder, names, ignored) {
            Ok(looked) => looked,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                shut.push((folder, reason(&error)));
                continue;
            }
            // It is gone since it was listed.
            Err(_) => continue,
        };
        left.extend(inner.into_iter().map(|inner| (inner, ignored.clone())));
        if holds && folder != cwd {
            found.push(folder);
        }
    }
    let walk = if left.is_empty() { Walk::Whole } else { Walk::Stopped };
    Below { found, shut, walk }
}

/// What is in a folder.
struct Looked {
    holds: bool,
    /// The folders in it that are looked into.
    inner: Vec<PathBuf>,
    ignored: Ignored,
}

fn look(folder: &Path, names: &BTreeSet<&str>, above: Ignored) -> io::Result<Looked> {
    let mut looked = Looked { holds: false, inner: Vec::new(), ignored: above };
    let mut has_ignore = false;
    for entry in folder.read_dir()?.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        if names.contains(name) {
            looked.holds = true;
        } else if name == ".gitignore" {
            has_ignore = true;
        } else if !name.starts_with('.') && is_folder(&entry) {
            looked.inner.push(entry.path());
        }
    }
    if has_ignore {
        looked.ignored = ignores(folder, looked.ignored);
    }
    looked.inner.retain(|inner| !is_ignored(looked.ignored.as_ref(), inner));
    Ok(looked)
}

/// The folders below `cwd` that hold a path.
pub(super) fn between(cwd: &Path, path: &Path) -> impl Iterator<Item = PathBuf> {
    let folders = path.ancestors().skip(1).take_while(move |folder| *folder != cwd);
    folders.filter(move |folder| folder.starts_with(cwd)).map(Path::to_path_buf)
}

/// A link to a folder is none: the walk stays below where it began.
fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// The nearest `.gitignore`, and those above it.
type Ignored = Option<Rc<Ignore>>;

struct Ignore {
    own: Gitignore,
    above: Ignored,
}

fn ignores(folder: &Path, above: Ignored) -> Ignored {
    let file = folder.join(".gitignore");
    // What is no regular file, or a link, is no `.gitignore` for git either.
    let is_read = |facts: std::fs::Metadata| facts.is_file() && facts.len() <= MAX_IGNORE_BYTES;
    if !file.symlink_metadata().is_ok_and(is_read) {
        return above;
    }
    let mut builder = GitignoreBuilder::new(folder);
    builder.add(file);
    match builder.build() {
        Ok(own) => Some(Rc::new(Ignore { own, above })),
        Err(_) => above,
    }
}

fn is_ignored(nearest: Option<&Rc<Ignore>>, folder: &Path) -> bool {
    let mut all = iter::successors(nearest, |ignore| ignore.above.as_ref());
    let says = all.find_map(|ignore| {
        let says = ignore.own.matched(folder, true);
        (!says.is_none()).then(|| says.is_ignore())
    });
    says.unwrap_or(false)
}

/// What a path of a profile names in a folder.
#[derive(Default)]
pub(super) struct Named {
    /// In the order of their paths.
    pub files: Vec<PathBuf>,
    /// Folders that the system refuses to list, and why.
    pub shut: Vec<(PathBuf, String)>,
}

/// The files that a path of a profile names in a folder: itself, or what its glob matches.
pub(super) fn files(folder: &Path, file: &str) -> Named {
    let steps: Vec<&str> = file.split('/').collect();
    let Some(first) = steps.iter().position(|step| step.contains('*')) else {
        return Named { files: vec![folder.join(file)], shut: Vec::new() };
    };
    let inner = steps[..first].iter().fold(folder.to_path_buf(), |path, step| path.join(step));
    let glob = GlobBuilder::new(&steps[first..].join("/")).literal_separator(true).build();
    let Ok(glob) = glob.map(|glob| glob.compile_matcher()) else { return Named::default() };
    let depth = if steps[first..].contains(&"**") { MAX_DEPTH } else { steps.len() - first };
    let mut all = Named::default();
    listed(&inner, depth, &mut Vec::new(), &mut all);
    all.files.retain(|path| path.strip_prefix(&inner).is_ok_and(|rest| glob.is_match(rest)));
    all.files.sort_unstable();
    all
}

/// All files of a folder. Links to folders are followed, each folder once on a way: whether what lies there may be read
/// is asked when it is.
fn listed(folder: &Path, depth: usize, way: &mut Vec<PathBuf>, all: &mut Named) {
    if depth == 0 || all.files.len() >= MAX_RULES {
        return;
    }
    let (real, entries) =
        match folder.canonicalize().and_then(|real| Ok((real, folder.read_dir()?))) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return all.shut.push((folder.to_path_buf(), reason(&error)));
            }
            // It is not there, or no folder.
            Err(_) => return,
        };
    if way.contains(&real) {
        return;
    }
    way.push(real);
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths {
        if all.files.len() >= MAX_RULES {
            break;
        }
        if path.is_dir() {
            listed(&path, depth - 1, way, all);
        } else {
            all.files.push(path);
        }
    }
    way.pop();
}
