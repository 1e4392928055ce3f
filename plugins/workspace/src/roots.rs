//! The folder that the work belongs to: `roots`.
//!
//! In: the folder. Out: one root: the top of the repository that holds the folder, else the folder. Never:
//! looks for more.

use std::path::{Path, PathBuf};

use promptweave_plugin::{Cx, Error, Probe};
use serde::Serialize;

use crate::config::Config;
use crate::{folder, git, write};

pub(crate) struct Roots;

impl Probe<Config> for Roots {
    const ID: &'static str = "roots";
    const DESCRIPTION: &'static str = "The top of the repository, else the working folder";
    const KEY: &'static str = "roots";
    const DEPS: &'static [&'static str] = &["cwd"];

    fn probe(_: &Config, cx: &mut Cx<'_>) -> Result<(), Error> {
        let Some(folder) = folder(cx)? else { return Ok(()) };
        // A repository that cannot be read is the business of the probe `git`.
        let top = git::open(folder).ok().flatten();
        let top = top.as_ref().and_then(|repository| repository.workdir());
        write(cx, &[Root::of(top.unwrap_or(folder))])
    }
}

#[derive(Serialize)]
struct Root {
    path: String,
    name: String,
}

impl Root {
    fn of(path: &Path) -> Self {
        // Without the separator that may stand at the end.
        let path: PathBuf = path.components().collect();
        let name = path.file_name().unwrap_or(path.as_os_str());
        Self { path: path.to_string_lossy().into(), name: name.to_string_lossy().into() }
    }
}
