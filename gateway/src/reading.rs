//! Files that a configuration names.
//!
//! In: a path, a limit. Out: the text. Never: waits for a pipe, reads a device, or holds more than the limit.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The text of a regular file.
///
/// # Errors
/// Those of the system; it is no regular file; it has more than `limit` bytes; it is no UTF-8. None of them holds anything of it.
pub(crate) fn text(path: &Path, limit: u64) -> Result<String> {
    let file = open(path)?;
    let told = file.metadata()?;
    if !told.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut text = String::new();
    // What is said of its length need not be true.
    let read = file.take(limit + 1).read_to_string(&mut text)?;
    if told.len() > limit || read as u64 > limit {
        let message = format!("it has more than {limit} bytes");
        return Err(Error::new(ErrorKind::InvalidInput, message));
    }
    Ok(text)
}

/// Opens without waiting: a pipe may have nobody at its other end.
#[cfg(unix)]
fn open(path: &Path) -> Result<File> {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// Other systems have no pipes among their files.
#[cfg(not(unix))]
fn open(path: &Path) -> Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        let long = folder.path().join("long");
        std::fs::write(&long, "x".repeat(9)).unwrap();
        for (path, words) in [
            (pipe.as_path(), "no regular file"),
            (folder.path(), "no regular file"),
            (Path::new("/dev/zero"), "no regular file"),
            (long.as_path(), "more than 8 bytes"),
        ] {
            let told = text(path, 8).unwrap_err().to_string();
            assert!(told.contains(words), "{}: {told}", path.display());
        }
        assert_eq!(text(&long, 9).unwrap().len(), 9);
    }
}
