//! Where skills lie, and how much may be said of them.
//!
//! In: JSON. Out: [`Config`], within its limits. Never: corrects a value in silence.

use std::path::{Path, PathBuf};

use promptweave_plugin::Error;
use serde::Deserialize;

use crate::scan::is_below;

/// Where skills lie when nothing else is said, below the user's home and below the project.
pub const FOLDERS: &[&str] = &[".agents/skills", ".claude/skills", ".promptweave/skills"];
const BUDGET: usize = 4000;

/// The keys of the configuration; `plugin.toml` has the same defaults.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    pub(crate) folders: Vec<String>,
    budget: usize,
    trusted: Vec<PathBuf>,
}

impl Default for Config {
    fn default() -> Self {
        let folders = FOLDERS.iter().map(|folder| (*folder).to_owned()).collect();
        Self { folders, budget: BUDGET, trusted: Vec::new() }
    }
}

impl Config {
    pub(crate) fn read(json: &str) -> Result<Self, Error> {
        let config: Self = serde_json::from_str(json)?;
        if let Some(folder) = config.folders.iter().find(|it| !is_below(Path::new(it))) {
            return Err(format!("`{folder}` of `folders` is no path below another").into());
        }
        if let Some(folder) = config.trusted.iter().find(|it| it.is_relative()) {
            let folder = folder.display();
            return Err(format!("`{folder}` of `trusted` is no absolute path").into());
        }
        Ok(config)
    }

    pub(crate) fn budget(&self) -> Option<usize> {
        Some(self.budget).filter(|budget| *budget > 0)
    }

    pub(crate) fn trusts(&self, project: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        self.trusted.iter().any(|trusted| real(trusted) == real(project))
    }
}
