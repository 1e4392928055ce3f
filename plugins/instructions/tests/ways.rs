//! The probes, linked in and as a library: the same findings, in the prompt that components make of them.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]
#![cfg(unix)]

use std::fs;
use std::path::Path;

use promptweave::{Context, Diagnostic, Engine, MemorySource, Origin};
use promptweave_loader::{Given, Isolation, Plugins};
use promptweave_testkit::{Effort, Options, check};
use promptweave_tests::plugin;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// A pack that names the probe's key, and what the plugin follows.
const PACK: [(&str, &str); 3] = [
    (
        "pack.toml",
        "format = 1\nname = 'acme'\nversion = '1'\n[plugins.instructions]\nprofile = 'claude-code'",
    ),
    ("generic.toml", "order = ['rules', 'instruction_files']"),
    ("components/rules.md", "{{#each rules.files}}\n<{{scope}} {{path}}>\n{{text}}\n{{/each}}\n"),
];

/// A home and a project with a file of each scope, and one that leads out.
fn tree() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("home/.claude/CLAUDE.md", "The user's.\n");
    write("mill/.git/HEAD", "");
    write("mill/CLAUDE.md", "The project's, with @docs/more.md and @../secret.md there.\n");
    write("mill/docs/more.md", "More.\n");
    write("mill/CLAUDE.local.md", "Mine.\n");
    write("mill/.claude/rules/rust.md", "---\npaths: \"**/*.rs\"\n---\nRust.\n");
    write("mill/.claude/rules/go.md", "---\npaths: \"**/*.go\"\n---\nGo.\n");
    write("secret.md", "Secret.\n");
    root
}

fn context(root: &Path) -> Json {
    json!({ "cwd": root.join("mill"), "home": root.join("home"), "touched": ["src/main.rs"] })
}

fn linked(config: &str) -> Plugins {
    let plugins = Plugins::builder().linked(promptweave_instructions::plugin(), config).load();
    assert!(plugins.diagnostics().is_empty(), "{:?}", plugins.diagnostics());
    plugins
}

fn probe(plugins: &Plugins, context: Json) -> (Json, Vec<Diagnostic>) {
    let engine = plugins.add_to(Engine::builder()).build().unwrap();
    let (found, told) = engine.probe(&Context::from_value(context).unwrap());
    (found.as_json().clone(), told)
}

#[test]
fn the_same_findings_both_ways() {
    let root = tree();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-instructions", &manifest);
    let data = tempfile::tempdir().unwrap();
    let config = r#"{"profile": "claude-code"}"#;
    let given = Given::of_table(&serde_json::from_str(config).unwrap(), &Origin::Engine);
    let builder = Plugins::builder().plugin(folder.path()).config("instructions", given);
    let builder = builder.workspace(root.path().join("mill")).home(root.path().join("home"));
    let in_child = builder.data(data.path()).program(plugin::program()).load();
    assert!(in_child.diagnostics().is_empty(), "{:?}", in_child.diagnostics());
    assert_eq!(in_child.loaded()[0].isolation(), Isolation::Process);
    eprintln!("sandbox: {}", in_child.loaded()[0].sandbox().as_str());

    let plain = |text: String| text.replace(&*root.path().to_string_lossy(), "");
    let (here, told_here) = probe(&linked(config), context(root.path()));
    let (apart, told_apart) = probe(&in_child, context(root.path()));
    assert_eq!(here["rules"], apart["rules"]);
    assert_eq!(format!("{told_here:?}"), format!("{told_apart:?}"));
    insta::assert_snapshot!(plain(serde_json::to_string_pretty(&here["rules"]).unwrap()));
    insta::assert_snapshot!(plain(format!("{told_here:#?}")));
}

#[test]
fn components_print_what_a_pack_asks_for() {
    let root = tree();
    let engine = linked(r#"{"profile": "claude-code"}"#)
        .add_to(Engine::builder().pack(MemorySource::new("acme", PACK)))
        .build()
        .unwrap();
    let (context, _) = engine.probe(&Context::from_value(context(root.path())).unwrap());
    let prompt = engine.prompt(&context).unwrap();
    assert!(prompt.diagnostics().is_empty(), "{:?}", prompt.diagnostics());
    insta::assert_snapshot!(prompt.text());
    let own = prompt.spans().filter(|span| span.id.as_deref() == Some("instruction_files"));
    let place = |span: promptweave::Span| {
        format!("{:?} {:?} {:?}", &prompt.text()[span.range.clone()], span.class, span.origin)
    };
    insta::assert_snapshot!(own.map(place).collect::<Vec<_>>().join("\n"));
}

/// A host notes the places of so many lines and no more.
#[test]
fn many_lines_are_all_printed() {
    let root = tree();
    let text = (0..5000).map(|n| format!("- line {n}\n")).collect::<String>();
    fs::write(root.path().join("mill/CLAUDE.md"), text).unwrap();
    let engine = linked(r#"{"profile": "claude-code"}"#)
        .add_to(Engine::builder().pack(MemorySource::new("acme", PACK)))
        .build()
        .unwrap();
    let (context, _) = engine.probe(&Context::from_value(context(root.path())).unwrap());
    let prompt = engine.prompt(&context).unwrap();
    assert!(prompt.diagnostics().is_empty(), "{:?}", prompt.diagnostics());
    assert!(prompt.section("instruction_files").unwrap().contains("- line 4999"));
}

#[test]
fn a_session_keeps_what_it_began_with() {
    let root = tree();
    let engine = linked(r#"{"profile": "claude-code"}"#)
        .add_to(Engine::builder().pack(MemorySource::new("acme", PACK)))
        .build()
        .unwrap();
    let session = engine.session(promptweave::Clock::new("2026-01-02"));
    let context = Context::from_value(context(root.path())).unwrap();
    let before = session.prompt(&context).unwrap().text().to_owned();
    assert!(session.drift(&context).is_empty());
    fs::write(root.path().join("mill/CLAUDE.md"), "Changed.").unwrap();
    let told: Vec<_> = session.drift(&context).into_iter().map(|told| told.message).collect();
    insta::assert_snapshot!(told.join("\n"));
    assert_eq!(session.prompt(&context).unwrap().text(), before);
    session.reset();
    assert!(session.prompt(&context).unwrap().text().contains("Changed."));
}

#[test]
fn nothing_is_found_without_a_folder() {
    let (found, told) = probe(&linked("{}"), json!({}));
    assert!(told.is_empty(), "{told:?}");
    assert!(found.get("rules").is_none());
    let (_, told) = probe(&linked("{}"), json!({ "cwd": "relative" }));
    assert!(told[0].message.contains("`cwd` is no absolute path"), "{told:?}");
}

/// A host that takes no more reports would leave the whole answer out.
#[test]
fn many_reports_cost_no_file() {
    let root = tree();
    let import = |n: usize| {
        fs::write(root.path().join(format!("secret{n}.md")), "Secret.").unwrap();
        format!("@../secret{n}.md\n")
    };
    let text = (0..200).map(import).collect::<String>();
    fs::write(root.path().join("mill/CLAUDE.md"), text).unwrap();
    for config in
        [r#"{"profile": "claude-code"}"#, r#"{"profile": "claude-code", "report": "all"}"#]
    {
        let (found, told) = probe(&linked(config), context(root.path()));
        assert!(found["rules"]["files"].to_string().contains("@../secret199.md"), "{told:?}");
        assert_eq!(told.len(), 61);
        assert!(told[60].message.contains("there is more to tell of these files: 1"), "{told:?}");
    }
}

#[test]
fn a_wrong_configuration_keeps_it_out() {
    let why = |config: &str| {
        let plugins = Plugins::builder().linked(promptweave_instructions::plugin(), config).load();
        plugins.diagnostics()[0].message.clone()
    };
    insta::assert_snapshot!(
        [r#"{"profile": "nobody"}"#, r#"{"profil": ""}"#, r#"{"profile_toml": "name = 1"}"#]
            .map(why)
            .join("\n")
    );
}

#[test]
fn it_keeps_the_promises_of_the_abi() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml");
    let folder = plugin::sealed("promptweave-instructions", &manifest);
    let effort = Effort { calls: 100, timed: 50, fuzzed: 200 };
    let options = Options { effort, ..Options::new(plugin::checker()) };
    let report = check(folder.path(), &options).unwrap();
    assert!(report.is_fine(), "{report}");
    eprintln!("{report}");
}

/// A pack that could name files could put a key of the user's into a prompt.
#[test]
fn a_pack_names_no_files() {
    let manifest = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("plugin.toml"));
    let manifest: toml::Table = toml::from_str(&manifest.unwrap()).unwrap();
    let config = manifest["config"].as_table().unwrap();
    let of_packs = config.iter().filter(|(_, key)| key.get("pack").is_some());
    let of_packs: Vec<_> = of_packs.map(|(name, _)| name.as_str()).collect();
    assert_eq!(of_packs, ["named", "profile", "report"]);
}
