//! What a plugin is configured with, and what the user allows.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write;

use promptweave::{Diagnostic, Origin, PackName, SourceFile};
use promptweave_loader::{
    Given, Manifest, NativePolicy, Policy, Require, SandboxPolicy, UserConfig, effective_config,
};
use serde_json::json;

const MANIFEST: &str = "
name = 'acme'
version = '1'
abi = '1.0'
[config.depth]
type = 'integer'
default = 1
pack = true
[config.token]
type = 'string'
[config.style]
default = 'plain'
pack = true
";

fn manifest(text: &str) -> Manifest {
    Manifest::parse(&SourceFile::new("plugin.toml", text)).0.unwrap()
}

fn user(text: &str) -> UserConfig {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    std::fs::write(&file, text).unwrap();
    UserConfig::open(&file)
}

fn told(diagnostics: &[Diagnostic]) -> String {
    let mut told = String::new();
    for one in diagnostics {
        let help = one.help.as_deref().expect("each says what to do");
        writeln!(told, "{}: {}\n  {help}", one.code.as_str(), one.message).unwrap();
    }
    told
}

#[test]
fn later_wins_key_by_key() {
    let user = user("[plugins.acme]\ntoken = 'secret'\nstyle = 'user'\ndepth = 'secret'\nmore = 1");
    assert_eq!(told(&user.diagnostics), "");
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        Given::open(&path)
    };
    let toml = file("a.toml", "style = 'toml'\ndepth = 4").unwrap();
    let json = file("b.json", r#"{"style": "json"}"#).unwrap();
    for bad in [file("c.json", "[]"), file("d.toml", "="), file("e", "{"), file("f.json", "")] {
        assert!(!bad.unwrap_err().is_empty());
    }
    let pack = json!({ "depth": 2, "style": "pack", "token": "stolen", "x": 1 });
    let pack = Given::of_table(&pack, &Origin::Engine);
    let of_user = user.plugins.get(&PackName::new("acme").unwrap());
    let (config, diagnostics) =
        effective_config(&manifest(MANIFEST), std::slice::from_ref(&pack), of_user, &[toml, json]);
    assert_eq!(config, json!({ "depth": 4, "style": "json", "token": "secret" }));
    let told = told(&diagnostics);
    assert!(!told.contains("secret") && !told.contains("stolen"), "values are never told");
    insta::assert_snapshot!(told);

    let none = manifest("name = 'acme'\nversion = '1'\nabi = '1.0'");
    let (config, diagnostics) = effective_config(&none, &[pack], of_user, &[]);
    assert_eq!(config["more"], json!(1), "a manifest that names no keys takes any of the user's");
    assert_eq!((config.get("x"), diagnostics.len()), (None, 4), "and none of a pack's");
    let (config, _) = effective_config(&manifest(MANIFEST), &[], None, &[]);
    assert_eq!(config, json!({ "depth": 1, "style": "plain" }));
}

#[test]
fn a_mistake_never_loosens_the_policy() {
    let policy = |text: &str| user(text).policy;
    assert_eq!(policy(""), Policy::default());
    let loose = policy("[policy]\nisolation = 'inproc'\nrequire = 'off'\nsandbox = 'off'");
    let wanted = Policy {
        isolation: NativePolicy::InProc,
        require: Require::Off,
        sandbox: SandboxPolicy::Off,
    };
    assert_eq!(loose, wanted);
    for broken in ["[policy", "policy = 'off'", "[policy]\nrequires = 'lock'", "\u{feff}\0"] {
        assert_eq!(policy(broken), Policy::STRICTEST, "{broken}");
    }
    let half = policy("[policy]\nrequire = 'nothing'\nsandbox = 3");
    assert_eq!(half, Policy { isolation: NativePolicy::Process, ..Policy::STRICTEST });
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(UserConfig::open(folder.path()).policy, Policy::STRICTEST);
    assert_eq!(UserConfig::open(&folder.path().join("absent")).policy, Policy::default());
}

#[test]
fn mistakes_are_told() {
    let user = user(
        "colour = 1\n[policy]\nrequire = 'off'\nsandbox = 'of'\nisolation = 'process'\n\
         [plugins]\n'Bad Name' = {}\nacme = 3\n[keys]\nacme = 'no key'\nother = 4\n\
         good = 'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3'",
    );
    insta::assert_snapshot!(told(&user.diagnostics));
    assert_eq!(format!("{:?}", user.keys), "{\"good\": KeyId(\"E7620F1842B4E81F\")}");
}
