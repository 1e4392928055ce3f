//! A plugin in a folder, trusted or named, and an engine that runs it.
//!
//! In: a library and what its manifest and the user say. Out: [`Plugins`], engines, and what both told. Never: decides what is
//! right.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use promptweave::{Diagnostic, Engine, Prompt};
use promptweave_loader::{
    Candidate, Discovery, Grant, HostProgram, Isolation, LOCK_FILE, Limits, Lock, NativePolicy,
    Plugins, PluginsBuilder, Policy, SandboxPolicy, Sources, UserConfig, host_target,
};
use tempfile::TempDir;

use crate::pack;

/// The program that plugins run in; it is built when needed.
///
/// # Panics
/// When it cannot be built.
pub fn program() -> HostProgram {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    let path = PROGRAM.get_or_init(|| {
        let what = ["--package", "promptweave-loader", "--bin", "promptweave-plugin-host"];
        crate::cli::artifact(&what, "promptweave-plugin-host")
    });
    HostProgram { path: path.clone(), args: Vec::new() }
}

/// Where a plugin runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// In a child, as far confined as the system can.
    Process,
    /// In a child without a sandbox.
    Open,
    /// In this process.
    InProc,
}

/// A folder with one plugin, and a user's data folder.
pub struct Home {
    folder: TempDir,
}

/// What a manifest says beside the head and the libraries.
#[derive(Clone, Copy, Debug)]
pub struct Manifest<'a> {
    /// The plugin's name.
    pub name: &'a str,
    /// The rest of the file.
    pub rest: &'a str,
}

impl<'a> Manifest<'a> {
    /// One with time enough for a machine that does much else.
    pub fn of(name: &'a str) -> Self {
        Self { name, rest: "[run]\ntimeout_ms = 5000\nload_timeout_ms = 10000\n" }
    }
}

impl Home {
    /// Puts a copy of the library beside a manifest.
    ///
    /// # Panics
    /// When the disk does not take it.
    pub fn new(library: &Path, manifest: Manifest<'_>) -> Self {
        let home = Self { folder: tempfile::tempdir().expect("a folder") };
        std::fs::create_dir(home.plugin()).expect("a folder");
        std::fs::copy(library, home.library()).expect("a copy");
        home.write(manifest);
        home
    }

    /// Writes the manifest, with the digest that the library has now.
    ///
    /// # Panics
    /// When the disk does not take it.
    pub fn write(&self, Manifest { name, rest }: Manifest<'_>) {
        let sha256 = digest(&self.library());
        let target = host_target();
        let text = format!(
            "[plugin]\nname = \"{name}\"\nversion = \"1.0.0\"\nabi = \"1.0\"\n\
             [library.{target}]\nfile = \"libplugin.so\"\nsha256 = \"{sha256}\"\n{rest}"
        );
        std::fs::write(self.plugin().join("plugin.toml"), text).expect("a file");
    }

    /// The plugin's folder.
    pub fn plugin(&self) -> PathBuf {
        self.folder.path().join("plugin")
    }

    /// Its library.
    pub fn library(&self) -> PathBuf {
        self.plugin().join("libplugin.so")
    }

    /// The user's data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Any other path beside them.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Trusts the plugin as it is now.
    ///
    /// # Panics
    /// When it cannot be trusted.
    pub fn trust(&self, isolation: Isolation) {
        let grant = Grant::of(&self.candidate(), "2026-01-15").expect("something to trust");
        let mut lock = Lock::open(self.data().join(LOCK_FILE));
        lock.grant(Grant { isolation, ..grant }).expect("a lock file");
    }

    /// What is known of the plugin.
    ///
    /// # Panics
    /// When nothing is found.
    pub fn candidate(&self) -> Candidate {
        let sources = Sources { named: vec![self.plugin()], ..Sources::default() };
        Discovery::of(&sources).candidates.pop().expect("a plugin")
    }

    /// What loads it in that mode; in this process only with trust.
    pub fn builder(&self, mode: Mode) -> PluginsBuilder {
        let (isolation, sandbox) = match mode {
            Mode::Process => (NativePolicy::Process, SandboxPolicy::BestEffort),
            Mode::Open => (NativePolicy::Process, SandboxPolicy::Off),
            Mode::InProc => (NativePolicy::InProc, SandboxPolicy::BestEffort),
        };
        if mode == Mode::InProc && !self.candidate().is_refused() {
            self.trust(Isolation::InProc);
        }
        let policy = Policy { isolation, sandbox, ..Policy::default() };
        Plugins::builder()
            .plugin(self.plugin())
            .data(self.data())
            .user(UserConfig { policy, ..UserConfig::default() })
            .program(program())
    }
}

/// The limits of [`Limits::most`] with another time for a call.
pub fn most(call: Duration) -> Limits {
    let mut most = Limits::most();
    most.call = call;
    most
}

/// An engine of a pack and plugins; what it and they told.
///
/// # Panics
/// Never: an engine that is not strict can always be built.
pub fn engine(plugins: &Plugins, files: &[(&str, &str)]) -> (Engine, Vec<Diagnostic>) {
    let builder = Engine::builder().pack(pack::memory(files));
    let engine = plugins.add_to(builder).build().expect("an engine that is not strict");
    let told = engine.diagnostics().to_vec();
    (engine, told)
}

/// The ids of a prompt's sections, in order.
pub fn sections(prompt: &Prompt) -> Vec<&str> {
    prompt.sections().iter().map(|section| &*section.id).collect()
}

/// The processes that have the plugin's private copy in their memory.
///
/// # Panics
/// When the system does not show its processes.
pub fn processes_of(home: &Home) -> Vec<i32> {
    let copy = home.data().canonicalize().map(|data| data.display().to_string());
    let Ok(copy) = copy else { return Vec::new() };
    let entries = std::fs::read_dir("/proc").expect("a system that shows its processes").flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let maps = |pid: &i32| std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    pids.filter(|pid| maps(pid).contains(&copy)).collect()
}

/// Waits until no process of the plugin runs; the system takes its time to end one that was killed.
///
/// # Panics
/// When one still runs after ten seconds.
pub fn gone(home: &Home) {
    let begun = Instant::now();
    while !processes_of(home).is_empty() {
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?} stay", processes_of(home));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The SHA-256 of a file, in hexadecimal.
///
/// # Panics
/// When the file cannot be read.
pub fn digest(path: &Path) -> String {
    use sha2::Digest as _;
    let bytes = std::fs::read(path).expect("a file");
    let digest = sha2::Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
