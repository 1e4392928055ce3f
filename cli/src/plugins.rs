//! Which plugins there are, what the user says of them, and those that run.
//!
//! In: flags, the user's folders. Out: what is known of plugins, or plugins that are started.
//! Never: starts one that the user has not named or trusted.

use std::env;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, ValueEnum};
use promptweave::{Diagnostic, Engine, Origin, PackName, Severity, TrustStore};
use promptweave_loader::{
    Discovery, Given, HostProgram, Judge, LOCK_FILE, Listed, Lock, NativePolicy, PluginsBuilder,
    Sources, UserConfig,
};

use serde_json::Value as Json;

use crate::failure::Failure;
use crate::packs::{self, PROJECT_FOLDER, PackFlags};
use crate::workspace;

/// Folders of plugins, or plugins, beyond the user's.
const SEARCH_PATH: &str = "PROMPTWEAVE_PLUGIN_PATH";
const CONFIG_FILE: &str = "config.toml";
/// The plugin that offers skills of trusted projects, and the key by which it is told of them.
const SKILLS: &str = "skills";
const TRUSTED: &str = "trusted";

/// The argument by which this program becomes the process of a plugin.
pub(crate) const HOST_VERB: &str = "plugin-host";
/// The argument by which this program becomes the process that checks a plugin.
pub(crate) const CHECK_VERB: &str = "plugin-check-one";

/// Which plugins run, and where.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Plugins")]
pub(crate) struct PluginFlags {
    /// Run this plugin, a library or a folder, in a process of its own; may be given again
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) plugin: Vec<PathBuf>,
    /// Configure a plugin by a JSON or TOML file
    #[arg(long, value_name = "NAME=FILE")]
    pub(crate) plugin_config: Vec<NamedFile>,
    /// Where plugins run; `inproc` is for those that were trusted with it
    #[arg(long, value_name = "WHERE")]
    pub(crate) plugins: Option<Where>,
}

/// Where plugins run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Where {
    Process,
    Inproc,
    Off,
}

/// `NAME=FILE`.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    name: String,
    file: PathBuf,
}

impl FromStr for NamedFile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text.split_once('=').ok_or("write NAME=FILE, e.g. acme=acme.toml")?;
        Ok(Self { name: name.into(), file: file.into() })
    }
}

impl PluginFlags {
    /// Starts the plugins in force; `bare` makes the engine of the packs, which may configure plugins.
    pub(crate) fn load(
        &self,
        packs: &PackFlags,
        bare: impl FnOnce() -> Result<Engine, Failure>,
    ) -> Result<promptweave_loader::Plugins, Failure> {
        let sources = sources(packs);
        let nothing = sources.is_empty() && self.plugin_config.is_empty();
        if self.plugins == Some(Where::Off) || nothing {
            return Ok(promptweave_loader::Plugins::default());
        }
        let user = packs::config_folder().map(|folder| UserConfig::open(&folder.join(CONFIG_FILE)));
        let (mut user, home) = (user.unwrap_or_default(), env::home_dir());
        let mut builder = promptweave_loader::Plugins::builder()
            .places(sources)
            .program(own_program(HOST_VERB, "use `--plugins off`")?);
        if let Ok(here) = env::current_dir() {
            let folders = workspace::folders(&here, home.as_deref());
            if let Some((file, project)) =
                packs::trust_file().zip(folders.get(1).or(folders.first()))
            {
                trusts(&mut user, &TrustStore::open(&file), (&file, project));
            }
            builder = folders.iter().fold(builder, PluginsBuilder::workspace);
        }
        builder = builder.user(user);
        if let Some(own) = packs::config_folder() {
            builder = builder.kept(own);
        }
        if let Some(home) = home {
            builder = builder.home(home);
        }
        if let Some(place) = self.plugins {
            builder = builder.isolation(place.into());
        }
        let builder = self.configured(builder)?;
        Ok(builder.of_packs(bare()?.registry()).load())
    }

    fn configured(&self, builder: PluginsBuilder) -> Result<PluginsBuilder, Failure> {
        self.plugin_config.iter().try_fold(builder, |builder, NamedFile { name, file }| {
            let given = Given::open(file).map_err(|told| {
                let first = told.into_iter().next();
                let first = first.map(|told| Diagnostic { severity: Severity::Error, ..told });
                first.map_or(Failure::Check, |first| Failure::Input(Box::new(first)))
            })?;
            Ok(builder.config(name, given))
        })
    }
}

/// Tells the plugin `skills`, which may read no list of ours, that the user trusts the project. It is told as if the user's own
/// file said so, so that a file of `--plugin-config` counts more.
fn trusts(user: &mut UserConfig, store: &TrustStore, (file, project): (&Path, &Path)) {
    let real = project.canonicalize().ok().filter(|_| store.is_trusted(project));
    let (Some(project), Ok(skills)) = (real, PackName::new(SKILLS)) else { return };
    let origin = Origin::Line { file: file.to_string_lossy().into(), line: 0 };
    let given = user.plugins.entry(skills).or_default();
    let (trusted, _) =
        given.values.entry(TRUSTED.into()).or_insert_with(|| (Json::Array(Vec::new()), origin));
    // A list that is none is told by whoever reads it.
    if let Json::Array(folders) = trusted {
        folders.push(project.to_string_lossy().into());
    }
}

/// This program, as a process for plugins: what `verb` makes of it. `help` says what to do when its file is unknown.
pub(crate) fn own_program(verb: &str, help: &str) -> Result<HostProgram, Failure> {
    let path = env::current_exe().map_err(|error| {
        Failure::input(format!("this program's own file is unknown: {error}"), help)
    })?;
    Ok(HostProgram { path, args: vec![verb.into()] })
}

impl From<Where> for NativePolicy {
    fn from(place: Where) -> Self {
        match place {
            Where::Process => Self::Process,
            Where::Inproc => Self::InProc,
            Where::Off => Self::Off,
        }
    }
}

/// Wherever plugins may lie.
fn sources(packs: &PackFlags) -> Sources {
    let mut folders: Vec<PathBuf> = packs::config_folder().into_iter().collect();
    folders.extend(packs.pack.iter().cloned());
    Sources {
        named: packs.plugins.plugin.clone(),
        search_path: env::var_os(SEARCH_PATH),
        data: packs::data_folder(),
        project: packs::project().map(|project| project.join(PROJECT_FOLDER)),
        packs: folders,
    }
}

/// The files and folders of the plugins in force.
pub(crate) fn watched(packs: &PackFlags) -> Vec<PathBuf> {
    let sources = sources(packs);
    let user = sources.data.iter().map(|data| data.join("plugins"));
    let trusted = sources.data.iter().map(|data| data.join(LOCK_FILE));
    let searched = sources.search_path.iter().flat_map(env::split_paths);
    let files = packs.plugins.plugin_config.iter().map(|named| named.file.clone());
    sources.named.iter().cloned().chain(user).chain(trusted).chain(searched).chain(files).collect()
}

/// The plugins that were found, with what decides about them.
pub(crate) struct Plugins {
    pub(crate) discovery: Discovery,
    pub(crate) lock: Lock,
    pub(crate) config: UserConfig,
}

impl Plugins {
    /// Looks wherever plugins may lie.
    pub(crate) fn find(packs: &PackFlags) -> Self {
        Self::at(&sources(packs))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn trusted(user: &UserConfig) -> Option<&Json> {
        let skills = user.plugins.get(&PackName::new(SKILLS).unwrap())?;
        skills.values.get(TRUSTED).map(|(folders, _)| folders)
    }

    #[test]
    fn what_trust_remembers_reaches_the_plugin() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let (file, project) = (root.join("trusted.json"), root.join("project"));
        std::fs::create_dir(&project).unwrap();
        let at = (&*file, &*project);

        let mut user = UserConfig::default();
        trusts(&mut user, &TrustStore::open(&file), at);
        assert_eq!(trusted(&user), None);

        TrustStore::open(&file).trust(&project).unwrap();
        trusts(&mut user, &TrustStore::open(&file), at);
        assert_eq!(trusted(&user), Some(&Json::from(vec![project.to_str().unwrap()])));

        let own = "[plugins.skills]\ntrusted = ['/own']\n";
        std::fs::write(root.join("config.toml"), own).unwrap();
        let mut user = UserConfig::open(&root.join("config.toml"));
        trusts(&mut user, &TrustStore::open(&file), at);
        assert_eq!(trusted(&user).unwrap()[1], project.to_str().unwrap());
    }
}
