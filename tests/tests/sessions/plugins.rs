//! Sessions with the library of a plugin, which runs in a child.

use std::path::Path;

use promptweave::{Clock, Code, Engine};
use promptweave_loader::Given;
use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{cli, native, pack};
use serde_json::{Value as Json, json};

use crate::{prompt, text, told};

fn files(version: u32) -> Vec<(&'static str, String)> {
    vec![
        ("pack.toml", format!("format = 1\nname = 'acme'\nversion = '{version}'\n")),
        ("generic.toml", "order = ['role', 'fixed', 'values', 'state']".into()),
        ("components/role.md", format!("role {version}, {{{{date}}}}")),
        ("components/state.md", format!("state {version} {{{{mode}}}}")),
    ]
}

/// An engine with a plugin that was started just now, and prints the configuration that is given here.
fn engine(home: &Home, version: u32, greeting: &str) -> Engine {
    std::fs::write(home.beside("config.json"), json!({ "greeting": greeting }).to_string())
        .unwrap();
    let given = Given::open(&home.beside("config.json")).unwrap();
    let plugins = home.builder(Mode::Process).config("rust", given).load();
    assert_eq!(plugins.loaded().len(), 1, "{:?}", plugins.diagnostics());
    let files = files(version);
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    hosted::engine(&plugins, &files).0
}

fn context(folder: &Path, mode: &str) -> Json {
    json!({ "cwd": folder.to_str().unwrap(), "mode": mode, "tools": ["ring"] })
}

/// What a plugin said is said again by a process that has another configuration, also behind an upgrade of the pack.
#[test]
fn what_a_plugin_said_is_said_again_elsewhere() {
    let Some(library) = native::library("rust") else { return };
    let home = Home::new(&library, Manifest::of("rust"));
    let session = engine(&home, 1, "hello").session(Clock::new("2026-01-15"));
    let folder = home.beside("");
    let [act, plan] = ["act", "plan"].map(|mode| text(&session, context(&folder, mode)));
    assert!(act.contains("hello") && act.contains("a rule"), "{act}");
    let saved = session.save();
    drop(session);
    hosted::gone(&home);
    let restored = engine(&home, 1, "good day").restore(&saved).unwrap();
    assert_eq!(text(&restored, context(&folder, "plan")), plan);
    assert_eq!(text(&restored, context(&folder, "act")), act);
    let upgraded = engine(&home, 2, "good day").restore(&restored.save()).unwrap();
    let old = prompt(&upgraded, context(&folder, "plan"));
    assert_eq!(old.text(), plan);
    assert_eq!(told(&old, Code::SessionOutdated).len(), 1);
    upgraded.reset();
    let new = text(&upgraded, context(&folder, "act"));
    assert_eq!(
        new,
        act.replace("role 1", "role 2").replace("state 1", "state 2").replace("hello", "good day")
    );
}

/// The same with two runs of the program.
#[test]
fn through_the_command_line_with_a_plugin() {
    let Some(library) = native::library("rust") else { return };
    let home = Home::new(&library, Manifest::of("rust"));
    let at = |name: &str| home.beside(name).to_str().unwrap().to_owned();
    let run = |version: u32, greeting: &str, session: &[&str]| {
        pack::write_files(&home.beside("pack"), &files(version));
        std::fs::write(at("config.json"), json!({ "greeting": greeting }).to_string()).unwrap();
        let (pack, context, plugin) = (at("pack"), at("context.json"), at("plugin"));
        let config = format!("rust={}", at("config.json"));
        let fixed =
            ["build", "--no-standard", "--pack", &pack, "-c", &context, "--plugin", &plugin];
        let config = ["--plugin-config", &config];
        let output = cli::run(fixed.into_iter().chain(config).chain(session.iter().copied()));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success(), "{told}");
        (String::from_utf8(output.stdout).unwrap(), told)
    };
    let mut context = context(&home.beside(""), "act");
    context["date"] = json!("2026-01-15");
    std::fs::write(at("context.json"), context.to_string()).unwrap();
    let file = at("session.json");
    let within = ["--session", file.as_str()];
    let (first, _) = run(1, "hello", &within);
    assert!(first.contains("hello") && first.contains("a rule"), "{first}");
    assert_eq!(run(1, "good day", &within).0, first);
    let (upgraded, told) = run(2, "good day", &within);
    assert_eq!(upgraded, first);
    assert!(told.contains("session-outdated"), "{told}");
    let (apart, _) = run(2, "good day", &[]);
    assert!(apart.contains("role 2") && apart.contains("good day"), "{apart}");
}

/// The file that a section of a plugin was made of changes: the text stays, and is told once.
#[test]
fn a_file_behind_a_section_of_a_plugin_is_watched() {
    let Some(library) = native::library("rust") else { return };
    let home = Home::new(&library, Manifest::of("rust"));
    let folder = home.beside("work");
    std::fs::create_dir_all(folder.join("rules")).unwrap();
    std::fs::write(folder.join("rules/a.md"), "one").unwrap();
    let engine = engine(&home, 1, "hello");
    let session = engine.session(Clock::default());
    let first = prompt(&session, context(&folder, "act"));
    assert!(told(&first, Code::SessionFileChanged).is_empty());
    std::fs::write(folder.join("rules/a.md"), "another").unwrap();
    let second = prompt(&session, context(&folder, "act"));
    assert_eq!(second.text(), first.text());
    let [said] = told(&second, Code::SessionFileChanged)[..] else { panic!("{second:?}") };
    assert!(said.contains("rules/a.md") && said.contains("section `values`"), "{said}");
}
