//! Opens files that others have put there.
//!
//! In: a path, the folder that it must stay in, a number of bytes. Out: bytes and who they belong to, or why not.
//! Never: opens what is no regular file, waits, follows a link out of the folder, or reads more than asked for.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

/// What was read.
pub(crate) struct Opened {
    /// At most the bytes that were asked for.
    pub(crate) bytes: Vec<u8>,
    pub(crate) length: Length,
    pub(crate) id: FileId,
    /// The user that it belongs to, where that is neither the one who runs this nor the system's.
    pub(crate) foreign: Option<u32>,
    /// Where it lies, without links.
    pub(crate) real: PathBuf,
}

/// Whether all of a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    Whole,
    /// There is more.
    More,
}

/// Why nothing was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Closed {
    Absent,
    Folder,
    NotRegular,
    /// It is a link to this path, outside of the folder.
    Outside(PathBuf),
    Unreadable(String),
}

/// One file, whatever its path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum FileId {
    #[cfg(unix)]
    Inode(u64, u64),
    #[cfg(not(unix))]
    Path(PathBuf),
}

/// Where a file may lie.
pub(crate) enum Bounds {
    /// Anywhere, wherever links lead.
    Free,
    /// Below one of the folders, wherever links lead.
    Below(Vec<PathBuf>),
}

/// Reads a file.
pub(crate) fn read(path: &Path, bounds: &Bounds, most: usize) -> Result<Opened, Closed> {
    // Nobody opens a device to find out what it is; and what is absent needs no right to be looked at.
    match path.metadata() {
        Ok(found) if found.is_dir() => return Err(Closed::Folder),
        Ok(found) if !found.is_file() => return Err(Closed::NotRegular),
        Ok(_) => {}
        Err(error) if is_absent(&error) => return Err(absent(path)),
        Err(error) => return Err(unreadable(&error)),
    }
    let real = path.canonicalize().map_err(|error| unreadable(&error))?;
    let file = match bounds {
        Bounds::Free => open_free(&real),
        Bounds::Below(folders) => {
            let mut folders = folders.iter().filter_map(|folder| folder.canonicalize().ok());
            match folders.find(|folder| real.starts_with(folder)) {
                // A path that was changed meanwhile still cannot leave the folder.
                Some(folder) => open_below(&folder, &real),
                None => return Err(Closed::Outside(real)),
            }
        }
    };
    let file = file.map_err(|error| unreadable(&error))?;
    take(file, real, most).map_err(|error| unreadable(&error))?.ok_or(Closed::NotRegular)
}

/// A link whose target is missing is there, and cannot be read.
fn absent(path: &Path) -> Closed {
    match path.symlink_metadata() {
        Ok(_) => Closed::Unreadable("its link leads nowhere".into()),
        Err(_) => Closed::Absent,
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn unreadable(error: &io::Error) -> Closed {
    Closed::Unreadable(reason(error))
}

/// The reason without the numbers of the system, so that reports are alike everywhere.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text);
    text.to_lowercase()
}

fn open_below(folder: &Path, real: &Path) -> io::Result<File> {
    let rest = real.strip_prefix(folder).unwrap_or(real);
    let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(&mut options, NEVER_WAIT);
    Ok(folder.open_with(rest, &options)?.into_std())
}

fn open_free(real: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NEVER_WAIT);
    options.open(real)
}

/// A pipe that took the place of the file since must not be waited for, nor become the terminal.
#[cfg(unix)]
const NEVER_WAIT: i32 =
    rustix::fs::OFlags::NONBLOCK.union(rustix::fs::OFlags::NOCTTY).bits().cast_signed();

fn take(file: File, real: PathBuf, most: usize) -> io::Result<Option<Opened>> {
    let facts = file.metadata()?;
    if !facts.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes)?;
    let length = if bytes.len() > most { Length::More } else { Length::Whole };
    bytes.truncate(most);
    #[cfg(unix)]
    let (id, foreign) = {
        use std::os::unix::fs::MetadataExt;
        (FileId::Inode(facts.dev(), facts.ino()), foreign(facts.uid()))
    };
    #[cfg(not(unix))]
    let (id, foreign) = (FileId::Path(real.clone()), None);
    Ok(Some(Opened { bytes, length, id, foreign, real }))
}

/// The owner of a folder, where that is neither the one who runs this nor the system's.
pub(crate) fn foreign_owner(folder: &Path) -> Option<u32> {
    #[cfg(unix)]
    {
        folder
            .metadata()
            .ok()
            .and_then(|facts| foreign(std::os::unix::fs::MetadataExt::uid(&facts)))
    }
    #[cfg(not(unix))]
    {
        let _ = folder;
        None
    }
}

#[cfg(unix)]
fn foreign(owner: u32) -> Option<u32> {
    (owner != 0 && owner != rustix::process::geteuid().as_raw()).then_some(owner)
}

/// The names in a folder, sorted; at most as many as that, and none of a folder that cannot be read.
pub(crate) fn names(folder: &Path, most: usize) -> Vec<String> {
    let Ok(entries) = folder.read_dir() else { return Vec::new() };
    let names =
        entries.flatten().take(most).filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}
