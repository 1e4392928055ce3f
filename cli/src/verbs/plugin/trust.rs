//! `plugin trust`: lets a plugin be loaded, and shows first what differs from what was trusted.
//!
//! In: a plugin, or with `--revoke` its name. Out: what is trusted, and an entry in `plugins.lock`. Never: runs
//! the plugin's code; asks where nobody can answer.

use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::PackName;
use promptweave_loader::{
    Candidate, Capabilities, Content, Grant, Isolation, Listed, Lock, Permission, Signed, Sources,
    State, may_run_in_proc,
};
use serde_json::{Value as Json, json};

use super::list::items;
use crate::console::Console;
use crate::context;
use crate::failure::Failure;
use crate::plugins::Plugins;
use crate::table::{Table, visible};

const EXAMPLES: &str = "\
Examples:
  promptweave plugin trust path/to/plugin --dry-run
  promptweave plugin trust path/to/plugin --inproc
  promptweave plugin trust acme-workspace --revoke";

/// Let a plugin be loaded: shows what differs from what was trusted, then remembers its digests
///
/// On a terminal it asks before it remembers, unless the manifest is signed by a key that is pinned for
/// its name. A plugin that changes is not loaded until it is trusted anew.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PluginTrust {
    /// The plugin's folder, or its library; with --revoke also its name
    plugin: PathBuf,
    /// Let it run in this program's own process: full trust
    #[arg(long, conflicts_with = "revoke")]
    inproc: bool,
    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Trust it no more
    #[arg(long, conflicts_with_all = ["dry_run", "yes"])]
    revoke: bool,
}

/// One line of what is trusted.
struct Fact {
    name: &'static str,
    now: String,
    /// What was trusted, where it was something else.
    before: Option<String>,
}

impl PluginTrust {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        if self.revoke {
            return self.revoke(console);
        }
        let (mut plugins, candidate) = look(&self.plugin)?;
        console.tell(plugins.diagnostics());
        let grant = self.grant(&plugins, &candidate)?;
        let facts = facts(&plugins, &candidate, &grant);
        if !console.json {
            let path = visible(&candidate.path.display().to_string());
            console.out(format!("{path}: plugin {}\n{}", candidate.name, table(&facts)))?;
        }
        let trusts = !self.dry_run && self.agreed(console, &grant);
        if trusts {
            remember(&mut plugins.lock, |lock| lock.grant(grant))?;
        }
        if console.json {
            let facts: Json = facts.iter().map(Fact::to_json).collect();
            let listed = Listed::of(&candidate, &plugins.judge());
            return console.out_json(&json!({
                "id": listed.id, "path": listed.path, "facts": facts, "trusted": trusts,
            }));
        }
        console.say(match (trusts, self.dry_run) {
            (true, _) => "trusted\n",
            (false, true) => "not trusted yet\n",
            (false, false) => "not trusted\n",
        });
        Ok(())
    }

    fn grant(&self, plugins: &Plugins, candidate: &Candidate) -> Result<Grant, Failure> {
        if candidate.is_refused() {
            return Err(Failure::Check);
        }
        let grant = Grant::of(candidate, context::today()).ok_or(Failure::Check)?;
        if self.inproc && !may_run_in_proc(candidate) {
            let message = format!("the plugin `{}` needs a process of its own", candidate.name);
            return Err(Failure::Usage(message));
        }
        if self.inproc && candidate.library().is_none() {
            let message = format!("the plugin `{}` has no code to run", candidate.name);
            return Err(Failure::Usage(message));
        }
        let signer = match plugins.judge().signed(candidate) {
            Signed::By(key) => Some(key),
            Signed::Nobody | Signed::Stranger => None,
            Signed::Wrong => {
                let message = format!("`{}` has {}", candidate.path.display(), Signed::Wrong);
                let help =
                    "fetch the plugin again; without the signature's file it counts as unsigned";
                return Err(Failure::input(message, help));
            }
        };
        let isolation = if self.inproc { Isolation::InProc } else { Isolation::Process };
        Ok(Grant { isolation, signer, ..grant })
    }

    /// A good signature answers for a library in a child process, and for nothing else: it does not
    /// cover the files of a plugin without code.
    fn agreed(&self, console: &Console, grant: &Grant) -> bool {
        let is_library = &*grant.target != Grant::ANY_TARGET;
        let vouched = grant.signer.is_some() && is_library && !self.inproc;
        self.yes || vouched || console.agreed("trust this plugin?")
    }

    fn revoke(&self, console: &Console) -> Result<(), Failure> {
        let name = self.plugin.to_str().and_then(|name| PackName::new(name).ok());
        let (mut plugins, name) = match name {
            Some(name) if !self.plugin.exists() => (Plugins::at(&Sources::default()), name),
            _ => {
                let (plugins, candidate) = look(&self.plugin)?;
                (plugins, candidate.name)
            }
        };
        let revoked = remember(&mut plugins.lock, |lock| lock.revoke(&name))?;
        if console.json {
            return console.out_json(&json!({ "id": name.as_str(), "revoked": revoked }));
        }
        console.say(if revoked.is_empty() { "was not trusted\n" } else { "trusted no more\n" });
        Ok(())
    }
}

/// The plugin at a path.
fn look(path: &Path) -> Result<(Plugins, Candidate), Failure> {
    if let Err(error) = path.metadata() {
        let message = format!("`{}` cannot be read: {error}", path.display());
        return Err(Failure::input(message, "name a plugin's folder or its library"));
    }
    let plugins = Plugins::at(&Sources { named: vec![path.to_owned()], ..Sources::default() });
    let found = plugins.discovery.candidates.first().cloned();
    let no_plugin = || {
        let message = format!("`{}` is no plugin", path.display());
        Failure::input(message, "name a plugin's folder or its library")
    };
    Ok((plugins, found.ok_or_else(no_plugin)?))
}

/// The change of what is trusted, or why it is none.
fn remember<T>(
    lock: &mut Lock,
    change: impl FnOnce(&mut Lock) -> std::io::Result<T>,
) -> Result<T, Failure> {
    if lock.file().as_os_str().is_empty() {
        let help = "set `HOME` to an absolute path";
        return Err(Failure::input("there is no home folder", help));
    }
    change(lock).map_err(|error| {
        let file = lock.file().display();
        Failure::input(format!("`{file}` cannot be changed: {error}"), "mend or remove the file")
    })
}

impl Fact {
    fn to_json(&self) -> Json {
        json!({ "name": self.name, "now": self.now, "before": self.before })
    }
}

fn table(facts: &[Fact]) -> String {
    let mut table = Table::default();
    for fact in facts {
        let before = fact.before.as_ref().map(|before| format!("was {before}"));
        table.row(["", fact.name, &fact.now, &before.unwrap_or_default()]);
    }
    table.text()
}

/// What would be trusted, line by line, beside what was.
fn facts(plugins: &Plugins, candidate: &Candidate, grant: &Grant) -> Vec<Fact> {
    let before = match plugins.lock.state(candidate) {
        State::Trusted(before) | State::Changed { before, .. } => Some(lines(&before)),
        State::Untrusted => None,
    };
    let mut facts: Vec<Fact> = lines(grant)
        .into_iter()
        .enumerate()
        .map(|(at, (name, now))| {
            let before = before.as_ref().and_then(|lines| lines.get(at));
            let before = before.map(|(_, text)| text.clone()).filter(|before| *before != now);
            Fact { name, now, before }
        })
        .collect();
    let listed = Listed::of(candidate, &plugins.judge());
    facts.push(Fact { name: "items", now: items(listed.items.as_deref()), before: None });
    if let Content::Library(library) = &candidate.content {
        let now = library.path.display().to_string();
        facts.push(Fact { name: "library", now, before: None });
    }
    facts
}

fn lines(grant: &Grant) -> Vec<(&'static str, String)> {
    let Capabilities { context, read, write, network, processes } = &grant.capabilities;
    let manifest = grant.manifest_sha256.map(|digest| digest.to_string());
    let signer = grant.signer.as_ref().map(ToString::to_string);
    let runs = grant.isolation.as_str().to_owned();
    let context = context.as_ref().map(|paths| listed(paths));
    let permission = |permission: &Permission| match permission {
        Permission::Denied => "no".to_owned(),
        Permission::Granted => "yes".to_owned(),
    };
    vec![
        ("version", grant.version.to_string()),
        ("target", grant.target.to_string()),
        ("sha256", grant.sha256.to_string()),
        ("manifest", manifest.unwrap_or_else(none)),
        ("signer", signer.unwrap_or_else(none)),
        ("runs", if &*grant.target == Grant::ANY_TARGET { none() } else { runs }),
        ("context", context.unwrap_or_else(|| "what each item declares".into())),
        ("read", listed(read)),
        ("write", listed(write)),
        ("network", permission(network)),
        ("processes", permission(processes)),
    ]
}

fn none() -> String {
    "none".to_owned()
}

fn listed(names: &[impl ToString]) -> String {
    if names.is_empty() {
        return none();
    }
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
