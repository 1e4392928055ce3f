//! Starts one plugin that may be loaded.
//!
//! In: a candidate with its grant and configuration. Out: a [`Plugin`], or a diagnostic that says why there is none.
//! Never: decides whether it may be loaded.

use std::path::PathBuf;

use promptweave::{CacheClass, Code, Diagnostic, Origin, SourceFile};
use promptweave_abi::Entry;

use crate::config::SandboxPolicy;
use crate::discover::Candidate;
use crate::guest::{self, Instance};
use crate::judge::Runs;
use crate::limits::{Confine, Limits, Quarantine};
use crate::lock::Grant;
use crate::manifest::{Capabilities, Folder, ItemEntry, ItemKind, Manifest, Permission, Run};
use crate::plugin::{LeftOut, Plugin};
use crate::process::{HostProgram, Order, Process};
use crate::store::Store;
use crate::table::{Item, Table};

/// What the host gives to all plugins.
#[derive(Clone, Debug)]
pub(crate) struct Hosting {
    pub(crate) program: Option<HostProgram>,
    /// No manifest gets more.
    pub(crate) most: Limits,
    pub(crate) quarantine: Quarantine,
    pub(crate) sandbox: SandboxPolicy,
    /// What the word `workspace` of a manifest means.
    pub(crate) workspace: Vec<PathBuf>,
    pub(crate) home: Option<PathBuf>,
    pub(crate) store: Option<Store>,
    /// Where trust is kept; no plugin may write there.
    pub(crate) kept: Vec<PathBuf>,
}

/// Starts a plugin; with a diagnostic for each item that was left out.
pub(crate) fn start(
    hosting: &Hosting,
    candidate: &Candidate,
    (grant, runs, config): (&Grant, Runs, &str),
) -> Result<(Plugin, Vec<Diagnostic>), Diagnostic> {
    let refused = |why: String| refusal(Code::PluginRefused, candidate, &why);
    let manifest = candidate.manifest.as_ref();
    let limits = hosting.limits(&manifest.map(|manifest| manifest.run.clone()).unwrap_or_default());
    let library = hosting.copy(candidate)?;
    let (plugin, left_out) = match runs {
        Runs::InProc => {
            // SAFETY: the user's trust entry and the host's policy both let this very library run here; the
            // file is the private copy of what was trusted.
            let instance =
                unsafe { guest::open(&library).and_then(|entry| Instance::new(entry, config)) };
            let instance = instance.map_err(|refusal| refused(refusal.0))?;
            instance.ready().map_err(refused)?;
            Plugin::in_process(instance, limits)
        }
        Runs::Process | Runs::Declarative => {
            let program = hosting.program.clone().ok_or_else(|| no_program(candidate))?;
            let confine = hosting.confine(&grant.capabilities, &limits).map_err(refused)?;
            let order = Order::new(program, (library, config), confine, &limits);
            let process = Process::start(order, limits, hosting.quarantine).map_err(refused)?;
            Plugin::in_child(process)
        }
    };
    manifest.map_or(Ok(()), |manifest| agree(manifest, plugin.table())).map_err(refused)?;
    Ok((plugin, told(candidate, left_out)))
}

/// Starts a plugin that is linked in: its code is the host's own.
pub(crate) fn linked(
    entry: Entry,
    config: &str,
    limits: Limits,
) -> Result<(Plugin, Vec<Diagnostic>), Diagnostic> {
    let refused = |why: String| {
        Diagnostic::new(
            Code::PluginRefused,
            format!("a plugin that is linked in is refused: {why}"),
            Origin::Engine,
        )
        .help("mend its table")
    };
    // SAFETY: who made the `Entry` vouches for it, and the code of this program is never unloaded.
    let instance = unsafe { Instance::new(entry.as_fn(), config) }.map_err(|why| refused(why.0))?;
    instance.ready().map_err(refused)?;
    let (plugin, left_out) = Plugin::in_process(instance, limits);
    let told = left_out.into_iter().map(|LeftOut { item, why }| {
        let extension = plugin.table().name.as_str().into();
        let origin = Origin::Item { extension, item: item.into() };
        Diagnostic::new(Code::PluginRefused, why, origin).help("the item is left out")
    });
    let told = told.collect();
    Ok((plugin, told))
}

impl Hosting {
    /// What a manifest asks for, as far as the host gives it.
    fn limits(&self, run: &Run) -> Limits {
        Limits {
            call: run.timeout.min(self.most.call),
            load: run.load_timeout.min(self.most.load),
            output: (run.max_output_bytes as usize).min(self.most.output),
            ..self.most
        }
    }

    /// The private copy of the candidate's library.
    fn copy(&self, candidate: &Candidate) -> Result<PathBuf, Diagnostic> {
        let Some(library) = candidate.library() else {
            return Err(refusal(
                Code::PluginMissing,
                candidate,
                "it has no library for this machine",
            ));
        };
        let Some(store) = &self.store else {
            let why = "there is no folder for its private copy";
            return Err(refusal(Code::PluginRefused, candidate, why));
        };
        store.keep(library).map_err(|error| error.diagnostic())
    }

    /// What a child gives up. Nothing that a manifest asks for lets a plugin trust itself.
    fn confine(&self, granted: &Capabilities, limits: &Limits) -> Result<Confine, String> {
        let write = self.folders(&granted.write);
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        let kept: Vec<PathBuf> = self.kept.iter().map(real).collect();
        let reaches = |path: &PathBuf| {
            kept.iter().any(|kept| kept.starts_with(real(path)) || real(path).starts_with(kept))
        };
        if let Some(path) = write.iter().find(|path| reaches(path)) {
            let path = path.display();
            return Err(format!("it asks to write `{path}`, and what is trusted is kept there"));
        }
        Ok(Confine {
            mode: self.sandbox,
            read: self.folders(&granted.read),
            write,
            network: granted.network == Permission::Granted,
            processes: granted.processes == Permission::Granted,
            memory: limits.memory,
            files: limits.files,
        })
    }

    fn folders(&self, folders: &[Folder]) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for folder in folders {
            match folder {
                Folder::Workspace => paths.extend(self.workspace.iter().cloned()),
                Folder::Home(rest) => paths.extend(self.home.iter().map(|home| home.join(&**rest))),
                Folder::Absolute(path) => paths.push(PathBuf::from(&**path)),
            }
        }
        paths
    }
}

fn no_program(candidate: &Candidate) -> Diagnostic {
    let message = format!("the plugin `{}` has no program to run in", candidate.name);
    let help =
        "ship `promptweave-plugin-host` beside the host, or name it in `PROMPTWEAVE_PLUGIN_HOST`";
    Diagnostic::new(Code::PluginOff, message, place(candidate)).help(help)
}

fn refusal(code: Code, candidate: &Candidate, why: &str) -> Diagnostic {
    let message = format!("the plugin `{}` is not loaded: {why}", candidate.name);
    Diagnostic::new(code, message, place(candidate))
        .help("`promptweave plugin check` says more; the rest of the prompt is not affected")
}

pub(crate) fn place(candidate: &Candidate) -> Origin {
    Origin::file(&SourceFile::new(candidate.path.display().to_string(), ""), 0..0)
}

fn told(candidate: &Candidate, left_out: Vec<LeftOut>) -> Vec<Diagnostic> {
    let told = left_out.into_iter().map(|LeftOut { item, why }| {
        let extension = candidate.name.as_str().into();
        let message = format!("the plugin `{}` offers what cannot be used: {why}", candidate.name);
        Diagnostic::new(Code::PluginRefused, message, Origin::Item { extension, item: item.into() })
            .help("the item is left out; its author has to mend it")
    });
    told.collect()
}

/// Whether a table says what the manifest says, as far as that says anything.
pub(crate) fn agree(manifest: &Manifest, table: &Table) -> Result<(), String> {
    if table.name != manifest.name.as_str() {
        let why = "its table calls it";
        return Err(format!("{why} `{}`, its manifest `{}`", table.name, manifest.name));
    }
    if !manifest.version.is_empty() && *table.version != *manifest.version {
        let why = "its table has version";
        return Err(format!("{why} `{}`, its manifest `{}`", table.version, manifest.version));
    }
    for item in &table.items {
        if item.wants_context && manifest.capabilities.context.is_some() {
            return Err(format!(
                "its {} `{}` wants the whole context, and its manifest asks for a part of it",
                item.kind, item.id
            ));
        }
        if let Some(dep) = item.deps.iter().find(|dep| !manifest.capabilities.may_read(dep)) {
            return Err(format!(
                "its {} `{}` reads `{dep}`, which its manifest does not ask for",
                item.kind, item.id
            ));
        }
    }
    if manifest.items.is_empty() { Ok(()) } else { items_agree(manifest, table) }
}

/// Whether manifest and table list the same items, with the same facts.
fn items_agree(manifest: &Manifest, table: &Table) -> Result<(), String> {
    let listed = |kind: ItemKind, id: &str| {
        manifest.items.iter().find(|entry| entry.kind == kind && *entry.id == *id)
    };
    for item in &table.items {
        let Some(entry) = listed(item.kind, &item.id) else {
            return Err(format!("its manifest does not list the {} `{}`", item.kind, item.id));
        };
        if let Some(what) = differs(item, entry) {
            return Err(format!(
                "its manifest gives the {} `{}` another {what}",
                item.kind, item.id
            ));
        }
    }
    let missing = manifest.items.iter().find(|entry| {
        !table.items.iter().any(|item| item.kind == entry.kind && *item.id == *entry.id)
    });
    match missing {
        Some(entry) => {
            Err(format!("its manifest lists the {} `{}`, its table does not", entry.kind, entry.id))
        }
        None => Ok(()),
    }
}

/// What an entry of the manifest says otherwise than the table.
fn differs(item: &Item, entry: &ItemEntry) -> Option<&'static str> {
    let same = |own: &[String], listed: &[std::sync::Arc<str>]| {
        own.len() == listed.len()
            && own.iter().all(|one| listed.iter().any(|other| **other == **one))
    };
    let class = entry.cache.is_none_or(|class| class == CacheClass::from(item.cache));
    let key = entry.key.as_ref().is_none_or(|key| **key == *item.data);
    match (class, same(&item.deps, &entry.deps), same(&item.sections, &entry.sections), key) {
        (false, ..) => Some("cache class"),
        (_, false, ..) => Some("list of keys"),
        (_, _, false, _) => Some("list of sections"),
        (.., false) => Some("context key"),
        (true, true, true, true) => None,
    }
}
