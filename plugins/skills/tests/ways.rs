//! The probe, linked in and as a library: the same findings, told the same way.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use std::fs;
use std::path::Path;

use promptweave::{Ask, Clock, Context, Diagnostic, Engine};
use promptweave_loader::{Isolation, Plugins};
use promptweave_testkit::{Effort, Options, check};
use promptweave_tests::plugin;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A home and a project with a skill each; the project's is nobody's business until it is trusted.
fn world() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, name, text) in [
        ("home/.agents/skills/user-one", "user-one", "Of the user."),
        ("project/.agents/skills/project-one", "project-one", "Of the project: with a colon."),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(&path).unwrap();
        let text = format!("---\nname: {name}\ndescription: {text}\n---\nBody.\n");
        fs::write(path.join("SKILL.md"), text).unwrap();
    }
    fs::create_dir_all(folder.path().join("project/src")).unwrap();
    fs::create_dir(folder.path().join("project/.git")).unwrap();
    folder
}

fn context(world: &Path) -> Json {
    json!({ "cwd": world.join("project/src"), "home": world.join("home") })
}

fn linked(config: &str) -> Plugins {
    let plugins = Plugins::builder().linked(promptweave_skills::plugin(), config).load();
    assert!(plugins.diagnostics().is_empty(), "{:?}", plugins.diagnostics());
    plugins
}

fn probe(plugins: &Plugins, context: Json) -> (Json, Vec<Diagnostic>) {
    let engine = plugins.add_to(Engine::builder()).build().unwrap();
    let (found, told) = engine.probe(&Context::from_value(context).unwrap());
    (found.as_json()["skills"].clone(), told)
}

fn lines(told: &[Diagnostic], world: &Path) -> String {
    let told: Vec<String> = told.iter().map(ToString::to_string).collect();
    told.join("\n").replace(&*world.to_string_lossy(), "$")
}

#[test]
fn the_same_findings_both_ways() {
    let world = world();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-skills", &manifest);
    let data = tempfile::tempdir().unwrap();
    let builder = Plugins::builder().plugin(folder.path()).workspace(world.path().join("project"));
    let builder = builder.home(world.path().join("home")).data(data.path());
    let in_child = builder.program(plugin::program()).load();
    assert!(in_child.diagnostics().is_empty(), "{:?}", in_child.diagnostics());
    assert_eq!(in_child.loaded()[0].isolation(), Isolation::Process);

    let (found, told) = probe(&linked("{}"), context(world.path()));
    let (apart, told_apart) = probe(&in_child, context(world.path()));
    assert_eq!(found, apart);
    assert_eq!(lines(&told, world.path()), lines(&told_apart, world.path()));
    insta::assert_snapshot!(
        format!("{found:#}\n{}", lines(&told, world.path()))
            .replace(&*world.path().to_string_lossy(), "$")
    );
}

#[test]
fn a_trusted_project_and_a_budget() {
    let world = world();
    let trusted = json!({ "trusted": [world.path().join("project")] }).to_string();
    let (found, told) = probe(&linked(&trusted), context(world.path()));
    assert_eq!(found.as_array().unwrap().len(), 2, "{}", lines(&told, world.path()));
    let tight = json!({ "trusted": [world.path().join("project")], "budget": 1 }).to_string();
    let (found, told) = probe(&linked(&tight), context(world.path()));
    assert_eq!(found, json!([]));
    let told = lines(&told, world.path());
    assert!(told.contains("do not fit 1 tokens even by name: `project-one`, `user-one`"), "{told}");
}

#[test]
fn a_session_keeps_its_bytes_until_it_is_reset() {
    let world = world();
    let builder = Engine::builder().pack(promptweave_variants::standard());
    let engine = linked("{}").add_to(builder).build().unwrap();
    let session = engine.session(Clock::new("2026-01-15"));
    let ask = Ask { variant: Some("layered".into()), ..Ask::default() };
    let context = Context::from_value(context(world.path())).unwrap();
    let text = || session.prompt_for(&context, &ask).unwrap().text().to_owned();
    let first = text();
    assert!(first.contains("- user-one (general): Of the user.\n"), "{first}");
    let file = world.path().join("home/.agents/skills/user-one/SKILL.md");
    fs::write(file, "---\nname: user-one\ndescription: Of another mind.\n---\n").unwrap();
    assert_eq!(text(), first);
    session.reset();
    assert!(text().contains("- user-one (general): Of another mind.\n"));
}

#[test]
fn a_wrong_configuration_keeps_it_out() {
    let why = |config: &str| {
        let plugins = Plugins::builder().linked(promptweave_skills::plugin(), config).load();
        plugins.diagnostics()[0].message.clone()
    };
    let configs = [r#"{"folders": ["../x"]}"#, r#"{"trusted": ["x"]}"#, r#"{"budget": -1}"#];
    insta::assert_snapshot!(configs.map(why).join("\n"));
}

#[test]
fn it_keeps_the_promises_of_the_abi() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-skills", &manifest);
    let effort = Effort { calls: 100, timed: 50, fuzzed: 200 };
    let options = Options { effort, ..Options::new(plugin::checker()) };
    let report = check(folder.path(), &options).unwrap();
    assert!(report.is_fine(), "{report}");
    eprintln!("{report}");
}
