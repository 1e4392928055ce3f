//! Opens what others have put into a folder.
//!
//! In: a root and a path below it. Out: bytes, names, stamps, or why not. Never: waits for a pipe, opens what is no regular
//! file, or reads more than asked for; below a confined root it never leaves it.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

/// The folder that paths begin at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Root {
    /// Links may lead anywhere: the user made them.
    Free(PathBuf),
    /// Nothing outside of it is opened, whatever a link says.
    Confined(PathBuf),
}

/// What tells one state of a file or a folder from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    changed: Option<SystemTime>,
    bytes: u64,
    inode: u64,
}

impl Stamp {
    /// The state of a path; none when nothing is there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let facts = path.metadata().ok()?;
        #[cfg(unix)]
        let inode = std::os::unix::fs::MetadataExt::ino(&facts);
        #[cfg(not(unix))]
        let inode = 0;
        Some(Self { changed: facts.modified().ok(), bytes: facts.len(), inode })
    }
}

/// What makes two paths the same file or folder.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);
/// What makes two paths the same file or folder.
#[cfg(not(unix))]
pub(crate) type Identity = PathBuf;

/// Which file or folder a path leads to.
#[cfg(unix)]
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    path.metadata().ok().map(|facts| (facts.dev(), facts.ino()))
}

/// Which file or folder a path leads to.
#[cfg(not(unix))]
pub(crate) fn identity(path: &Path) -> Option<Identity> {
    path.canonicalize().ok()
}

/// The owner of a folder or of one that it lies in, where that is neither the one who runs this nor the system's.
pub(crate) fn foreign(path: &Path) -> Option<(PathBuf, u32)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let own = rustix::process::geteuid().as_raw();
        path.ancestors().find_map(|folder| {
            let owner = folder.metadata().ok()?.uid();
            (owner != 0 && owner != own).then(|| (folder.to_owned(), owner))
        })
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        None
    }
}

/// What an entry of a folder is, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Folder,
    File,
    /// A pipe, a device, a link that leads nowhere or out.
    Other,
}

/// A root whose folder has been opened.
pub(crate) struct Opened {
    path: PathBuf,
    /// None where links may lead anywhere.
    dir: Option<Dir>,
}

impl Root {
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Free(path) | Self::Confined(path) => path,
        }
    }

    pub(crate) fn open(&self) -> io::Result<Opened> {
        let dir = match self {
            Self::Free(_) => None,
            Self::Confined(path) => Some(Dir::open_ambient_dir(path, ambient_authority())?),
        };
        Ok(Opened { path: self.path().to_owned(), dir })
    }
}

impl Opened {
    /// A folder below, out of which nothing leads any more.
    pub(crate) fn beneath(&self, below: &Path) -> io::Result<Self> {
        let path = self.path.join(below);
        let dir = match &self.dir {
            None => Dir::open_ambient_dir(&path, ambient_authority())?,
            Some(dir) => dir.open_dir(below)?,
        };
        Ok(Self { path, dir: Some(dir) })
    }

    /// What stands at a path below the root; none when nothing does.
    pub(crate) fn entry(&self, below: &Path) -> Option<Entry> {
        let kind = match &self.dir {
            None => self.path.join(below).metadata().map(|it| (it.is_dir(), it.is_file())),
            Some(dir) => dir.metadata(below).map(|it| (it.is_dir(), it.is_file())),
        };
        match kind {
            Ok((true, _)) => Some(Entry::Folder),
            Ok((false, true)) => Some(Entry::File),
            Ok((false, false)) => Some(Entry::Other),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.link(below),
            Err(_) => Some(Entry::Other),
        }
    }

    /// A link that leads nowhere is there all the same.
    fn link(&self, below: &Path) -> Option<Entry> {
        let there = match &self.dir {
            None => self.path.join(below).symlink_metadata().is_ok(),
            Some(dir) => dir.symlink_metadata(below).is_ok(),
        };
        there.then_some(Entry::Other)
    }

    /// The names in a folder, sorted, at most `most`; those that are not Unicode are left out.
    pub(crate) fn names(&self, below: &Path, most: usize) -> io::Result<Vec<String>> {
        let mut names: Vec<String> = match &self.dir {
            None => {
                let entries = self.path.join(below).read_dir()?.flatten();
                entries.filter_map(|it| it.file_name().into_string().ok()).take(most).collect()
            }
            Some(dir) => {
                let below = if below.as_os_str().is_empty() { Path::new(".") } else { below };
                let entries = dir.read_dir(below)?.flatten();
                entries.filter_map(|it| it.file_name().into_string().ok()).take(most).collect()
            }
        };
        names.sort_unstable();
        Ok(names)
    }

    /// The text of a file of at most so many bytes; without a byte order mark.
    pub(crate) fn text(&self, below: &Path, most: usize) -> Result<String, String> {
        // Nobody opens a device to find out what it is.
        match self.entry(below) {
            Some(Entry::File) => {}
            Some(Entry::Folder | Entry::Other) => return Err("it is no regular file".into()),
            None => return Err("it is not there".into()),
        }
        let mut bytes = Vec::new();
        let file = self.file(below).map_err(|error| reason(&error))?;
        if !file.metadata().is_ok_and(|facts| facts.is_file()) {
            return Err("it is no regular file".into());
        }
        let read = file.take(most as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| reason(&error))?;
        if bytes.len() > most {
            return Err(format!("it is larger than {} KiB", most >> 10));
        }
        let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
        Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
    }

    fn file(&self, below: &Path) -> io::Result<File> {
        match &self.dir {
            None => {
                let mut options = File::options();
                options.read(true);
                #[cfg(unix)]
                std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, NEVER_WAIT);
                options.open(self.path.join(below))
            }
            Some(dir) => {
                let mut options = OpenOptions::new();
                options.read(true);
                #[cfg(unix)]
                cap_std::fs::OpenOptionsExt::custom_flags(&mut options, NEVER_WAIT);
                Ok(dir.open_with(below, &options)?.into_std())
            }
        }
    }
}

/// A pipe that took the place of the file since must not be waited for, nor become the terminal.
#[cfg(unix)]
const NEVER_WAIT: i32 =
    rustix::fs::OFlags::NONBLOCK.union(rustix::fs::OFlags::NOCTTY).bits().cast_signed();

/// The reason without the numbers of the system, so that reports are alike everywhere.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text).to_lowercase()
}
