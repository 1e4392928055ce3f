//! The paths at which plugins lie.
//!
//! In: the places. Out: the path of each plugin's folder or library. Never: takes a relative path of
//! the search path, which would be the current folder's.

use std::fs;
use std::path::{Path, PathBuf};

use promptweave::{Code, Diagnostic};

use super::{Place, Sources, tell};
use crate::manifest::MANIFEST_FILE;

/// The folder of plugins in a data folder or a pack.
const FOLDER: &str = "plugins";
/// The most plugins of one folder.
const MAX_ENTRIES: usize = 1024;
/// How the files of libraries end.
const ENDINGS: &[&str] = &["so", "dylib", "dll"];

/// Whether a file is a library, by its ending.
pub(super) fn is_library(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

pub(super) fn all(sources: &Sources, told: &mut Vec<Diagnostic>) -> Vec<(Place, PathBuf)> {
    let mut found = Vec::new();
    for path in &sources.named {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.clone());
        let folder = path.parent().filter(|_| path.ends_with(MANIFEST_FILE));
        found.push((Place::Named, folder.map_or(path.clone(), Path::to_owned)));
    }
    let searched = sources.search_path.iter().flat_map(std::env::split_paths);
    for path in searched.filter(|path| !path.as_os_str().is_empty()) {
        if !path.is_absolute() {
            let message = format!("`{}` on the plugin path is relative", path.display());
            let one = tell(Code::PluginMissing, &path, message);
            told.push(one.help("write absolute paths; this one is left out"));
        } else if path.join(MANIFEST_FILE).exists() || is_library(&path) {
            found.push((Place::SearchPath, path));
        } else {
            let children = children(&path, told);
            found.extend(children.into_iter().map(|path| (Place::SearchPath, path)));
        }
    }
    let user = sources.data.iter().map(|folder| (Place::User, folder));
    let project = sources.project.iter().map(|folder| (Place::Project, folder));
    let packs = sources.packs.iter().map(|folder| (Place::Pack, folder));
    for (place, folder) in user.chain(project).chain(packs) {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone()).join(FOLDER);
        if folder.exists() {
            found.extend(children(&folder, told).into_iter().map(|path| (place, path)));
        }
    }
    found
}

/// The folders and libraries in a folder, by name; hidden ones and other files are none.
fn children(folder: &Path, told: &mut Vec<Diagnostic>) -> Vec<PathBuf> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            let message = format!("`{}` cannot be read: {error}", folder.display());
            let one = tell(Code::PluginMissing, folder, message);
            told.push(one.help("name a folder of plugins"));
            return Vec::new();
        }
    };
    let shown = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        !hidden && (path.is_dir() || is_library(path))
    };
    let mut paths = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => paths.push(entry.path()),
            Err(error) => {
                let message = format!("`{}` cannot be read to its end: {error}", folder.display());
                told.push(tell(Code::PluginMissing, folder, message).help("try again"));
                break;
            }
        }
    }
    paths.retain(shown);
    paths.sort();
    if paths.len() > MAX_ENTRIES {
        let message = format!("`{}` holds more than {MAX_ENTRIES} plugins", folder.display());
        told.push(tell(Code::PluginMissing, folder, message).help("the others are left out"));
        paths.truncate(MAX_ENTRIES);
    }
    paths
}
