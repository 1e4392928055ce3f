//! The private copies of libraries, by the digest of their bytes: what is loaded is what was hashed.
//!
//! In: a library and the digest that is trusted. Out: the path of a copy that only its owner can replace.
//! Never: loads; hands out a path whose bytes it has not hashed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use promptweave::{Code, Diagnostic, Origin, SourceFile};

use crate::digest::Digest;
use crate::files::{self, Private, Turn};

/// The most bytes of a library: 256 MiB.
pub const MAX_LIBRARY_BYTES: u64 = 256 * 1024 * 1024;

/// The folder `store` in the user's data folder: `store/<sha256>/<file>`.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// A library, and the digest of the bytes that were looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LibraryFile {
    /// Where it lies; absolute.
    pub path: PathBuf,
    /// The digest of its bytes at that time.
    pub sha256: Digest,
}

/// Why there is no private copy.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The library cannot be read.
    #[error("the library `{}` cannot be read: {cause}", path.display())]
    Unreadable {
        /// The library.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The library is another one by now.
    #[error("the library `{}` is not the one that was looked at", path.display())]
    Changed {
        /// The library.
        path: PathBuf,
    },
    /// The store is not private, or cannot be written.
    #[error("the private copies in `{}` cannot be used: {cause}", folder.display())]
    Unusable {
        /// The store.
        folder: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl StoreError {
    /// The same for people.
    pub fn diagnostic(&self) -> Diagnostic {
        let (code, place, help) = match self {
            Self::Unreadable { path, .. } => (Code::PluginMissing, path, "look at the file"),
            Self::Changed { path } => (Code::PluginChanged, path, "look at it and trust it anew"),
            Self::Unusable { folder, .. } => {
                let help =
                    "the folder must be yours alone: mode 0700, in a folder that only you write";
                (Code::PluginRefused, folder, help)
            }
        };
        let file = SourceFile::new(place.display().to_string(), "");
        Diagnostic::new(code, self.to_string(), Origin::file(&file, 0..0)).help(help)
    }
}

impl Store {
    /// The store in the user's data folder, which need not exist yet.
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("store") }
    }

    /// The path of the private copy (mode 0500 in a folder of mode 0700), absolute; made when it is
    /// missing.
    ///
    /// The library is read once, and the very bytes that were read are hashed and written. A copy that
    /// is there is hashed before it counts.
    ///
    /// # Errors
    /// [`StoreError`]: the library is gone or another one, or the store is not private.
    pub fn keep(&self, library: &LibraryFile) -> Result<PathBuf, StoreError> {
        let unusable = |cause| StoreError::Unusable { folder: self.folder.clone(), cause };
        let name = library.path.file_name().and_then(|name| name.to_str()).unwrap_or("library");
        let digest = library.sha256.to_string();
        let folder = std::path::absolute(&self.folder).map_err(unusable)?;
        let private = Private::open(&folder).and_then(|store| store.folder(&digest));
        let private = private.map_err(unusable)?;
        let is_kept = || {
            let kept = private.read(name, MAX_LIBRARY_BYTES)?;
            Ok(kept.is_some_and(|bytes| Digest::of(&bytes) == library.sha256))
        };
        if !is_kept().map_err(unusable)? {
            // A copy that another host has just made is not replaced: somebody may be about to open it.
            let _turn = Turn::wait(&folder).map_err(unusable)?;
            if !is_kept().map_err(unusable)? {
                private.write(name, &read(library)?).map_err(unusable)?;
            }
        }
        let folder = fs::canonicalize(&folder).map_err(unusable)?;
        Ok(folder.join(digest).join(name))
    }
}

fn read(library: &LibraryFile) -> Result<Vec<u8>, StoreError> {
    let path = || library.path.clone();
    let bytes = files::read(&library.path, MAX_LIBRARY_BYTES)
        .map_err(|cause| StoreError::Unreadable { path: path(), cause })?;
    if Digest::of(&bytes) != library.sha256 {
        return Err(StoreError::Changed { path: path() });
    }
    Ok(bytes)
}
