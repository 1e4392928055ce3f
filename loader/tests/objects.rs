//! What is read of libraries without loading them; real ones, compiled here, and broken ones.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(target_os = "linux")]

mod common;

use std::sync::OnceLock;

use common::compile;
use promptweave_loader::{Binding, Fit, Language, ObjectError, ObjectFacts, Stack, host_target};
use proptest::prelude::*;

fn facts(name: &str) -> Option<ObjectFacts> {
    let folder = tempfile::tempdir().unwrap();
    let library = compile(name, folder.path())?;
    Some(ObjectFacts::read(&std::fs::read(library).unwrap()).unwrap())
}

fn binding(facts: &ObjectFacts, name: &str) -> Option<Binding> {
    facts.exports.iter().find(|one| one.name == name).map(|one| one.binding)
}

#[test]
fn a_plugin_as_it_should_be() {
    let Some(facts) = facts("good.c") else { return };
    assert_eq!(
        (facts.fit, facts.language, facts.stack),
        (Fit::Here, Language::Other, Stack::Plain)
    );
    assert!(host_target().starts_with(&facts.target), "{} {}", host_target(), facts.target);
    assert_eq!(facts.entries, [1, 2]);
    assert!(facts.manifest.as_deref().unwrap().starts_with("name = \"acme\"\n"));
    assert_eq!(binding(&facts, "hidden"), None);
    assert_eq!(facts.foreign_exports().count(), 0);
    assert!(facts.search_paths.is_empty() && facts.ends.is_empty());
}

#[test]
fn foreign_exports_and_dangerous_imports() {
    let Some(facts) = facts("foreign.c") else { return };
    assert_eq!(binding(&facts, "helper"), Some(Binding::Strong));
    assert_eq!(binding(&facts, "soft"), Some(Binding::Weak));
    assert_eq!(facts.foreign_exports().collect::<Vec<_>>(), ["helper"]);
    assert_eq!(facts.ends, ["abort", "exit", "fork"]);
    if facts.target.ends_with("gnu") {
        assert!(facts.needed.contains(&"libc.so.6".into()), "{:?}", facts.needed);
        let floor = facts.glibc.unwrap();
        assert!(floor.version[0] == 2 && !floor.symbol.is_empty(), "{floor:?}");
    }
    assert_eq!((facts.manifest, facts.entries), (None, vec![1]));
}

#[test]
fn how_it_is_linked() {
    let Some(bad) = facts("bad_link.c") else { return };
    assert_eq!((bad.stack, &*bad.search_paths[0]), (Stack::Executable, "lib:$ORIGIN"));
    assert_eq!(facts("origin.c").unwrap().search_paths, ["$ORIGIN:/opt/lib"]);
    assert_eq!(facts("go.c").unwrap().language, Language::Go);
    assert_eq!(facts("no_entry.c").unwrap().entries, [0_u32; 0]);
}

#[test]
fn what_is_no_library() {
    for bytes in [&b""[..], b"\x7fELF", b"#!/bin/sh\n", b"MZ", &[0; 64]] {
        assert!(ObjectFacts::read(bytes).is_err());
    }
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = compile("pic_program.c", folder.path()) else { return };
    let read = ObjectFacts::read(&std::fs::read(program).unwrap());
    assert_eq!(read, Err(ObjectError::NotShared));
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert_eq!(ObjectFacts::read(&own), Err(ObjectError::NotShared));
}

/// Real libraries, read once.
fn libraries() -> &'static [Vec<u8>] {
    static LIBRARIES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let compiled = ["good.c", "foreign.c"].map(|name| compile(name, folder.path()));
        compiled.into_iter().flatten().map(|path| std::fs::read(path).unwrap()).collect()
    })
}

/// The bytes that lead to others: headers, and the tables at both ends of the file.
fn place(length: usize) -> impl Strategy<Value = usize> {
    prop_oneof![0..64_usize, 0..length.min(2048), 0..length, length - length.min(3000)..length]
}

/// The beginnings of libraries for other systems: what leads the reader on into the noise behind.
const HEADS: &[&[u8]] = &[
    // Mach-O, x86_64, a dynamic library, eight load commands.
    b"\xcf\xfa\xed\xfe\x07\x00\x00\x01\x03\x00\x00\x00\x06\x00\x00\x00\x08\x00\x00\x00",
    b"\xce\xfa\xed\xfe\x07\x00\x00\x00\x03\x00\x00\x00\x06\x00\x00\x00\x08\x00\x00\x00",
    // PE: the header at 0x40, x86_64, two sections, a dynamic library, PE32+.
    b"MZ\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
      \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x40\0\0\0\
      PE\0\0\x64\x86\x02\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\0\x22\x20\x0b\x02",
    // ELF of 32 bits, big-endian.
    b"\x7fELF\x01\x02\x01\0\0\0\0\0\0\0\0\0\0\x03\0\x14\0\0\0\x01",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn noise_is_told_or_read(
        head in prop::sample::select(HEADS),
        noise in prop::collection::vec(prop_oneof![3 => Just(0_u8), 1 => 0..80_u8, 1 => any::<u8>()], 0..400),
    ) {
        let _ = ObjectFacts::read(&[head, &noise].concat());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    #[test]
    fn broken_libraries_are_told_or_read(
        which in 0_usize..2,
        changes in prop::collection::vec((place(14_000), prop_oneof![Just(0xff_u8), Just(0), any::<u8>()]), 1..12),
        cut in prop::option::of(0_usize..16_000),
    ) {
        let Some(library) = libraries().get(which) else { return Ok(()) };
        let mut bytes = library.clone();
        for (at, byte) in changes {
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
        }
        bytes.truncate(cut.unwrap_or(bytes.len()));
        if let Ok(facts) = ObjectFacts::read(&bytes) {
            prop_assert!(facts.exports.len() <= 65_536);
            prop_assert!(facts.exports.iter().all(|one| one.name.len() <= 3 * 1024));
        }
    }
}
