//! What the file of a library says, without loading it.
//!
//! In: the bytes of a library. Out: [`ObjectFacts`]. Never: loads, panics on hostile bytes, or keeps
//! more than the limits below.

mod elf;
mod plain;
mod strings;
mod target;

use std::fmt;

use ::object::FileKind;
use serde::Serialize;

pub use target::{Fit, host_target};

use crate::manifest::MAX_MANIFEST_BYTES;

/// Entry symbols are this and the ABI's major version.
const ENTRY: &str = "weave_plugin_entry_v";
/// The symbol of an embedded manifest.
const MANIFEST: &str = "weave_manifest_v1";
/// The most symbols, needed libraries or versions that are looked at.
const MAX_COUNT: usize = 65_536;
/// The longest name that is kept; longer ones are cut.
const MAX_NAME_BYTES: usize = 1024;
/// Imports that end or copy the process.
const ENDS: &[&str] = &["_Exit", "_exit", "abort", "exit", "fork", "quick_exit", "vfork"];

/// What a library's file says about itself. All lists are at most 65,536 long, all names 1,024 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectFacts {
    /// What it was built for, e.g. `x86_64-linux-gnu`.
    pub target: String,
    /// Whether this machine can load it.
    pub fit: Fit,
    /// The symbols that it exports, by name.
    pub exports: Vec<Export>,
    /// The ABI majors whose entry symbols it exports, rising.
    pub entries: Vec<u32>,
    /// The text of its embedded manifest, if there is one that is whole and UTF-8.
    pub manifest: Option<String>,
    /// The libraries that it needs, in its order.
    pub needed: Vec<String>,
    /// Where it has them looked for: RPATH and RUNPATH, or their like.
    pub search_paths: Vec<String>,
    /// Whether it asks for an executable stack.
    pub stack: Stack,
    /// The newest glibc that it asks for.
    pub glibc: Option<GlibcFloor>,
    /// Whether a Go runtime is in it.
    pub language: Language,
    /// What it imports of `exit`, `abort`, `fork` and their kin.
    pub ends: Vec<String>,
}

/// One exported symbol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Export {
    /// Its name; bytes that are not UTF-8 are replaced.
    pub name: String,
    /// How it is bound.
    pub binding: Binding,
}

/// How a symbol is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Binding {
    /// The usual one.
    Strong,
    /// Another may take its place.
    Weak,
    /// One of its name in the whole process.
    Unique,
}

/// Whether a library wants to execute its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stack {
    /// It does not, and says so.
    Plain,
    /// It does, or does not say, which counts as the same.
    Executable,
}

/// What a library was written in, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Go: its runtime stays, and wants a process of its own.
    Go,
    /// Anything else.
    Other,
}

/// The newest glibc that a library asks for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GlibcFloor {
    /// `2.34` as `[2, 34, 0]`.
    pub version: [u32; 3],
    /// A symbol that asks for it; empty when only the list of versions does.
    pub symbol: String,
}

impl fmt::Display for GlibcFloor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            [major, minor, 0] => write!(f, "{major}.{minor}"),
            [major, minor, patch] => write!(f, "{major}.{minor}.{patch}"),
        }
    }
}

/// Why a file is no library that could be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// Another kind of file.
    #[error("it is no library of Linux, macOS or Windows")]
    NotAnObject,
    /// An object that is linked differently: a program, a part of one.
    #[error("it is not a shared library")]
    NotShared,
    /// A broken file.
    #[error("it is broken: {0}")]
    Broken(String),
}

impl ObjectFacts {
    /// Reads the facts of a library.
    ///
    /// # Errors
    /// [`ObjectError`] when the bytes are no shared library.
    pub fn read(bytes: &[u8]) -> Result<Self, ObjectError> {
        let kind = FileKind::parse(bytes).map_err(|_| ObjectError::NotAnObject)?;
        let facts = match kind {
            FileKind::Elf32 => elf::read::<::object::elf::FileHeader32<_>>(bytes),
            FileKind::Elf64 => elf::read::<::object::elf::FileHeader64<_>>(bytes),
            FileKind::MachO32 | FileKind::MachO64 | FileKind::Pe32 | FileKind::Pe64 => {
                plain::read(bytes)
            }
            _ => return Err(ObjectError::NotAnObject),
        };
        facts.map(Self::in_order)
    }

    fn in_order(mut self) -> Self {
        self.exports.sort();
        self.exports.dedup();
        let majors = self.exports.iter().filter_map(|one| one.name.strip_prefix(ENTRY));
        self.entries = majors.filter_map(major).collect();
        self.entries.sort_unstable();
        self.ends.sort();
        self.ends.dedup();
        self
    }

    /// Strong exports that are not the ABI's.
    pub fn foreign_exports(&self) -> impl Iterator<Item = &str> {
        let strong = self.exports.iter().filter(|one| one.binding == Binding::Strong);
        strong.map(|one| &*one.name).filter(|name| !name.starts_with("weave_"))
    }
}

impl From<::object::Error> for ObjectError {
    fn from(error: ::object::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// A number as a symbol may end with: no sign, no leading zero.
fn major(digits: &str) -> Option<u32> {
    let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| plain)
}

fn name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..MAX_NAME_BYTES).unwrap_or(bytes)).into_owned()
}

/// The text up to a NUL byte.
fn manifest_text(bytes: &[u8]) -> Option<String> {
    let most = usize::try_from(MAX_MANIFEST_BYTES).ok()?;
    let bytes = bytes.get(..=most).unwrap_or(bytes);
    let end = bytes.iter().position(|&byte| byte == 0)?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}
