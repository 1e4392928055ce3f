//! Files where there is no Unix: the user's own data folder is taken to be private.
//!
//! In: paths. Out: handles, or why there are none. Never: opens a device. Nothing builds it yet: the
//! processes of plugins need a Unix.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// A folder in the user's data folder.
pub(crate) struct Private(PathBuf);

impl Private {
    /// Opens the folder, which is made where it is missing.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Ok(Self(path.to_owned()))
    }

    /// Opens a folder in this one, which is made where it is missing.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        Self::open(&self.0.join(name))
    }

    /// The bytes of a file in it; none when there is no such file.
    pub(crate) fn read(&self, name: &str, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        match super::read(&self.0.join(name), max_bytes) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes a read-only file, which appears as a whole.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = self.0.join(super::unfinished());
        let mut file = create_private(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        let mut permissions = file.metadata()?.permissions();
        permissions.set_readonly(true);
        file.set_permissions(permissions)?;
        drop(file);
        fs::rename(&new, self.0.join(name))
    }
}

/// Opens a file that may be anything.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    File::open(path)
}

/// The same, for a file in the user's data folder.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    open(path)
}

/// Makes a folder and those above it, where they are missing.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Would keep other writers of a folder out; here the last one wins.
pub(crate) struct Turn;

impl Turn {
    /// Makes the folder where it is missing.
    pub(crate) fn wait(folder: &Path) -> io::Result<Self> {
        create_folder(folder)?;
        Ok(Self)
    }
}

/// Makes a file in the place of one that an earlier process left behind.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}
