//! Holds the Rust types against the C headers.
//!
//! In: a C program made from the lists below, compiled with `$CC`, else `cc`. Out: every size, offset and
//! constant as one line of text, the same from both sides. Never: silent without a compiler; with
//! `WEAVE_REQUIRE_CC=1` that fails.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../compilers/mod.rs"]
mod compilers;
mod facts;

use std::path::PathBuf;
use std::process::Command;

use compilers::{Compiler, Language};

#[test]
fn both_sides_say_the_same() {
    let Some(cc) = Compiler::find(Language::C) else { return };
    let facts = facts::all();
    let binary = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("weave_layout");
    let options = ["-std=c99", "-o", binary.to_str().unwrap()];
    cc.compile(&options, &facts::program(&facts));
    let output = Command::new(&binary).output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    let ours: Vec<String> = facts.iter().map(|fact| fact.line()).collect();
    let theirs: Vec<&str> = printed.lines().collect();
    assert_eq!(ours, theirs);
}

#[test]
fn no_constant_of_the_headers_is_left_out() {
    let facts = facts::all();
    for name in facts::defined_constants() {
        assert!(facts.iter().any(|fact| fact.name() == name), "`{name}` is compared with nothing");
    }
}

#[test]
fn the_headers_are_clean_c99_and_cxx11() {
    for (language, standard) in [(Language::C, "-std=c99"), (Language::Cxx, "-std=c++11")] {
        let Some(compiler) = Compiler::find(language) else { continue };
        for header in ["promptweave.h", "promptweave-origin.h"] {
            compiler.compile(
                &[standard, "-fsyntax-only"],
                &format!("#include \"{header}\"\n#include \"{header}\"\n"),
            );
        }
    }
}

#[test]
fn sizes_of_1_0_never_change() {
    use promptweave_abi::{Call, HostApi, Item, Plugin, Str, Value};
    if cfg!(target_pointer_width = "64") {
        let sizes = [Plugin::SIZE_1_0, Item::SIZE_1_0, Call::SIZE_1_0, HostApi::SIZE_1_0];
        assert_eq!(sizes, [176, 144, 128, 152]);
        assert_eq!((Value::SIZE_1_0, size_of::<Str>()), (40, 16));
    }
}
