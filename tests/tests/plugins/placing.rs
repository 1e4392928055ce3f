//! Where a plugin runs, what surrounds it there, and that its manifest has to be true.

use promptweave_loader::{Isolation, NativePolicy, Plugins, Policy, UserConfig};
use promptweave_tests::hosted::{self, Home, Manifest, Mode};
use promptweave_tests::{native, pack};
use serde_json::json;

/// What of the host's environment a plugin may see, and the mark by which it is found again.
const VARIABLES: &[&str] = &[
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "PATH",
    "SHELL",
    "TMPDIR",
    "TZ",
    "USER",
    "PROMPTWEAVE_PLUGIN_CHILD",
];

#[test]
fn a_child_gets_nothing_of_its_host_by_accident() {
    let Some(library) = native::library("surroundings") else { return };
    let kept = |name: &std::ffi::OsStr| VARIABLES.iter().any(|kept| name == *kept);
    assert!(std::env::vars_os().any(|(name, _)| !kept(&name)), "something to hide");
    let home = Home::new(&library, Manifest::of("surroundings"));
    let plugins = home.builder(Mode::Process).load();
    let (engine, told) = hosted::engine(&plugins, &[("generic.toml", "order = [\"bad\"]\n")]);
    assert!(told.is_empty(), "{told:#?}");
    let prompt = engine.prompt(&pack::context(json!({}))).unwrap();
    let (variables, rest): (Vec<&str>, Vec<&str>) =
        prompt.text().lines().partition(|line| line.starts_with("variable "));
    for variable in variables {
        assert!(VARIABLES.iter().any(|kept| variable.ends_with(kept)), "{variable}");
    }
    let expected = [
        "folder /",
        "memory 2147483648, files 64, core 0",
        "input and output are devices: 1",
        "leads its group: 1",
    ];
    assert_eq!(rest, expected);
}

fn lie(case: &str, rest: &str) -> String {
    let Some(library) = native::library(case) else { return String::new() };
    let all = [Mode::Process, Mode::InProc].map(|mode| {
        let home = Home::new(&library, Manifest { rest, ..Manifest::of(case) });
        let plugins = home.builder(mode).load();
        assert!(plugins.loaded().is_empty(), "{case} {mode:?}: {rest}");
        let [told] = plugins.diagnostics() else { panic!("{rest}: {:#?}", plugins.diagnostics()) };
        told.message.clone()
    });
    assert_eq!(all[0], all[1]);
    format!("{}\n", all[0])
}

#[test]
fn manifests_that_lie() {
    const GOOD: &str = "[[component]]\nid = \"good\"\ncache = \"volatile\"\nreason = \"a test\"\n";
    let bad = |rest: &str| format!("[[component]]\nid = \"bad\"\n{rest}{GOOD}");
    let mut told = String::new();
    for rest in [
        bad("cache = \"session\"\n"),
        bad("deps = [\"cwd\"]\n"),
        bad("sections = [\"good\"]\n"),
        format!("{}[[component]]\nid = \"more\"\n", bad("")),
        GOOD.to_owned(),
        format!("[[helper]]\nid = \"bad\"\n{GOOD}"),
    ] {
        told.push_str(&lie("fine", &rest));
    }
    told.push_str(&lie("helps", "[capabilities]\ncontext = [\"user\"]\n"));
    told.push_str(&lie("helps", "[capabilities]\ncontext = []\n"));
    if !told.is_empty() {
        insta::assert_snapshot!("lies", told);
    }
}

/// In this process runs what the policy, the trust entry and the author all let.
#[test]
fn all_have_to_agree_on_this_process() {
    let Some(library) = native::library("fine") else { return };
    let load = |policy: NativePolicy, granted: Option<Isolation>, asked: &str| {
        let home = Home::new(&library, Manifest { rest: asked, ..Manifest::of("fine") });
        if let Some(granted) = granted {
            home.trust(granted);
        }
        let policy = Policy { isolation: policy, ..Policy::default() };
        let plugins = Plugins::builder()
            .plugin(home.plugin())
            .data(home.data())
            .user(UserConfig { policy, ..UserConfig::default() })
            .program(hosted::program())
            .load();
        plugins.loaded().first().map(promptweave_loader::Plugin::isolation)
    };
    const PROCESS: &str = "[run]\nisolation = \"process\"\n";
    const INPROC: &str = "[run]\nisolation = \"inproc\"\n";
    use Isolation::{InProc, Process};
    for asked in ["", INPROC] {
        assert_eq!(load(NativePolicy::InProc, Some(InProc), asked), Some(InProc));
        assert_eq!(load(NativePolicy::InProc, Some(Process), asked), Some(Process));
        assert_eq!(load(NativePolicy::InProc, None, asked), Some(Process));
        assert_eq!(load(NativePolicy::Process, Some(InProc), asked), Some(Process));
        assert_eq!(load(NativePolicy::Off, Some(InProc), asked), None);
    }
    assert_eq!(load(NativePolicy::InProc, Some(InProc), PROCESS), Some(Process));
}

/// All of them want the same private copy at the same time.
#[test]
fn many_hosts_begin_together() {
    let Some(library) = native::library("fine") else { return };
    let home = Home::new(&library, Manifest::of("fine"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let plugins = home.builder(Mode::Process).load();
                assert!(plugins.diagnostics().is_empty(), "{:#?}", plugins.diagnostics());
                assert_eq!(plugins.loaded().len(), 1);
            });
        }
    });
}

/// What the manifest asks for is what it gets, as far as the host gives it.
#[test]
fn limits_of_the_manifest_count() {
    let Some(slow) = native::library("slow") else { return };
    let Some(floods) = native::library("floods") else { return };
    let told = |library: &std::path::Path, name: &str, rest: &str, order: &str| {
        let home = Home::new(library, Manifest { rest, ..Manifest::of(name) });
        let plugins = home.builder(Mode::Process).load();
        let (engine, _) = hosted::engine(&plugins, &[("generic.toml", order)]);
        let prompt = engine.prompt(&pack::context(json!({ "cwd": "/p" }))).unwrap();
        prompt.diagnostics()[0].message.clone()
    };
    let late = told(&slow, "slow", "[run]\ntimeout_ms = 50\n", "order = [\"slow\"]\n");
    assert!(late.contains("longer than 50 ms"), "{late}");
    let long = told(
        &floods,
        "floods",
        "[run]\ntimeout_ms = 5000\nmax_output_kib = 3\n",
        "order = [\"bad\"]\n",
    );
    assert!(long.contains("its limit of 3 KiB"), "{long}");
    let most = "[run]\ntimeout_ms = 600000\nmax_output_kib = 16384\n";
    let long = told(&floods, "floods", most, "order = [\"bad\"]\n");
    assert!(long.contains("its limit of 1024 KiB"), "{long}");
}
