//! Files on Unix: opened without waiting, looked at through the handle.
//!
//! In: paths. Out: handles, or why there are none. Never: looks at a path twice.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// A folder that belongs to this user alone, held open.
///
/// What is done in it is done relative to the handle, so that nothing is put in its place meanwhile.
pub(crate) struct Private(OwnedFd);

impl Private {
    /// Opens the folder, which is made where it is missing. `path` may lie in any folder of the user.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        if let Some(parent) = path.parent() {
            create_folder(parent)?;
            // Who may write there could put another folder in the place of this one.
            let above = File::open(parent)?;
            owned(&above, Mode::WGRP | Mode::WOTH).map_err(|error| {
                let message = format!("the folder above: {error}; `chmod go-w` it");
                io::Error::new(error.kind(), message)
            })?;
        }
        made(rustix::fs::mkdir(path, Mode::RWXU))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::checked(rustix::fs::open(path, flags, Mode::empty())?)
    }

    /// Opens a folder in this one, which is made where it is missing.
    pub(crate) fn folder(&self, name: &str) -> io::Result<Self> {
        made(rustix::fs::mkdirat(&self.0, name, Mode::RWXU))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Self::checked(rustix::fs::openat(&self.0, name, flags, Mode::empty())?)
    }

    fn checked(folder: OwnedFd) -> io::Result<Self> {
        owned(&folder, Mode::RWXG | Mode::RWXO)?;
        Ok(Self(folder))
    }

    /// The bytes of a file in it that nobody but this user could have written; none when there is no
    /// such file.
    pub(crate) fn read(&self, name: &str, max_bytes: u64) -> io::Result<Option<Vec<u8>>> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&self.0, name, flags, Mode::empty()) {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        owned(&file, Mode::WUSR | Mode::RWXG | Mode::RWXO)?;
        super::read_open(file.into(), max_bytes).map(Some)
    }

    /// Writes a file (mode 0500), which appears as a whole.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let new = super::unfinished();
        remove(self.0.as_fd(), &new)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = rustix::fs::openat(&self.0, &*new, flags | OFlags::CLOEXEC, Mode::RUSR)?;
        let mut file = File::from(file);
        let written = file.write_all(bytes).and_then(|()| {
            rustix::fs::fchmod(&file, Mode::RUSR | Mode::XUSR)?;
            file.sync_all()?;
            Ok(rustix::fs::renameat(&self.0, &*new, &self.0, name)?)
        });
        if written.is_err() {
            let _ = remove(self.0.as_fd(), &new);
        }
        written
    }
}

/// Opens a file that may be anything; a pipe without a writer does not hold us up.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// The same, for a file that nobody but this user could have written.
pub(crate) fn open_own(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    owned(&file, Mode::WGRP | Mode::WOTH)?;
    Ok(file)
}

/// Makes a folder (mode 0700) and those above it, where they are missing.
pub(crate) fn create_folder(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Keeps other writers of a folder out until it is dropped.
pub(crate) struct Turn(#[expect(dead_code, reason = "closing it ends the turn")] File);

impl Turn {
    /// Waits for the turn; the folder is made where it is missing.
    pub(crate) fn wait(folder: &Path) -> io::Result<Self> {
        create_folder(folder)?;
        let folder = File::open(folder)?;
        rustix::fs::flock(&folder, FlockOperation::LockExclusive)?;
        Ok(Self(folder))
    }
}

/// Makes a file (mode 0600) in the place of one that an earlier process left behind.
pub(crate) fn create_private(path: &Path) -> io::Result<File> {
    remove(rustix::fs::CWD, path)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR)?.into())
}

fn remove(folder: impl AsFd, name: impl rustix::path::Arg) -> io::Result<()> {
    match rustix::fs::unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn made(made: rustix::io::Result<()>) -> io::Result<()> {
    match made {
        Ok(()) | Err(Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Refuses what belongs to somebody else, or gives these permissions.
fn owned(handle: &impl AsFd, refused: Mode) -> io::Result<()> {
    let found = rustix::fs::fstat(handle)?;
    let refuse = |why| Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
    if found.st_uid != rustix::process::geteuid().as_raw() {
        return refuse("it belongs to another user");
    }
    if Mode::from_raw_mode(found.st_mode).intersects(refused) {
        return refuse("its permissions let it be changed, or be read by others");
    }
    Ok(())
}
