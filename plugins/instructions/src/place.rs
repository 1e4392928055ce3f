//! Where and for what instruction files are wanted.
//!
//! In: what the host knows. Out: [`Place`], and the ground that follows from it and a profile. Never: reads a
//! file's text.

use std::path::{Component, Path, PathBuf};

use crate::profile::{Profile, Top};

/// Where the agent works, and on what.
#[derive(Clone, Debug)]
pub struct Place {
    /// The working folder, absolute.
    pub cwd: PathBuf,
    /// The user's home; without it the user's own files are not looked for.
    pub home: Option<PathBuf>,
    /// The folder below which the organisation's files lie; `/`, but in tests.
    pub system: PathBuf,
    /// The files that the work is about, absolute or from `cwd`.
    pub touched: Vec<PathBuf>,
    /// The rules that the user asked for by name.
    pub named: Vec<String>,
    /// Files and folders outside of the project that the user lets project files import and link to. Nothing inside
    /// a project may fill this.
    pub approved: Vec<PathBuf>,
    /// Globs over absolute paths that are not read; the organisation's files are read all the same.
    pub exclude: Vec<String>,
}

impl Place {
    /// A folder, without anything else.
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Self {
            cwd: cwd.into(),
            home: None,
            system: "/".into(),
            touched: Vec::new(),
            named: Vec::new(),
            approved: Vec::new(),
            exclude: Vec::new(),
        }
    }
}

/// The folders that follow from a place and a profile, all absolute and without `.` and `..`.
pub(crate) struct Ground {
    pub(crate) cwd: PathBuf,
    pub(crate) home: Option<PathBuf>,
    pub(crate) system: PathBuf,
    /// The repository that holds the working folder, else the working folder.
    pub(crate) top: PathBuf,
    /// From the outermost folder that the host looks into down to the working folder.
    pub(crate) up: Vec<PathBuf>,
    pub(crate) touched: Vec<PathBuf>,
    pub(crate) approved: Vec<PathBuf>,
}

impl Ground {
    pub(crate) fn new(profile: &Profile, place: &Place) -> Self {
        let cwd = plain(&place.cwd);
        let top = repository(&cwd).unwrap_or_else(|| cwd.clone());
        let outermost = match profile.top {
            Top::Filesystem => Path::new(""),
            Top::Repository => &top,
        };
        let mut up: Vec<_> = cwd
            .ancestors()
            .filter(|folder| folder.starts_with(outermost))
            .map(Path::to_path_buf)
            .collect();
        up.reverse();
        let full = |path: &PathBuf| plain(&cwd.join(path));
        let touched = place.touched.iter().map(full).collect();
        let approved = place.approved.iter().map(|path| plain(&at_home(path, place))).collect();
        let home = place.home.as_deref().map(plain);
        Self { home, system: plain(&place.system), top, up, touched, approved, cwd }
    }

    /// A path as people read it: below the top, `~/…`, or absolute; always with `/`.
    pub(crate) fn show(&self, path: &Path) -> String {
        let (front, rest) = match (path.strip_prefix(&self.top), &self.home) {
            (Ok(rest), _) if !rest.as_os_str().is_empty() => ("", rest),
            (_, Some(home)) => match path.strip_prefix(home) {
                Ok(rest) => ("~/", rest),
                Err(_) => ("", path),
            },
            _ => ("", path),
        };
        let rest = rest.to_string_lossy();
        let rest =
            if std::path::MAIN_SEPARATOR == '/' { rest } else { rest.replace('\\', "/").into() };
        // A name may hold anything; in a prompt it stays on its line.
        let rest: String =
            rest.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        format!("{front}{rest}")
    }

    /// Whether the user lets project files reach a path.
    pub(crate) fn is_approved(&self, real: &Path) -> bool {
        let real_of = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        self.approved.iter().any(|path| real.starts_with(path) || real.starts_with(real_of(path)))
    }
}

fn at_home(path: &Path, place: &Place) -> PathBuf {
    match (path.strip_prefix("~"), &place.home) {
        (Ok(rest), Some(home)) => home.join(rest),
        (Ok(_), None) | (Err(_), _) => place.cwd.join(path),
    }
}

/// The nearest folder that holds `.git`, a folder or the file of a work tree.
fn repository(cwd: &Path) -> Option<PathBuf> {
    let has_git = |folder: &&Path| folder.join(".git").symlink_metadata().is_ok();
    cwd.ancestors().find(has_git).map(Path::to_path_buf)
}

/// A path without `.` and `..`, by its words alone: links are not followed.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for step in path.components() {
        match step {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(step),
        }
    }
    plain
}
