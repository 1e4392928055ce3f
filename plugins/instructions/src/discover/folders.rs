//! The folders and files that a source names.
//!
//! In: a folder, names, globs. Out: paths, in the same order everywhere. Never: reads a file but `.gitignore`, or follows
//! a link out of the folder.

use std::collections::BTreeSet;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use globset::GlobBuilder;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Folders that one search looks into.
pub(super) const MAX_FOLDERS: usize = 50_000;
/// How deep a folder of rules is looked into.
const MAX_DEPTH: usize = 8;
/// Files that one glob gives.
const MAX_RULES: usize = 5000;

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Walk {
    Whole,
    Stopped,
}

/// The folders below `cwd` that hold one of the names, by path. What git ignores is not looked into, nor are hidden
/// folders and other repositories' `.git`.
pub(super) fn below(cwd: &Path, top: &Path, names: &BTreeSet<&str>) -> (Vec<PathBuf>, Walk) {
    let mut walk = Below { names, found: Vec::new(), left: MAX_FOLDERS };
    let above = cwd.ancestors().skip(1).take_while(|folder| folder.starts_with(top));
    let mut ignored: Vec<Gitignore> = above.filter_map(ignores).collect();
    ignored.reverse();
    walk.folder(cwd, &mut ignored);
    walk.found.retain(|folder| folder != cwd);
    let whole = if walk.left == 0 { Walk::Stopped } else { Walk::Whole };
    (walk.found, whole)
}

/// The folders below `cwd` that hold a path.
pub(super) fn between(cwd: &Path, path: &Path) -> impl Iterator<Item = PathBuf> {
    let folders = path.ancestors().skip(1).take_while(move |folder| *folder != cwd);
    folders.filter(move |folder| folder.starts_with(cwd)).map(Path::to_path_buf)
}

struct Below<'n> {
    names: &'n BTreeSet<&'n str>,
    found: Vec<PathBuf>,
    left: usize,
}

impl Below<'_> {
    fn folder(&mut self, folder: &Path, ignored: &mut Vec<Gitignore>) {
        if self.left == 0 {
            return;
        }
        self.left -= 1;
        let Ok(entries) = folder.read_dir() else { return };
        let (mut inner, mut has_ignore) = (Vec::new(), false);
        for entry in entries.flatten() {
            let name = entry.file_name();
            let Some(name) = name.to_str() else { continue };
            if self.names.contains(name) {
                if self.found.last().is_none_or(|last| last != folder) {
                    self.found.push(folder.into());
                }
            } else if name == ".gitignore" {
                has_ignore = true;
            } else if !name.starts_with('.') && is_folder(&entry) {
                inner.push(entry.path());
            }
        }
        let own = if has_ignore { ignores(folder) } else { None };
        let depth = ignored.len();
        ignored.extend(own);
        for inner in inner {
            if !is_ignored(ignored, &inner) {
                self.folder(&inner, ignored);
            }
        }
        ignored.truncate(depth);
    }
}

/// A link to a folder is none: the walk stays below where it began.
fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

fn ignores(folder: &Path) -> Option<Gitignore> {
    let file = folder.join(".gitignore");
    // What is no regular file, or a link, is no `.gitignore` for git either.
    if !file.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
        return None;
    }
    let mut builder = GitignoreBuilder::new(folder);
    builder.add(file);
    builder.build().ok()
}

fn is_ignored(ignored: &[Gitignore], folder: &Path) -> bool {
    let says = ignored.iter().rev().map(|one| one.matched(folder, true)).find(|one| !one.is_none());
    says.is_some_and(|says| says.is_ignore())
}

/// The files that a path of a profile names in a folder: itself, or what its glob matches, by path.
pub(super) fn files(folder: &Path, file: &str) -> Vec<PathBuf> {
    let steps: Vec<&str> = file.split('/').collect();
    let Some(first) = steps.iter().position(|step| step.contains('*')) else {
        return vec![folder.join(file)];
    };
    let inner = steps[..first].iter().fold(folder.to_path_buf(), |path, step| path.join(step));
    let glob = GlobBuilder::new(&steps[first..].join("/")).literal_separator(true).build();
    let Ok(glob) = glob.map(|glob| glob.compile_matcher()) else { return Vec::new() };
    let depth = if steps[first..].contains(&"**") { MAX_DEPTH } else { steps.len() - first };
    let mut all = Vec::new();
    listed(&inner, depth, &mut Vec::new(), &mut all);
    all.retain(|path| path.strip_prefix(&inner).is_ok_and(|rest| glob.is_match(rest)));
    all.sort_unstable();
    all
}

/// All files of a folder. Links to folders are followed, each folder once on a way: whether what lies there may be read
/// is asked when it is.
fn listed(folder: &Path, depth: usize, way: &mut Vec<PathBuf>, all: &mut Vec<PathBuf>) {
    let Ok(real) = folder.canonicalize() else { return };
    if depth == 0 || all.len() >= MAX_RULES || way.contains(&real) {
        return;
    }
    let Ok(entries) = folder.read_dir() else { return };
    way.push(real);
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths {
        if all.len() >= MAX_RULES {
            break;
        }
        if path.is_dir() {
            listed(&path, depth - 1, way, all);
        } else {
            all.push(path);
        }
    }
    way.pop();
}
