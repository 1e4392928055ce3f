//! What does not compile, with which words, and what a library exports.
//!
//! In: one small plugin, and changes of its source. Out: what a nested cargo says, in a folder and a
//! target of its own. Never: the network, or the target folder of the workspace.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const MANIFEST: &str = r#"
[workspace]
[package]
name = "tiny"
version = "0.1.0"
edition = "2024"
[lib]
crate-type = ["cdylib"]
[features]
default = ["export"]
export = []
[dependencies]
promptweave-plugin = { path = "SDK" }
"#;

const SOURCE: &str = r#"
#![forbid(unsafe_code)]
#![deny(warnings)]
use promptweave_plugin::{Cache, Component, Cx, Error, Section, export_plugin};

pub struct State(#[allow(dead_code)] u32);

impl State {
    fn from_config(_: &str) -> Result<State, Error> {
        Ok(State(0))
    }
}

struct Hello;

impl Component<State> for Hello {
    const ID: &'static str = "hello";
    const DESCRIPTION: &'static str = "Greets";
    const DEPS: &'static [&'static str] = &["user.name"];
    const CACHE: Cache = Cache::Session;

    fn render(_: &State, cx: &mut Cx<'_>) -> Result<Section, Error> {
        write!(cx, "Hello {:?}", cx.get_str("user.name")?)?;
        Ok(Section::Written)
    }
}

export_plugin! {
    name: "tiny", version: env!("CARGO_PKG_VERSION"), state: State, init: State::from_config,
    components: [Hello], symbol: cfg(feature = "export"),
}
"#;

/// A crate of its own; cargo is called on it with arguments and one variable.
struct Tiny {
    folder: PathBuf,
}

impl Tiny {
    fn new(source: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tiny");
        fs::create_dir_all(folder.join("src")).unwrap();
        // A literal string of TOML, for a Windows path has backslashes.
        let sdk = MANIFEST.replace("\"SDK\"", &format!("'{}'", env!("CARGO_MANIFEST_DIR")));
        fs::write(folder.join("Cargo.toml"), sdk).unwrap();
        fs::write(folder.join("src/lib.rs"), source).unwrap();
        Self { folder }
    }

    /// What the compiler said, if it failed.
    fn cargo(&self, arguments: &[&str], (variable, value): (&str, &str)) -> Result<(), String> {
        let cargo = env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
        let output = Command::new(cargo)
            .args(arguments)
            .args(["--offline", "--target-dir", "target"])
            .current_dir(&self.folder)
            .env(variable, value)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        if output.status.success() { Ok(()) } else { Err(said) }
    }

    fn library(&self) -> Vec<u8> {
        let (prefix, suffix) = (env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
        fs::read(self.folder.join(format!("target/debug/{prefix}tiny{suffix}"))).unwrap()
    }
}

const UNWIND: (&str, &str) = ("CARGO_PROFILE_DEV_PANIC", "unwind");
const ABORT: (&str, &str) = ("CARGO_PROFILE_DEV_PANIC", "abort");

fn holds(library: &[u8], text: &str) -> bool {
    library.windows(text.len()).any(|part| part == text.as_bytes())
}

/// One test, since the steps share a folder.
#[test]
fn the_compiler_speaks_for_the_host() {
    let tiny = Tiny::new(SOURCE);
    tiny.cargo(&["build"], UNWIND).unwrap();
    let library = tiny.library();
    assert!(holds(&library, "\0weave_plugin_entry_v1\0") && holds(&library, "weave_manifest_v1\0"));
    assert!(holds(&library, "[plugin]\nname = \"tiny\"\nversion = \"0.1.0\"\nabi = \"1.0\"\n"));

    tiny.cargo(&["build", "--no-default-features"], UNWIND).unwrap();
    let library = tiny.library();
    assert!(!holds(&library, "weave_plugin_entry_v1") && !holds(&library, "weave_manifest_v1"));

    let said = tiny.cargo(&["check"], ABORT).unwrap_err();
    assert!(said.contains("a plugin must be built with `panic = \"unwind\"`"), "{said}");

    for (from, to, expected) in [
        ("Cache::Session", "Cache::Volatile(\"\")", "`Cache::Volatile` needs a reason"),
        ("Cache::Session", "Cache::Static", "`Cache::Static` reads no key"),
        ("[Hello]", "[Hello, Hello]", "two items of one kind have the same id"),
        ("\"hello\"", "\"hel-lo\"", "`ID`: a letter, then letters, digits and `_`"),
        ("name: \"tiny\"", "name: \"Tiny\"", "`name`: `a-z` and digits"),
        ("u32", "std::rc::Rc<u32>", "cannot be shared between threads safely"),
        (
            "cx.get_str(\"user.name\")?",
            "std::thread::scope(|scope| scope.spawn(|| cx.cancelled()).join())",
            "cannot be shared between threads safely",
        ),
        (
            "state: State, init: State::from_config,",
            "",
            "the trait `Component<()>` is not implemented",
        ),
    ] {
        let said = Tiny::new(&SOURCE.replace(from, to)).cargo(&["check"], UNWIND).unwrap_err();
        assert!(said.contains(expected), "{from} -> {to}: {said}");
    }
}
