//! Which packs are in force: the standard pack, the user's, the project's, each `--pack`; later wins.

use std::env;
use std::path::{Path, PathBuf};

use clap::Args;
use etcetera::BaseStrategy;
use promptweave::{Code, Diagnostic, Engine, EngineBuilder, Origin, Trust, TrustStore};
use promptweave_loader::WatchError;

use crate::failure::Failure;
use crate::files;
use crate::plugins::{self, PluginFlags};
use crate::revision;

/// The folder of a project's own pack.
pub(crate) const PROJECT_FOLDER: &str = ".promptweave";
/// Every pack has it.
pub(crate) const PACK_FILE: &str = "pack.toml";
const OWN_FOLDER: &str = "promptweave";
const TRUST_FILE: &str = "trusted-projects.json";

/// Which packs are in force.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Packs")]
pub(crate) struct PackFlags {
    /// Add the pack in this folder; may be given again, later wins
    #[arg(long, value_name = "DIR")]
    pub(crate) pack: Vec<PathBuf>,
    /// Leave out the standard pack
    #[arg(long)]
    pub(crate) no_standard: bool,
    /// Lay a file of model data over the shipped one: minimum sizes, prices, what models cache; may be given again
    #[arg(long, value_name = "FILE")]
    pub(crate) models: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) plugins: PluginFlags,
}

impl PackFlags {
    /// The engine of all packs and plugins in force.
    pub(crate) fn engine(&self) -> Result<Engine, Failure> {
        let bare = || self.bare_engine();
        Ok(self.plugins.load(self, bare)?.add_to(self.in_force()?).build()?)
    }

    /// The engine of all packs in force, without any plugin.
    pub(crate) fn bare_engine(&self) -> Result<Engine, Failure> {
        Ok(self.in_force()?.build()?)
    }

    /// The engine of all packs and plugins in force, with the packs of the project and of `--pack` as they were at a
    /// revision of their repository.
    pub(crate) fn engine_at(&self, revision: &str) -> Result<Engine, Failure> {
        let bare = || Ok(self.at(revision)?.build()?);
        Ok(self.plugins.load(self, bare)?.add_to(self.at(revision)?).build()?)
    }

    /// The engine of one pack, on the standard pack and those that are named, with the plugins in force.
    pub(crate) fn engine_of(&self, dir: &Path) -> Result<Engine, Failure> {
        let bare = || self.bare_engine_of(dir);
        Ok(self.plugins.load(self, bare)?.add_to(self.with(dir)?).build()?)
    }

    /// The engine of one pack, on the standard pack and those that are named.
    pub(crate) fn bare_engine_of(&self, dir: &Path) -> Result<Engine, Failure> {
        Ok(self.with(dir)?.build()?)
    }

    /// The engine of the packs that a folder's pack is laid on, and of nothing else.
    pub(crate) fn beneath_folder(&self) -> Result<Engine, Failure> {
        let standard = (!self.no_standard).then(promptweave_variants::standard);
        let mut builder = standard.into_iter().fold(Engine::builder(), EngineBuilder::pack);
        for dir in &self.pack {
            builder = builder.pack_dir(pack_dir(dir)?);
        }
        Ok(builder.build()?)
    }

    fn in_force(&self) -> Result<EngineBuilder, Failure> {
        let mut builder = self.beneath_project();
        if let Some(project) = self.own_project() {
            builder = builder.project(project, Trust::IfTrusted);
        }
        self.named(builder)
    }

    fn at(&self, revision: &str) -> Result<EngineBuilder, Failure> {
        let trust = trust_file().map(TrustStore::open);
        let trusts = |project: &PathBuf| trust.as_ref().is_some_and(|it| it.is_trusted(project));
        let project = self.own_project().filter(trusts);
        let project = project.map(|project| project.join(PROJECT_FOLDER));
        let folders: Vec<&PathBuf> = project.iter().chain(&self.pack).collect();
        if folders.is_empty() {
            let why = "a revision is one of a pack's repository: name a pack with `--pack`";
            return Err(Failure::Usage(why.into()));
        }
        let mut builder = self.beneath_project();
        for folder in folders {
            builder = match revision::pack_at(folder, revision)? {
                Ok(pack) => builder.pack(pack),
                Err(note) => builder.told([*note]),
            };
        }
        self.with_models(builder)
    }

    /// The project with a pack, unless the pack is named too.
    fn own_project(&self) -> Option<PathBuf> {
        project().filter(|project| !self.names(project))
    }

    fn beneath_project(&self) -> EngineBuilder {
        user_pack().into_iter().fold(self.beneath_user(), EngineBuilder::pack_dir)
    }

    fn with(&self, dir: &Path) -> Result<EngineBuilder, Failure> {
        Ok(self.named(self.beneath_user())?.pack_dir(pack_dir(dir)?))
    }

    /// The engine of the user's packs, and the same with a folder's pack on top.
    pub(crate) fn engines_with(&self, dir: &Path) -> Result<(Engine, Engine), Failure> {
        let with = self.beneath_project().pack_dir(pack_dir(dir)?);
        Ok((self.named(self.beneath_project())?.build()?, self.named(with)?.build()?))
    }

    fn beneath_user(&self) -> EngineBuilder {
        let mut builder = Engine::builder();
        if !self.no_standard {
            builder = builder.pack(promptweave_variants::standard());
        }
        trust_file().into_iter().fold(builder, EngineBuilder::trust_file)
    }

    fn named(&self, mut builder: EngineBuilder) -> Result<EngineBuilder, Failure> {
        for dir in &self.pack {
            builder = builder.pack_dir(pack_dir(dir)?);
        }
        self.with_models(builder)
    }

    fn with_models(&self, mut builder: EngineBuilder) -> Result<EngineBuilder, Failure> {
        for file in &self.models {
            builder = builder.model_data(&file.to_string_lossy(), &files::read_file(file)?);
        }
        Ok(builder)
    }

    /// Whether the project's pack is among those that are named.
    fn names(&self, project: &Path) -> bool {
        let own = project.join(PROJECT_FOLDER).canonicalize().ok();
        own.is_some() && self.pack.iter().any(|dir| dir.canonicalize().ok() == own)
    }
}

/// Whatever the packs and plugins in force are made of.
pub(crate) fn watched(flags: &PackFlags) -> Vec<PathBuf> {
    let mut paths = flags.pack.clone();
    paths.extend(config_folder());
    paths.extend(project().map(|project| project.join(PROJECT_FOLDER)));
    paths.extend(plugins::watched(flags));
    paths
}

/// Why their files are not followed.
pub(crate) fn unwatched(error: WatchError<Failure>) -> Failure {
    match error {
        WatchError::Engine(failure) => failure,
        WatchError::System(_) | WatchError::Path { .. } | WatchError::Thread(_) => {
            Failure::input(error.to_string(), "the system's limit of watched files may be reached")
        }
    }
}

/// A folder that holds a pack.
pub(crate) fn pack_dir(dir: &Path) -> Result<&Path, Failure> {
    let why = match dir.join(PACK_FILE).metadata() {
        Ok(file) if file.is_file() => return Ok(dir),
        _ if !dir.is_dir() => "is no folder",
        _ => "has no `pack.toml`",
    };
    let message = format!("`{}` is no pack: it {why}", dir.display());
    let told = Diagnostic::new(Code::PackMissing, message, Origin::Engine);
    let help = "name a pack's folder; `promptweave new pack DIR` makes one";
    Err(Failure::Input(Box::new(told.help(help))))
}

/// The nearest folder with a pack of its own: the current one or one above it.
pub(crate) fn project() -> Option<PathBuf> {
    let here = env::current_dir().ok()?;
    here.ancestors().find(|dir| dir.join(PROJECT_FOLDER).is_dir()).map(Path::to_owned)
}

/// The pack to work on when none is named: the current folder, or the project's.
pub(crate) fn pack_here() -> Option<PathBuf> {
    let own = || project().map(|project| project.join(PROJECT_FOLDER));
    if Path::new(PACK_FILE).is_file() {
        return Some(".".into());
    }
    own().filter(|dir| dir.join(PACK_FILE).is_file())
}

/// The user's pack, `~/.config/promptweave`.
fn user_pack() -> Option<PathBuf> {
    let dir = config_folder()?;
    dir.join(PACK_FILE).is_file().then_some(dir)
}

/// The list of trusted projects, in the user's data folder.
pub(crate) fn trust_file() -> Option<PathBuf> {
    Some(data_folder()?.join(TRUST_FILE))
}

/// Our folder in the user's data folder.
pub(crate) fn data_folder() -> Option<PathBuf> {
    own(|folders| folders.data_dir())
}

/// Our folder in the user's configuration, which is the user's pack too.
pub(crate) fn config_folder() -> Option<PathBuf> {
    own(|folders| folders.config_dir())
}

/// Our folder below one of the user's.
///
/// None where the user's is relative, as with `HOME=.`: it would lie in the project, which could then
/// trust itself.
fn own(of_user: fn(&dyn BaseStrategy) -> PathBuf) -> Option<PathBuf> {
    // The same folders on every Unix, macOS too: the documentation can name them.
    let folders = etcetera::choose_base_strategy().ok()?;
    Some(of_user(&folders).join(OWN_FOLDER)).filter(|folder| folder.is_absolute())
}
