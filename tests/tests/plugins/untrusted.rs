//! Opening a folder runs none of its code; only what the user trusted or named is loaded.

use std::path::{Path, PathBuf};

use promptweave::{Code, Engine, Trust};
use promptweave_loader::{
    Isolation, Judge, LOCK_FILE, Listed, Lock, NativePolicy, Plugins, Policy, Sources, UserConfig,
};
use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{native, pack};
use serde_json::json;

/// The files that the library's constructor has written, anywhere below.
fn touched(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = Vec::new();
    for path in entries.map(|entry| entry.path()) {
        if path.is_dir() {
            found.extend(touched(&path));
        } else if path.extension().is_some_and(|own| own == "touched") {
            found.push(path);
        }
    }
    found
}

/// A pack and a project that bring the library along, with a manifest and without.
struct Folder {
    home: Home,
    pack: PathBuf,
    project: PathBuf,
}

impl Folder {
    fn new(library: &Path) -> Self {
        let home = Home::new(library, Manifest::of("touches"));
        let (pack, project) = (home.beside("pack"), home.beside("project"));
        let files = [
            ("pack.toml", "format = 1\nname = \"theirs\"\nversion = \"1\"\n"),
            ("generic.toml", "order = [\"bad\", \"role\"]\n"),
            ("components/role.md", "role"),
        ];
        pack::write_files(&pack, &files);
        pack::write_files(&project.join(".promptweave"), &files);
        for plugins in [pack.join("plugins"), project.join(".promptweave/plugins")] {
            std::fs::create_dir_all(plugins.join("touches")).unwrap();
            for file in ["plugin.toml", "libplugin.so"] {
                std::fs::copy(home.plugin().join(file), plugins.join("touches").join(file))
                    .unwrap();
            }
            std::fs::copy(library, plugins.join("libbare.so")).unwrap();
        }
        Self { home, pack, project }
    }

    fn sources(&self) -> Sources {
        Sources {
            project: Some(self.project.join(".promptweave")),
            packs: vec![self.pack.clone()],
            data: Some(self.home.data()),
            ..Sources::default()
        }
    }

    fn load(&self, isolation: NativePolicy) -> Plugins {
        let policy = Policy { isolation, ..Policy::default() };
        Plugins::builder()
            .places(self.sources())
            .user(UserConfig { policy, ..UserConfig::default() })
            .program(hosted::program())
            .load()
    }

    fn touched(&self) -> Vec<PathBuf> {
        touched(&self.home.beside(""))
    }
}

#[test]
fn opening_a_folder_runs_none_of_its_code() {
    let Some(library) = native::library("touches") else { return };
    let folder = Folder::new(&library);
    for isolation in [NativePolicy::Process, NativePolicy::InProc, NativePolicy::Off] {
        let plugins = folder.load(isolation);
        assert!(plugins.loaded().is_empty());
        let found = plugins.candidates().len();
        assert!(found > 0, "{:?}", plugins.diagnostics());
        let untrusted = |told: &&promptweave::Diagnostic| told.code == Code::PluginUntrusted;
        assert_eq!(plugins.diagnostics().iter().filter(untrusted).count(), found);
        let builder = plugins.add_to(Engine::builder().pack_dir(&folder.pack));
        let engine = builder.project(&folder.project, Trust::Always).build().unwrap();
        engine.check();
        let prompt = engine.prompt(&pack::context(json!({}))).unwrap();
        assert_eq!(prompt.text(), "role");
    }
    // Naming one is consent; listing it is none.
    let named = folder.home.candidate();
    let lock = Lock::open(folder.home.data().join(LOCK_FILE));
    let (policy, keys) = Default::default();
    let judge = Judge { lock: &lock, policy: &policy, keys: &keys };
    for candidate in folder.load(NativePolicy::Process).candidates() {
        let listed = Listed::of(candidate, &judge);
        assert_eq!((listed.state, listed.runs), ("untrusted", None));
    }
    assert_eq!(Listed::of(&named, &judge).state, "trusted");
    assert_eq!(folder.touched(), Vec::<PathBuf>::new());
}

/// Whatever lies in a folder of plugins: looking at it ends, and takes little.
#[test]
fn odd_files_hold_nobody_up() {
    let user = tempfile::tempdir().unwrap();
    let folder = user.path().join("plugins");
    let pipe = |path: &Path| {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    };
    for name in ["pipe", "endless", "folder", "loop", "latin"] {
        std::fs::create_dir_all(folder.join(name)).unwrap();
    }
    pipe(&folder.join("libpipe.so"));
    pipe(&folder.join("pipe/plugin.toml"));
    std::os::unix::fs::symlink("/dev/zero", folder.join("libzero.so")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("endless/plugin.toml")).unwrap();
    std::fs::create_dir(folder.join("folder/plugin.toml")).unwrap();
    std::os::unix::fs::symlink("plugin.toml", folder.join("loop/plugin.toml")).unwrap();
    std::fs::write(folder.join("latin/plugin.toml"), b"name = \"caf\xe9\"").unwrap();
    std::fs::create_dir(folder.join("libfolder.so")).unwrap();
    let sources = Sources { packs: vec![user.path().into()], ..Sources::default() };
    let plugins = Plugins::builder().places(sources).program(hosted::program()).load();
    assert!(plugins.loaded().is_empty());
    for name in ["pipe", "endless", "folder", "loop", "latin"] {
        let told = plugins.diagnostics().iter().any(|told| told.to_string().contains(name));
        assert!(told, "{name}: {:#?}", plugins.diagnostics());
    }
}

/// Otherwise the test above proves nothing.
#[test]
fn a_trusted_one_does_run() {
    let Some(library) = native::library("touches") else { return };
    let folder = Folder::new(&library);
    let plugins = folder.home.builder(Mode::Open).load();
    assert_eq!(plugins.loaded().len(), 1, "{:?}", plugins.diagnostics());
    assert_eq!(folder.touched().len(), 1);
}

#[test]
fn what_was_trusted_and_changed_does_not_run() {
    let Some(library) = native::library("touches") else { return };
    let home = Home::new(&library, Manifest::of("touches"));
    home.trust(Isolation::Process);
    let elsewhere = home.beside("user");
    std::fs::create_dir_all(home.data().join("plugins")).unwrap();
    std::fs::rename(home.plugin(), home.data().join("plugins/touches")).unwrap();
    let load = || {
        let sources = Sources { data: Some(home.data()), ..Sources::default() };
        Plugins::builder().places(sources).program(hosted::program()).load()
    };
    assert_eq!(load().loaded().len(), 1, "{:?}", load().diagnostics());
    let own = home.data().join("plugins/touches/libplugin.so");
    std::fs::copy(&own, &elsewhere).unwrap();
    for file in touched(&home.data()) {
        std::fs::remove_file(file).unwrap();
    }
    let mut bytes = std::fs::read(&own).unwrap();
    bytes.push(0);
    std::fs::write(&own, bytes).unwrap();
    let plugins = load();
    assert!(plugins.loaded().is_empty());
    assert!(!plugins.diagnostics().is_empty());
    assert_eq!(touched(&home.data()), Vec::<PathBuf>::new());
}
