//! What a confined plugin cannot do, what it still can, and that both are said.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::time::Duration;

use promptweave::Prompt;
use promptweave_loader::{ItemKind, Plugins, Policy, Sandbox, SandboxPolicy, UserConfig};
use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{native, pack};
use serde_json::json;

/// What is allowed in every sandbox.
const ALLOWED: &[&str] = &["read_inside", "own_limits", "write_nothing"];
/// What an unconfined process must not be able to do either, since the tests would not survive it, or the system forbids it.
const NOT_TRIED: &[&str] = &["new_session", "trace_parent"];

/// One item of the plugin: what it wrote, or why it failed.
type Outcomes = BTreeMap<String, Result<String, String>>;

struct Place {
    home: Home,
    listener: TcpListener,
}

impl Place {
    fn new(library: &std::path::Path, capabilities: &str) -> Self {
        let manifest = Manifest::of("sandbox");
        let home = Home::new(library, manifest);
        for folder in ["inside", "outside", "written"] {
            std::fs::create_dir(home.beside(folder)).unwrap();
            std::fs::write(home.beside(folder).join("file"), "a text").unwrap();
        }
        std::fs::write(home.beside("outside/removed"), "a text").unwrap();
        let capabilities =
            capabilities.replace("INSIDE", &home.beside("inside").display().to_string());
        let capabilities =
            capabilities.replace("WRITTEN", &home.beside("written").display().to_string());
        home.write(Manifest { rest: &format!("{}{capabilities}", manifest.rest), ..manifest });
        Self { home, listener: TcpListener::bind("127.0.0.1:0").unwrap() }
    }

    fn load(&self, mode: Mode) -> Plugins {
        let plugins = self.home.builder(mode).load();
        assert_eq!(plugins.loaded().len(), 1, "{:?}", plugins.diagnostics());
        plugins
    }

    /// What each item came to.
    fn outcomes(&self, plugins: &Plugins) -> Outcomes {
        let table = plugins.loaded()[0].table();
        let ids: Vec<&str> = table.of_kind(ItemKind::Component).map(|item| &*item.id).collect();
        let (engine, _) =
            hosted::engine(plugins, &[("generic.toml", &format!("order = {ids:?}\n"))]);
        let port = self.listener.local_addr().unwrap().port().to_string();
        let path = |name: &str| self.home.beside(name).display().to_string();
        let context = json!({ "paths": {
            "outside": path("outside/file"), "removed": path("outside/removed"), "inside": path("inside/file"),
            "written": path("written/file"), "port": port,
        }});
        let prompt = engine.prompt(&pack::context(context)).unwrap();
        ids.iter().map(|id| ((*id).to_owned(), outcome(&prompt, id))).collect()
    }
}

fn outcome(prompt: &Prompt, id: &str) -> Result<String, String> {
    let section = prompt.sections().iter().find(|section| &*section.id == id);
    if let Some(section) = section {
        return Ok(prompt.text()[section.range.clone()].to_owned());
    }
    let told = prompt.diagnostics().iter().find(|told| told.message.contains(&format!("`{id}`")));
    Err(told.expect("a diagnostic for what has no section").message.clone())
}

/// Loud where this machine has no sandbox; then the level that is shown says so.
fn is_full(plugins: &Plugins) -> bool {
    let level = plugins.loaded()[0].sandbox();
    if level != Sandbox::Full {
        native::skipped(&format!("the sandbox of this machine is `{}`", level.as_str()));
    }
    level == Sandbox::Full
}

/// A file that a careless host leaves open to its children.
fn leaked() -> std::fs::File {
    let file = std::fs::File::open("/dev/null").unwrap();
    let flags = rustix::io::fcntl_getfd(&file).unwrap();
    rustix::io::fcntl_setfd(&file, flags - rustix::io::FdFlags::CLOEXEC).unwrap();
    assert!(file.as_raw_fd() > 2);
    file
}

#[test]
fn a_sandbox_refuses_and_the_diagnostic_says_so() {
    let Some(library) = native::library("sandbox") else { return };
    let _leaked = leaked();
    let place = Place::new(&library, "[capabilities]\nread = [\"INSIDE\"]\n");
    let plugins = place.load(Mode::Process);
    if !is_full(&plugins) {
        return;
    }
    for (id, outcome) in place.outcomes(&plugins) {
        if ALLOWED.contains(&&*id) {
            assert!(outcome.is_ok(), "{id}: {outcome:?}");
            continue;
        }
        let why = outcome.expect_err(&id);
        assert!(why.contains("ermi") && why.contains("its sandbox is `full`"), "{id}: {why}");
    }
    assert!(place.home.beside("outside/removed").exists());
    assert!(place.listener.set_nonblocking(true).is_ok() && place.listener.accept().is_err());
}

/// The fixture does what it says where nobody stops it: otherwise the test above proves nothing.
#[test]
fn without_a_sandbox_all_of_it_happens() {
    let Some(library) = native::library("sandbox") else { return };
    let place = Place::new(&library, "");
    let plugins = place.load(Mode::Open);
    assert_eq!(plugins.loaded()[0].sandbox(), Sandbox::None);
    for (id, outcome) in place.outcomes(&plugins) {
        match &*id {
            "start_program" => {
                assert!(outcome.as_ref().is_err_and(|why| why.contains("status")), "{outcome:?}")
            }
            // No file of the host comes along, whatever the sandbox.
            "foreign_files" => assert!(outcome.is_err()),
            _ if NOT_TRIED.contains(&&*id) => {}
            _ => assert!(outcome.is_ok(), "{id}: {outcome:?}"),
        }
    }
    assert!(!place.home.beside("outside/removed").exists());
}

#[test]
fn capabilities_open_what_they_name() {
    let Some(library) = native::library("sandbox") else { return };
    let rest = "[capabilities]\nread = [\"INSIDE\"]\nwrite = [\"WRITTEN\"]\nnetwork = true\nprocesses = true\n";
    let place = Place::new(&library, rest);
    let plugins = place.load(Mode::Process);
    if !is_full(&plugins) {
        return;
    }
    let outcomes = place.outcomes(&plugins);
    let opened =
        ["read_inside", "write_written", "connect_tcp", "fork_child", "kill_child", "read_names"];
    for id in opened {
        assert!(outcomes[id].is_ok(), "{id}: {:?}", outcomes[id]);
    }
    let closed =
        ["read_outside", "write_inside", "truncate_outside", "kill_parent", "limit_parent"];
    for id in closed {
        assert!(outcomes[id].is_err(), "{id}");
    }
    let why = outcomes["start_program"].as_ref().unwrap_err();
    assert!(why.contains("exited with status"), "{why}");
}

/// A policy can ask for all of it.
#[test]
fn a_policy_that_requires_a_sandbox() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    let level = home.builder(Mode::Process).load().loaded()[0].sandbox();
    let policy = Policy { sandbox: SandboxPolicy::Require, ..Policy::default() };
    let user = UserConfig { policy, ..UserConfig::default() };
    let plugins = home.builder(Mode::Process).user(user).load();
    if level == Sandbox::Full {
        assert_eq!(plugins.loaded().len(), 1, "{:?}", plugins.diagnostics());
    } else {
        assert!(plugins.loaded().is_empty());
        let told = plugins.diagnostics()[0].to_string();
        assert!(told.contains("full") && told.contains(level.as_str()), "{told}");
    }
}

/// The level is also known of a child that was started later.
#[test]
fn the_level_is_shown() {
    let Some(library) = native::library("abort") else { return };
    let home = Home::new(&library, Manifest::of("abort"));
    let plugins = home.builder(Mode::Process).most(hosted::most(Duration::from_secs(5))).load();
    let level = plugins.loaded()[0].sandbox();
    let (engine, _) =
        hosted::engine(&plugins, &[("generic.toml", "order = [\"bad\", \"good\"]\n")]);
    engine.prompt(&pack::context(json!({}))).unwrap();
    assert_eq!(plugins.loaded()[0].sandbox(), level);
    let inproc = home.builder(Mode::InProc).load();
    assert_eq!(inproc.loaded()[0].sandbox(), Sandbox::None);
}
