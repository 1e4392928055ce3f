//! Where a pack's files come from.
//!
//! In: texts in memory. Out: entries sorted by path. Never: parses a file.

use std::borrow::Cow;
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile};

/// The largest file that is read.
pub(crate) const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// The most files that are read of one pack.
pub(crate) const MAX_FILES: usize = 4096;
/// The most bytes that are read of one pack.
pub(crate) const MAX_PACK_BYTES: usize = 64 * 1024 * 1024;

/// One file of a pack.
#[derive(Clone, Debug)]
pub struct SourceEntry {
    /// Its path below the pack's folder; `/` separates folders.
    pub path: Cow<'static, str>,
    /// Its name for people, and its text.
    pub file: Arc<SourceFile>,
}

/// A pack's files, wherever they are kept.
pub trait Source: Send + Sync {
    /// What people call it: a folder, or a name. It stands for the pack's name where that is missing.
    fn name(&self) -> &str;

    /// Reads every file, in any order, and tells those that cannot be read.
    fn files(&self) -> (Vec<SourceEntry>, Vec<Diagnostic>);
}

/// A pack in memory, e.g. one that is part of the program.
#[derive(Clone, Debug)]
pub struct MemorySource {
    name: Arc<str>,
    files: Vec<SourceEntry>,
}

impl MemorySource {
    /// Takes paths below the pack's folder and texts. Diagnostics show a file as `name/path`.
    pub fn new<P: Into<String>, T: Into<String>>(
        name: &str,
        files: impl IntoIterator<Item = (P, T)>,
    ) -> Self {
        let entry = |(path, text): (P, T)| {
            let (path, text): (String, String) = (path.into(), text.into());
            let file = SourceFile::new(format!("{name}/{path}"), text);
            SourceEntry { path: path.into(), file }
        };
        Self { name: name.into(), files: files.into_iter().map(entry).collect() }
    }

    /// The same for texts that are part of the program, without copies.
    pub fn embedded(name: &str, files: &'static [(&'static str, &'static str)]) -> Self {
        let entry = |&(path, text): &(&'static str, &'static str)| {
            let file = SourceFile::embedded(format!("{name}/{path}"), text);
            SourceEntry { path: path.into(), file }
        };
        Self { name: name.into(), files: files.iter().map(entry).collect() }
    }
}

/// What another source held when it was read.
pub(crate) struct ReadSource {
    name: String,
    files: Vec<SourceEntry>,
    told: Vec<Diagnostic>,
}

impl ReadSource {
    /// Reads every file.
    pub(crate) fn of(source: &dyn Source) -> Self {
        let (files, told) = source.files();
        Self { name: source.name().into(), files, told }
    }
}

impl Source for ReadSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> (Vec<SourceEntry>, Vec<Diagnostic>) {
        (self.files.clone(), self.told.clone())
    }
}

/// What the loader asks of a text wherever it comes from: no NUL byte, and not over the limit.
pub(crate) fn acceptable(file: &Arc<SourceFile>) -> Result<(), Box<Diagnostic>> {
    if file.text().len() > MAX_FILE_BYTES {
        return Err(Box::new(too_large(file)));
    }
    let Some(at) = memchr::memchr(0, file.text().as_bytes()) else {
        return Ok(());
    };
    let told = Diagnostic::new(
        Code::FileNotUtf8,
        "the file holds a NUL byte",
        Origin::file(file, at..at + 1),
    );
    Err(Box::new(told.help("it is no text; the file is left out")))
}

/// Tells that a file is over the limit.
pub(crate) fn too_large(file: &Arc<SourceFile>) -> Diagnostic {
    let message = format!("the file is larger than {MAX_FILE_BYTES} bytes");
    Diagnostic::new(Code::FileTooLarge, message, Origin::file(file, 0..0)).help("it is left out")
}

impl Source for MemorySource {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> (Vec<SourceEntry>, Vec<Diagnostic>) {
        (self.files.clone(), Vec::new())
    }
}
