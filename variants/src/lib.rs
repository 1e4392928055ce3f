//! The standard pack of promptweave, embedded.
//!
//! In: the files beside this crate, at compile time. Out: [`standard`]. Never: reads a file at run time.
#![forbid(unsafe_code)]

use promptweave::MemorySource;

/// The files of the standard pack: path below the pack's root, and text, in order of their paths.
pub const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The standard pack, to be given to an engine's builder first, so that other packs can change it.
pub fn standard() -> MemorySource {
    MemorySource::embedded("standard", FILES)
}
