//! Every code of plugins has a folder: a plugin, what the user says of it, and what is told.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use promptweave::{Diagnostic, Engine};
use promptweave_loader::{
    Discovery, Grant, LOCK_FILE, Lock, Plugins, Sources, UserConfig, host_target,
};
use promptweave_tests::words::{judge, once};
use promptweave_tests::{conformance::read, hosted, native, pack, shown};
use serde::Deserialize;
use serde_json::json;
use tempfile::TempDir;

/// The file `case.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// What is wrong, as a sentence.
    about: String,
    /// Where the plugin lies.
    #[serde(default)]
    place: Place,
    /// Whether the user trusts it as it is.
    #[serde(default)]
    trust: bool,
    /// A file of it that changes after that.
    change: Option<String>,
    /// Further plugins that are named.
    #[serde(default)]
    also: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Place {
    #[default]
    Named,
    User,
    Project,
}

#[test]
fn codes_of_plugins() {
    insta::glob!("../../fixtures/plugins", "*/case.toml", |path| {
        let folder = path.parent().unwrap();
        let case: Case = toml::from_str(&read(path)).unwrap();
        let Some(told) = case.run(folder) else { return };
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.remove_snapshot_suffix();
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("expected", told));
    });
}

impl Case {
    /// What is told; none without a compiler for its library.
    fn run(&self, folder: &Path) -> Option<String> {
        let code = folder.file_name().and_then(|name| name.to_str()).expect("a folder's name");
        let user = tempfile::tempdir().unwrap();
        let plugin = self.plugin(&user);
        pack::write_files(&plugin, &pack::read_files(&folder.join("plugin")));
        if folder.join("plugin.c").exists() {
            let library = native::built(folder, code, &[])?;
            std::fs::copy(library, plugin.join("libplugin.so")).unwrap();
            complete(&plugin);
        }
        let plugins = self.load(&user, folder);
        let (engine, _) = hosted::engine(&plugins, &[("generic.toml", "order = [\"rules\"]\n")]);
        let told = [
            ("load", plugins.diagnostics().to_vec()),
            ("engine", engine.diagnostics()[plugins.diagnostics().len()..].to_vec()),
            ("build", built(&engine)),
        ];
        Some(self.shown(code, &told, &user))
    }

    fn shown(&self, code: &str, all: &[(&str, Vec<Diagnostic>)], user: &TempDir) -> String {
        let mut out = format!("{}\n", self.about);
        let mut codes = BTreeSet::new();
        for (verb, told) in all.iter().filter(|(_, told)| !told.is_empty()) {
            told.iter().for_each(judge);
            codes.extend(told.iter().map(|one| one.code.as_str()));
            let _ = write!(out, "\n--- {verb}\n{}\n", shown::diagnostics(told));
        }
        once(all.iter().flat_map(|(_, told)| told));
        assert!(codes.contains(code), "no `{code}` in {out}");
        let folder = format!("{}/", user.path().display());
        let target = host_target();
        out.replace(&folder, "").replace(&format!("for `{target}`"), "for `<target>`")
    }

    fn plugin(&self, user: &TempDir) -> PathBuf {
        user.path().join(match self.place {
            Place::Named => "plugin",
            Place::User => "data/plugins/plugin",
            Place::Project => "project/plugins/plugin",
        })
    }

    fn load(&self, user: &TempDir, folder: &Path) -> Plugins {
        let plugin = self.plugin(user);
        let data = user.path().join("data");
        let named = |plugin: &Path| Sources { named: vec![plugin.into()], ..Sources::default() };
        if self.trust {
            let found = Discovery::of(&named(&plugin));
            let grant = Grant::of(&found.candidates[0], "2026-01-15").unwrap();
            Lock::open(data.join(LOCK_FILE)).grant(grant).unwrap();
        }
        if let Some(file) = &self.change {
            let file = plugin.join(file);
            std::fs::write(&file, format!("{}# changed\n", read(&file))).unwrap();
        }
        let config = user.path().join("config.toml");
        // Copied, so that no place on this machine is told.
        let _ = std::fs::copy(folder.join("config.toml"), &config);
        let mut sources = match self.place {
            Place::Named => named(&plugin),
            Place::User => Sources::default(),
            Place::Project => {
                Sources { project: Some(user.path().join("project")), ..Sources::default() }
            }
        };
        sources.named.extend(self.also.iter().map(|path| user.path().join(path)));
        Plugins::builder()
            .places(sources)
            .data(&data)
            .user(UserConfig::open(&config))
            .program(hosted::program())
            .load()
    }
}

/// Writes into the manifest what only this machine knows.
fn complete(plugin: &Path) {
    let file = plugin.join("plugin.toml");
    let text = read(&file).replace("{target}", &host_target());
    let text = text.replace("{sha256}", &hosted::digest(&plugin.join("libplugin.so")));
    std::fs::write(file, text).unwrap();
}

/// What a build tells, but for what is missing because nothing was loaded.
fn built(engine: &Engine) -> Vec<Diagnostic> {
    let prompt = engine.prompt(&pack::context(json!({}))).unwrap();
    let unknown = promptweave::Code::ComponentUnknown;
    prompt.diagnostics().iter().filter(|told| told.code != unknown).cloned().collect()
}
