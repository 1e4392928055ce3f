//! Programs in C and C++: the examples, wrong use, threads, many builds.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::fs;

use support::{Language, Watch, compile, folder, run, text};

/// Compiles and runs a program as it is, with sanitizers and under valgrind; what it prints is the same.
fn prints(language: Language, source: &str, watches: &[Watch]) -> Option<String> {
    let scratch = tempfile::tempdir().unwrap();
    let mut printed = None;
    for &watch in watches {
        let program = compile(language, &folder().join(source), (watch, scratch.path()))?;
        let Some(done) = run(&program, (watch, scratch.path()), b"") else { continue };
        printed = Some(text(&done.stdout));
    }
    printed
}

const ALL: &[Watch] = &[Watch::Valgrind, Watch::Sanitizers, Watch::Nothing];

#[test]
fn examples_print_what_they_say() {
    for (language, source) in [
        (Language::C, "examples/first.c"),
        (Language::C, "examples/stream.c"),
        (Language::Cpp, "examples/session.cpp"),
    ] {
        let Some(printed) = prints(language, source, ALL) else { continue };
        let file = folder().join(source).with_extension("txt");
        if std::env::var_os("PROMPTWEAVE_BLESS").is_some() {
            fs::write(&file, &printed).unwrap();
        }
        assert_eq!(printed, fs::read_to_string(&file).unwrap(), "{source}");
    }
}

#[test]
fn wrong_use_gives_errors() {
    if let Some(printed) = prints(Language::C, "tests/misuse.c", ALL) {
        assert_eq!(printed, "no crash\n");
    }
}

#[test]
fn threads_and_forked_children_are_served() {
    if let Some(printed) = prints(Language::C, "tests/threads.c", ALL) {
        assert_eq!(printed, "0 wrong, child served\n");
    }
}

#[test]
fn many_builds_leak_nothing() {
    prints(Language::C, "tests/many.c", &[Watch::Sanitizers, Watch::Nothing]);
}
