//! The header: made of the code, and at peace with that of the plugins.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use support::{Language, compiler, folder, libraries, text};

#[test]
fn the_header_is_that_of_the_code() {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml")).unwrap();
    let made =
        cbindgen::Builder::new().with_crate(folder()).with_config(config).generate().unwrap();
    let mut header = Vec::new();
    made.write(&mut header);
    let (header, file) = (text(&header), folder().join("include/promptweave_engine.h"));
    if std::env::var_os("PROMPTWEAVE_BLESS").is_some() {
        fs::write(&file, &header).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap();
    assert!(committed == header, "run the tests with PROMPTWEAVE_BLESS=1, and look at the header");
}

/// One program may host promptweave and be a plugin of it.
#[test]
fn both_headers_go_together() {
    let scratch = tempfile::tempdir().unwrap();
    let both = "#include \"promptweave_engine.h\"\n#include \"promptweave.h\"\n\
                #include \"promptweave.h\"\n#include \"promptweave_engine.h\"\nint main(void) { return 0; }\n";
    for (language, name) in [(Language::C, "both.c"), (Language::Cpp, "both.cpp")] {
        let source = scratch.path().join(name);
        fs::write(&source, both).unwrap();
        let Some(mut command) = compiler(language) else { return };
        let done = command.arg("-fsyntax-only").arg(&source).output().unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
}

/// What the library exports is what the header declares, and the plugins' header has none of it.
#[test]
fn the_library_exports_what_the_header_declares() {
    let Some(mut nm) = support::needed("nm".as_ref()) else { return };
    let library = libraries().join("libpromptweave_engine.so");
    let done = nm.args(["--dynamic", "--defined-only", "--format=posix"]).arg(library).output();
    let symbols = text(&done.unwrap().stdout);
    let exported: BTreeSet<&str> =
        symbols.lines().filter_map(|line| line.split(' ').next()).collect();
    let header = fs::read_to_string(folder().join("include/promptweave_engine.h")).unwrap();
    let declared: BTreeSet<&str> = header
        .split(|character: char| {
            !character.is_alphanumeric() && character != '_' && character != '('
        })
        .filter_map(|word| word.split_once('(').map(|(name, _)| name))
        .filter(|name| name.starts_with("promptweave_"))
        .collect();
    let plugins = fs::read_to_string(folder().join("../../sdk/include/promptweave.h")).unwrap();
    let missing: Vec<_> = declared.difference(&exported).collect();
    assert!(missing.is_empty() && declared.len() > 30, "{missing:?} of {declared:?}");
    let foreign: Vec<_> = exported
        .iter()
        .filter(|name| !name.starts_with("promptweave_") && !name.starts_with("rust_"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    let shared: Vec<_> = declared.iter().filter(|name| plugins.contains(**name)).collect();
    assert!(shared.is_empty(), "{shared:?}");
}

/// The version of the header is that of the file.
#[test]
fn the_pkg_config_file_says_how_to_link() {
    let Some(mut pkg_config) = support::needed("pkg-config".as_ref()) else { return };
    let scratch = tempfile::tempdir().unwrap();
    let template = fs::read_to_string(folder().join("promptweave-engine.pc.in")).unwrap();
    let file =
        template.replace("@PREFIX@", "/opt/p").replace("@VERSION@", env!("CARGO_PKG_VERSION"));
    fs::write(scratch.path().join("promptweave-engine.pc"), file).unwrap();
    let command: &mut Command = pkg_config.env("PKG_CONFIG_PATH", scratch.path());
    let done = command.args(["--cflags", "--libs", "promptweave-engine"]).output().unwrap();
    assert_eq!(text(&done.stdout).trim(), "-I/opt/p/include -L/opt/p/lib -lpromptweave_engine");
}
