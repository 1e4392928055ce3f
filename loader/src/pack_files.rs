//! The files of a plugin without code, read once.
//!
//! In: a folder. Out: its files and one digest over all of them. Never: follows a link, reads without end.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use crate::digest::Digest;
use crate::files;
use crate::signature::SIGNATURE_FILE;

/// The most files, bytes in all, and folders within folders.
const MAX_FILES: usize = 4096;
const MAX_BYTES: u64 = 64 * 1024 * 1024;
const MAX_DEPTH: usize = 16;

/// The files of a plugin without code.
#[derive(Clone, PartialEq, Eq)]
pub struct PackFiles {
    /// The digest of all names and contents, in the order of the names.
    pub sha256: Digest,
    /// Contents by path below the folder, with `/`. The signature's file and hidden ones, such as
    /// `.git`, are not among them.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl PackFiles {
    /// Reads a folder. What is checked by its digest is what is in `files`: use these, not the disk.
    ///
    /// # Errors
    /// When a file cannot be read, is a link or anything but a file, or the limits are passed: 4,096
    /// files, 64 MiB, 16 levels.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let mut reading = Reading { files: BTreeMap::new(), left: MAX_BYTES };
        reading.folder(folder, "", 0)?;
        let files = reading.files;
        let named = files.iter().map(|(name, bytes)| (&**name, &**bytes));
        Ok(Self { sha256: Digest::of_files(named), files })
    }
}

/// Names and sizes; the texts are prompts.
impl std::fmt::Debug for PackFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PackFiles({} files, {})", self.files.len(), self.sha256)
    }
}

struct Reading {
    files: BTreeMap<String, Vec<u8>>,
    left: u64,
}

impl Reading {
    fn folder(&mut self, folder: &Path, above: &str, depth: usize) -> io::Result<()> {
        if depth == MAX_DEPTH {
            return Err(io::Error::other(format!("`{above}` is nested too deeply")));
        }
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name();
            let Some(name) = name.to_str() else {
                let message = format!("the name `{}` is not UTF-8", name.display());
                return Err(io::Error::other(message));
            };
            if name.starts_with('.') {
                continue;
            }
            let (name, kind) = (format!("{above}{name}"), entry.file_type()?);
            if kind.is_dir() {
                self.folder(&entry.path(), &format!("{name}/"), depth + 1)?;
            } else if !kind.is_file() {
                return Err(io::Error::other(format!("`{name}` is a link or no file")));
            } else if name != SIGNATURE_FILE {
                self.file(&entry.path(), name)?;
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: String) -> io::Result<()> {
        if self.files.len() == MAX_FILES {
            return Err(io::Error::other(format!("there are more than {MAX_FILES} files")));
        }
        let bytes = files::read(path, self.left)
            .map_err(|error| io::Error::new(error.kind(), format!("`{name}`: {error}")))?;
        self.left -= bytes.len() as u64;
        self.files.insert(name, bytes);
        Ok(())
    }
}
