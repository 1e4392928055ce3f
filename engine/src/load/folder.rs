//! Reads a pack from a folder.
//!
//! In: a folder. Out: the files that belong to a pack, sorted by path, and those that cannot be read.
//! Never: opens anything but a regular file, goes deeper than one folder, reads more than the limits.

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::layout::{Place, is_ignored_folder, place, unexpected_help};
use super::source::{MAX_FILE_BYTES, MAX_FILES, MAX_PACK_BYTES, Source, SourceEntry, too_large};
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile};

/// The most names that are read of one folder.
const MAX_NAMES: usize = 64 * 1024;
/// More files that are no part of a pack are counted, not told.
const MAX_UNEXPECTED: usize = 50;

/// A pack in a folder.
#[derive(Clone, Debug)]
pub struct DirSource {
    folder: PathBuf,
    name: String,
    /// Links must not lead out of this folder.
    within: Option<PathBuf>,
}

impl DirSource {
    /// Takes the folder that holds `pack.toml`; it is read when the engine is built.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        let folder = folder.into();
        let name = folder.file_name().map_or_else(
            || folder.display().to_string(),
            |name| name.to_string_lossy().into_owned(),
        );
        Self { folder, name, within: None }
    }

    /// The same, but a link that leads out of `folder`, a canonical path, is not followed.
    pub(crate) fn within(mut self, folder: PathBuf) -> Self {
        self.within = Some(folder);
        self
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Source for DirSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> (Vec<SourceEntry>, Vec<Diagnostic>) {
        let mut walk = Walk::new(self);
        match fs::read_dir(&self.folder) {
            Ok(_) => walk.root(),
            Err(error) => {
                let message = format!("no pack can be read here: {}", reason(&error));
                walk.tell(Code::PackMissing, "", message, "name a folder that holds a `pack.toml`");
            }
        }
        walk.finish()
    }
}

struct Walk<'s> {
    source: &'s DirSource,
    /// Read so far.
    bytes: usize,
    entries: Vec<SourceEntry>,
    told: Vec<Diagnostic>,
    /// The first file that is over the pack's limits, and how many there are.
    left_out: Option<(String, usize)>,
    /// How many files are no part of the pack.
    unexpected: usize,
}

/// What stands at a path, links followed.
enum Kind {
    File,
    Folder,
}

impl<'s> Walk<'s> {
    fn new(source: &'s DirSource) -> Self {
        let (entries, told) = (Vec::new(), Vec::new());
        Self { source, bytes: 0, entries, told, left_out: None, unexpected: 0 }
    }

    /// What was read, and what was told and counted.
    fn finish(mut self) -> (Vec<SourceEntry>, Vec<Diagnostic>) {
        let name = |told: &Diagnostic| told.origin.file_name().map(str::to_owned);
        self.told.sort_by_cached_key(name);
        if let Some((first, count)) = self.left_out.take() {
            let message = format!(
                "the pack holds more than {MAX_FILES} files or {MAX_PACK_BYTES} bytes; this one and \
                 those behind it, {count} in all, are left out"
            );
            self.tell(Code::FileTooLarge, &first, message, "a pack holds what its prompts need");
        }
        if let more @ 1.. = self.unexpected.saturating_sub(MAX_UNEXPECTED) {
            let message = format!("and {more} more files that are no part of a pack");
            self.tell(Code::FileUnexpected, "", message, "give the pack a folder of its own");
        }
        (self.entries, self.told)
    }

    /// The root's own files first: without them the rest says nothing, however much it is.
    fn root(&mut self) {
        let mut folders = Vec::new();
        for (name, kind) in self.names("") {
            match self.kind(&name, kind) {
                Some(Kind::Folder) if !is_ignored_folder(&name) => folders.push(name),
                Some(Kind::File) => self.file(name),
                Some(Kind::Folder) | None => {}
            }
        }
        folders.iter().for_each(|folder| self.folder(folder));
    }

    fn folder(&mut self, folder: &str) {
        let before = self.count();
        for (name, kind) in self.names(folder) {
            let path = format!("{folder}/{name}");
            match self.kind(&path, kind) {
                Some(Kind::File) => self.file(path),
                Some(Kind::Folder) if !name.starts_with('.') => self.unexpected(&path),
                Some(Kind::Folder) | None => {}
            }
        }
        let known = matches!(folder, "components" | "tools" | "partials");
        if !known && before == self.count() {
            self.unexpected(folder);
        }
    }

    /// How much was read, told or counted so far.
    fn count(&self) -> usize {
        let left_out = self.left_out.as_ref().map_or(0, |(_, count)| *count);
        self.entries.len() + self.told.len() + left_out + self.unexpected
    }

    /// The names in a folder, sorted: the disk's own order differs between machines.
    fn names(&mut self, folder: &str) -> Vec<(String, FileType)> {
        let listing = fs::read_dir(self.source.folder.join(folder));
        let mut names = Vec::new();
        let listed = listing.and_then(|listing| {
            for entry in listing.take(MAX_NAMES + 1) {
                let entry = entry?;
                match entry.file_name().into_string() {
                    Ok(name) => names.push((name, entry.file_type()?)),
                    Err(name) => self.unexpected(&format!("{folder}/{}", name.to_string_lossy())),
                }
            }
            Ok(())
        });
        if let Err(error) = listed {
            self.unreadable::<()>(folder, &reason(&error));
        }
        names.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        if names.len() > MAX_NAMES {
            names.truncate(MAX_NAMES);
            let message =
                format!("the folder holds more than {MAX_NAMES} files; the rest is left out");
            self.tell(Code::FileTooLarge, folder, message, "a pack holds what its prompts need");
        }
        names
    }

    /// What stands at a path that may be a part of the pack; tells when it is something else.
    fn kind(&mut self, path: &str, kind: FileType) -> Option<Kind> {
        if place(path) == Place::Ignored {
            return None;
        }
        let kind = if kind.is_symlink() { self.behind_link(path)? } else { kind };
        match kind {
            kind if kind.is_file() => Some(Kind::File),
            kind if kind.is_dir() => Some(Kind::Folder),
            _ => self.unreadable(path, "not a regular file"),
        }
    }

    fn behind_link(&mut self, path: &str) -> Option<FileType> {
        let full = self.source.folder.join(path);
        let leads_out = |within: &PathBuf| {
            !fs::canonicalize(&full).is_ok_and(|target| target.starts_with(within))
        };
        if self.source.within.as_ref().is_some_and(leads_out) {
            return self.unreadable(path, "the link leads out of the project");
        }
        match fs::metadata(&full) {
            Ok(found) => Some(found.file_type()),
            Err(error) => self.unreadable(path, &reason(&error)),
        }
    }

    fn file(&mut self, path: String) {
        match place(&path) {
            Place::Ignored => {}
            Place::Unexpected => self.unexpected(&path),
            _ if self.entries.len() >= MAX_FILES || self.bytes >= MAX_PACK_BYTES => {
                self.left_out.get_or_insert((path, 0)).1 += 1;
            }
            _ => match self.read(&path) {
                Ok(file) => {
                    self.bytes += file.text().len();
                    self.entries.push(SourceEntry { path: path.into(), file });
                }
                Err(diagnostic) => self.told.push(*diagnostic),
            },
        }
    }

    fn read(&self, path: &str) -> Result<Arc<SourceFile>, Box<Diagnostic>> {
        let bytes = read_limited(&self.source.folder.join(path)).map_err(|error| {
            let why = format!("the file cannot be read: {}", reason(&error));
            Box::new(self.diagnostic(Code::FileUnreadable, path, &why).help("it is left out"))
        })?;
        if bytes.len() > MAX_FILE_BYTES {
            return Err(Box::new(too_large(&SourceFile::new(self.shown(path), ""))));
        }
        let name = self.shown(path);
        match String::from_utf8(bytes) {
            Ok(text) => Ok(SourceFile::new(name, text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let valid = String::from_utf8_lossy(&error.as_bytes()[..at]).into_owned();
                let origin = Origin::file(&SourceFile::new(name, valid), at..at);
                Err(Box::new(
                    Diagnostic::new(Code::FileNotUtf8, "the file is not UTF-8", origin)
                        .help("save it as UTF-8"),
                ))
            }
        }
    }

    fn shown(&self, path: &str) -> String {
        let folder = &self.source.folder;
        if path.is_empty() { folder.clone() } else { folder.join(path) }.display().to_string()
    }

    fn diagnostic(&self, code: Code, path: &str, message: &str) -> Diagnostic {
        let file = SourceFile::new(self.shown(path), "");
        Diagnostic::new(code, message, Origin::file(&file, 0..0))
    }

    fn tell(&mut self, code: Code, path: &str, message: String, help: &str) {
        self.told.push(self.diagnostic(code, path, &message).help(help));
    }

    fn unreadable<T>(&mut self, path: &str, why: &str) -> Option<T> {
        let message = format!("the file cannot be read: {why}");
        self.tell(Code::FileUnreadable, path, message, "it is left out");
        None
    }

    fn unexpected(&mut self, path: &str) {
        self.unexpected += 1;
        if self.unexpected > MAX_UNEXPECTED {
            return;
        }
        let message = format!("`{path}` is no part of a pack");
        self.tell(Code::FileUnexpected, path, message, &unexpected_help(path));
    }
}

/// At most one byte more than a file may have: the loader tells what is too large.
fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let known = file.metadata()?;
    if !known.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let expected = usize::try_from(known.len()).unwrap_or(usize::MAX).min(MAX_FILE_BYTES);
    let mut bytes = Vec::with_capacity(expected + 1);
    file.take(MAX_FILE_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Why something cannot be read, in the words of this format rather than the system's.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is nothing".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::NotADirectory => "not a folder".into(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_lowercase()
        }
    }
}
