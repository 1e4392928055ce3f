//! All plugins of an engine: found, judged, started.
//!
//! In: where plugins may lie, what the user allows. Out: [`Plugins`], which go into an engine, and a diagnostic for each that does
//! not. Never: runs code of a plugin that the user has not consented to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

use promptweave::{Code, Diagnostic, EngineBuilder, MemorySource, Origin, PackName, Registry};
use promptweave_abi::Entry;

use crate::config::{Given, NativePolicy, Policy, UserConfig, effective_config};
use crate::discover::{Candidate, Content, Discovery, Sources};
use crate::judge::{Judge, Runs, Verdict};
use crate::limits::{Limits, Quarantine};
use crate::lock::{Grant, LOCK_FILE, Lock};
use crate::manifest::{MANIFEST_FILE, Manifest};
use crate::pack_files::PackFiles;
use crate::plugin::Plugin;
use crate::process::HostProgram;
use crate::start::{self, Hosting};
use crate::store::Store;

/// The plugins of an engine.
///
/// Cheap to clone; the children of a plugin end with its last clone.
#[derive(Clone, Default)]
pub struct Plugins {
    plugins: Vec<Plugin>,
    /// Plugins without code.
    packs: Vec<(PackName, Vec<(String, String)>)>,
    candidates: Vec<Candidate>,
    diagnostics: Vec<Diagnostic>,
}

impl Plugins {
    /// Starts with no place to look at.
    pub fn builder() -> PluginsBuilder {
        PluginsBuilder::default()
    }

    /// Those with code, in the order in which they go into the engine.
    pub fn loaded(&self) -> &[Plugin] {
        &self.plugins
    }

    /// All that were found, loaded or not.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What is wrong with places, manifests and libraries, and what is not trusted.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Puts them on top of what an engine has so far; its diagnostics tell what is wrong with them.
    #[must_use]
    pub fn add_to(&self, builder: EngineBuilder) -> EngineBuilder {
        let mut builder = builder.told(self.diagnostics.iter().cloned());
        for (name, files) in &self.packs {
            builder = builder.pack(MemorySource::new(name.as_str(), files.clone()));
        }
        self.plugins.iter().cloned().fold(builder, EngineBuilder::extension)
    }
}

/// Collects where plugins may lie and what they may do.
#[derive(Default)]
pub struct PluginsBuilder {
    sources: Sources,
    user: UserConfig,
    files: BTreeMap<String, Vec<Given>>,
    packs: BTreeMap<String, Vec<Given>>,
    isolation: Option<NativePolicy>,
    program: Option<HostProgram>,
    most: Option<Limits>,
    quarantine: Quarantine,
    workspace: Vec<PathBuf>,
    home: Option<PathBuf>,
    kept: Vec<PathBuf>,
    linked: Vec<(Entry, String)>,
}

impl PluginsBuilder {
    /// Names a plugin: a library, a folder, its `plugin.toml`. That is consent to run it in a child.
    #[must_use]
    pub fn plugin(mut self, path: impl AsRef<Path>) -> Self {
        self.sources.named.push(path.as_ref().into());
        self
    }

    /// Adds the places of [`Sources`]; those that were named before stay.
    #[must_use]
    pub fn places(mut self, sources: Sources) -> Self {
        let named = std::mem::take(&mut self.sources.named);
        self.sources = sources;
        self.sources.named.splice(0..0, named);
        self
    }

    /// Names the user's data folder: trust, private copies, `plugins/*`.
    #[must_use]
    pub fn data(mut self, folder: impl AsRef<Path>) -> Self {
        self.sources.data = Some(folder.as_ref().into());
        self
    }

    /// What the user's `config.toml` says; its policy counts.
    #[must_use]
    pub fn user(mut self, user: UserConfig) -> Self {
        self.user = user;
        self
    }

    /// Overrides where native plugins run.
    #[must_use]
    pub fn isolation(mut self, isolation: NativePolicy) -> Self {
        self.isolation = Some(isolation);
        self
    }

    /// Configures a plugin, over what the user's file says.
    #[must_use]
    pub fn config(mut self, name: &str, given: Given) -> Self {
        self.files.entry(name.into()).or_default().push(given);
        self
    }

    /// What a pack says of a plugin; only keys that its manifest opens to packs count.
    #[must_use]
    pub fn pack_config(mut self, name: &str, given: Given) -> Self {
        self.packs.entry(name.into()).or_default().push(given);
        self
    }

    /// What all these packs say of plugins.
    #[must_use]
    pub fn of_packs(self, registry: &Registry) -> Self {
        registry.packs.iter().fold(self, |builder, pack| {
            pack.plugins.iter().fold(builder, |builder, (name, keys)| {
                let origin = Origin::Item { extension: pack.name.as_str().into(), item: "".into() };
                builder.pack_config(name.as_str(), Given::of_table(keys, &origin))
            })
        })
    }

    /// Names the child program; otherwise [`HostProgram::find`] does.
    #[must_use]
    pub fn program(mut self, program: HostProgram) -> Self {
        self.program = Some(program);
        self
    }

    /// The most that any plugin gets; [`Limits::most`] otherwise.
    #[must_use]
    pub fn most(mut self, most: Limits) -> Self {
        self.most = Some(most);
        self
    }

    /// Whether items that keep ending their process are asked again.
    #[must_use]
    pub fn quarantine(mut self, quarantine: Quarantine) -> Self {
        self.quarantine = quarantine;
        self
    }

    /// What the word `workspace` of a manifest means; may be said again.
    #[must_use]
    pub fn workspace(mut self, folder: impl AsRef<Path>) -> Self {
        self.workspace.push(folder.as_ref().into());
        self
    }

    /// Names a folder beside the user's data that no plugin may write, such as that of the user's configuration.
    #[must_use]
    pub fn kept(mut self, folder: impl AsRef<Path>) -> Self {
        self.kept.push(folder.as_ref().into());
        self
    }

    /// The user's home, for `~/…` in manifests.
    #[must_use]
    pub fn home(mut self, folder: impl AsRef<Path>) -> Self {
        self.home = Some(folder.as_ref().into());
        self
    }

    /// Adds a plugin that is part of this program, with its configuration as a JSON object. What
    /// `promptweave_plugin::export_plugin!` makes has a function `plugin()` that gives the entry.
    #[must_use]
    pub fn linked(mut self, entry: Entry, config: &str) -> Self {
        self.linked.push((entry, config.into()));
        self
    }

    /// Finds, judges and starts them, all at the same time.
    #[tracing::instrument(level = "debug", skip_all)]
    pub fn load(self) -> Plugins {
        let found = Discovery::of(&self.sources);
        let lock = self.sources.data.as_ref().map(|data| Lock::open(data.join(LOCK_FILE)));
        let lock = lock.unwrap_or_default();
        let policy = self.policy();
        let judge = Judge { lock: &lock, policy: &policy, keys: &self.user.keys };
        let mut plugins =
            Plugins { diagnostics: self.user.diagnostics.clone(), ..Plugins::default() };
        plugins.diagnostics.extend(lock.diagnostics().iter().cloned());
        plugins.diagnostics.extend(found.diagnostics);
        let hosting = self.hosting(&policy);
        for (entry, config) in &self.linked {
            plugins.take(start::linked(*entry, config, hosting.most));
        }
        let mut starts = Vec::new();
        for candidate in &found.candidates {
            plugins.diagnostics.extend(candidate.diagnostics.iter().cloned());
            plugins.diagnostics.extend(judge.diagnostic(candidate));
            match judge.verdict(candidate) {
                Verdict::Load(_, Runs::Declarative) => plugins.take_pack(candidate),
                Verdict::Load(grant, runs) => {
                    let config = self.effective(candidate, &mut plugins.diagnostics);
                    starts.push((candidate, grant, runs, config));
                }
                Verdict::Off(_)
                | Verdict::Untrusted
                | Verdict::Unsigned
                | Verdict::Changed(_)
                | Verdict::Missing
                | Verdict::Refused => {}
            }
        }
        for started in all(&hosting, &starts) {
            plugins.take(started);
        }
        plugins.diagnostics.extend(self.nobody(&found.candidates));
        plugins.candidates = found.candidates;
        plugins
    }

    /// What is told of configuration that was given to plugins which are not there.
    fn nobody<'s>(&'s self, there: &'s [Candidate]) -> impl Iterator<Item = Diagnostic> + 's {
        let is_there =
            move |name: &str| there.iter().any(|candidate| candidate.name.as_str() == name);
        let unread = self.files.iter().filter(move |(name, _)| !is_there(name));
        unread.map(|(name, given)| {
            let origin = given.iter().find_map(Given::origin).unwrap_or(Origin::Engine);
            let message = format!("there is no plugin `{name}`, so nobody reads its configuration");
            Diagnostic::new(Code::PluginConfig, message, origin)
                .help("name a plugin that is there; `promptweave plugin list` shows them")
        })
    }

    /// What the user's file says, unless the host overrides it.
    fn policy(&self) -> Policy {
        let isolation = self.isolation.unwrap_or(self.user.policy.isolation);
        Policy { isolation, ..self.user.policy }
    }

    fn hosting(&self, policy: &Policy) -> Hosting {
        Hosting {
            program: self.program.clone().or_else(HostProgram::find),
            most: self.most.unwrap_or_else(Limits::most),
            quarantine: self.quarantine,
            sandbox: policy.sandbox,
            workspace: self.workspace.clone(),
            home: self.home.clone(),
            store: self.sources.data.as_deref().map(Store::new),
            kept: self.sources.data.iter().chain(&self.kept).cloned().collect(),
        }
    }

    /// The configuration of a plugin as JSON.
    fn effective(&self, candidate: &Candidate, told: &mut Vec<Diagnostic>) -> String {
        let name = candidate.name.as_str();
        let unknown = || Manifest::of_unknown(candidate.name.clone());
        let manifest = candidate.manifest.clone().unwrap_or_else(unknown);
        let none: &[Given] = &[];
        let packs = self.packs.get(name).map_or(none, Vec::as_slice);
        let files = self.files.get(name).map_or(none, Vec::as_slice);
        let user = self.user.plugins.get(name);
        let (config, of_config) = effective_config(&manifest, packs, user, files);
        told.extend(of_config);
        config.to_string()
    }
}

type Start<'a> = (&'a Candidate, Grant, Runs, String);
type Started = Result<(Plugin, Vec<Diagnostic>), Diagnostic>;

/// Starts all at the same time; the order stays.
fn all(hosting: &Hosting, starts: &[Start<'_>]) -> Vec<Started> {
    let one = |(candidate, grant, runs, config): &Start<'_>| {
        start::start(hosting, candidate, (grant, *runs, config))
    };
    if let [only] = starts {
        return vec![one(only)];
    }
    thread::scope(|scope| {
        let handles: Vec<_> = starts.iter().map(|start| scope.spawn(|| one(start))).collect();
        handles.into_iter().filter_map(|handle| handle.join().ok()).collect()
    })
}

impl Plugins {
    fn take(&mut self, started: Started) {
        match started {
            Ok((plugin, told)) => {
                let (name, version) = (plugin.table().name.as_str(), &*plugin.table().version);
                let (runs, sandbox) = (plugin.isolation().as_str(), plugin.sandbox().as_str());
                tracing::info!(name, version, runs, sandbox, "plugin loaded");
                self.plugins.push(plugin);
                self.diagnostics.extend(told);
            }
            Err(why) => self.diagnostics.push(why),
        }
    }

    /// A plugin without code is a pack; what is loaded is what was judged.
    fn take_pack(&mut self, candidate: &Candidate) {
        let read = PackFiles::read(&candidate.path).ok();
        let same = read.filter(|pack| candidate.content == Content::Pack(pack.sha256));
        let Some(pack) = same else {
            let origin = start::place(candidate);
            let message = format!("the files of the plugin `{}` have just changed", candidate.name);
            let told = Diagnostic::new(Code::PluginChanged, message, origin);
            self.diagnostics.push(told.help("start again"));
            return;
        };
        let mut files = Vec::new();
        for (path, bytes) in pack.files.into_iter().filter(|(path, _)| path != MANIFEST_FILE) {
            match String::from_utf8(bytes) {
                Ok(text) => files.push((path, text)),
                Err(_) => {
                    let message =
                        format!("`{path}` of the plugin `{}` is not UTF-8", candidate.name);
                    let told = Diagnostic::new(Code::FileNotUtf8, message, start::place(candidate));
                    self.diagnostics.push(told.help("the file is left out; save it as UTF-8"));
                }
            }
        }
        self.packs.push((candidate.name.clone(), files));
    }
}
