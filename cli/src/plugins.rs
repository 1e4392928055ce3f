//! Which plugins there are, and what the user says of them. Runs none.

use std::env;
use std::path::PathBuf;

use promptweave::Diagnostic;
use promptweave_loader::{Discovery, Judge, LOCK_FILE, Listed, Lock, Sources, UserConfig};

use crate::packs::{self, PROJECT_FOLDER, PackFlags};

/// Folders of plugins, or plugins, beyond the user's.
const SEARCH_PATH: &str = "PROMPTWEAVE_PLUGIN_PATH";
const CONFIG_FILE: &str = "config.toml";

/// The plugins that were found, with what decides about them.
pub(crate) struct Plugins {
    pub(crate) discovery: Discovery,
    pub(crate) lock: Lock,
    pub(crate) config: UserConfig,
}

impl Plugins {
    /// Looks wherever plugins may lie.
    pub(crate) fn find(packs: &PackFlags) -> Self {
        let mut folders: Vec<PathBuf> = packs::config_folder().into_iter().collect();
        folders.extend(packs.pack.iter().cloned());
        Self::at(&Sources {
            named: Vec::new(),
            search_path: env::var_os(SEARCH_PATH),
            data: packs::data_folder(),
            project: packs::project().map(|project| project.join(PROJECT_FOLDER)),
            packs: folders,
        })
    }

    /// Looks at these places.
    pub(crate) fn at(sources: &Sources) -> Self {
        let lock = packs::data_folder().map(|data| Lock::open(data.join(LOCK_FILE)));
        let config =
            packs::config_folder().map(|folder| UserConfig::open(&folder.join(CONFIG_FILE)));
        Self {
            discovery: Discovery::of(sources),
            lock: lock.unwrap_or_default(),
            config: config.unwrap_or_default(),
        }
    }

    /// What decides about them.
    pub(crate) fn judge(&self) -> Judge<'_> {
        Judge { lock: &self.lock, policy: &self.config.policy, keys: &self.config.keys }
    }

    /// What is shown of each.
    pub(crate) fn listed(&self) -> Vec<Listed> {
        let candidates = self.discovery.candidates.iter();
        candidates.map(|candidate| Listed::of(candidate, &self.judge())).collect()
    }

    /// What is wrong with them, and with what the user says of them.
    pub(crate) fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let candidates = self.discovery.candidates.iter();
        let of_candidates = candidates.flat_map(|candidate| &candidate.diagnostics);
        let of_user = self.lock.diagnostics().iter().chain(&self.config.diagnostics);
        of_user.chain(&self.discovery.diagnostics).chain(of_candidates)
    }
}
