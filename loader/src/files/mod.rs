//! Reads regular files of others, and writes private ones.
//!
//! In: a path and a limit. Out: bytes, or why there are none. Never: waits for a pipe or a device,
//! reads without end, leaves a half-written file.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(not(unix))]
use other as platform;
pub(crate) use platform::{Private, Turn};
#[cfg(unix)]
use unix as platform;

/// The bytes of a regular file, links followed.
pub(crate) fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_open(platform::open(path)?, max_bytes)
}

/// The same for a text; UTF-8.
pub(crate) fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    text(read(path, max_bytes)?)
}

/// The same for a file that nobody but this user could have written.
pub(crate) fn read_own_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    text(read_open(platform::open_own(path)?, max_bytes)?)
}

/// Replaces a file that only its owner may read; its folder is made where it is missing.
///
/// No reader sees a half of it.
pub(crate) fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    platform::create_folder(folder)?;
    let new = folder.join(unfinished());
    let written = platform::create_private(&new).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| std::fs::rename(&new, path));
    if replaced.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    replaced
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    let not_utf8 = |_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8");
    String::from_utf8(bytes).map_err(not_utf8)
}

/// The name of a file until it is whole; each thread of each process has its own.
fn unfinished() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!(".new-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn read_open(file: std::fs::File, max_bytes: u64) -> io::Result<Vec<u8>> {
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let message = format!("it is larger than {max_bytes} bytes");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_within_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/a");
        replace(&file, "1234").unwrap();
        assert_eq!(read_text(&file, 4).unwrap(), "1234");
        assert_eq!(read(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(read(folder.path(), 9).is_err());
        assert!(read(Path::new("/dev/zero"), 9).is_err());
        std::fs::write(&file, [0xff]).unwrap();
        assert_eq!(read_text(&file, 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        let left = std::fs::read_dir(file.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "the new file took the place of the old one");
    }
}
