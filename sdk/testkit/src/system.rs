//! What a process can see of itself: descriptors, threads, memory, signals, its surroundings.
//!
//! In: nothing. Out: facts to compare before and after. Never: changes what it looks at, but for standard output
//! and error while they are captured.

use std::collections::BTreeMap;
use std::ffi::{CStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

/// The open descriptors and what they lead to; none where the system does not say.
pub(crate) fn descriptors() -> Option<BTreeMap<u32, PathBuf>> {
    let list = fs::read_dir("/proc/self/fd").ok()?;
    let own = |entry: fs::DirEntry| {
        // The descriptor of this very list is gone by now, or names it.
        let target = fs::read_link(entry.path()).ok()?;
        Some((entry.file_name().to_str()?.parse().ok()?, target))
    };
    let mut found: BTreeMap<u32, PathBuf> = list.flatten().filter_map(own).collect();
    let this = PathBuf::from(format!("/proc/{}/fd", std::process::id()));
    found.retain(|_, target| *target != this);
    Some(found)
}

/// How many threads there are.
pub(crate) fn threads() -> Option<usize> {
    Some(fs::read_dir("/proc/self/task").ok()?.count())
}

/// Resident memory in bytes.
pub(crate) fn resident() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * page())
}

/// The bytes of a page.
pub(crate) fn page() -> u64 {
    // SAFETY: it only answers.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).unwrap_or(4096)
}

/// The handler of each signal, as a number.
pub(crate) fn handlers() -> Vec<(i32, usize)> {
    (1..=64)
        .filter_map(|signal| {
            let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
            // SAFETY: without a new action the call only fills in the present one.
            let told = unsafe { libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) };
            // SAFETY: filled in, since the call succeeded.
            (told == 0).then(|| (signal, unsafe { action.assume_init() }.sa_sigaction))
        })
        .collect()
}

/// What belongs to the whole process: folder, mask of new files, locale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Surroundings {
    pub(crate) folder: Option<PathBuf>,
    pub(crate) mask: libc::mode_t,
    pub(crate) locale: String,
}

impl Surroundings {
    pub(crate) fn now() -> Self {
        // SAFETY: the mask is put back at once; no other thread of this process makes files meanwhile.
        let mask = unsafe {
            let mask = libc::umask(0o077);
            libc::umask(mask);
            mask
        };
        // SAFETY: without a new locale the call only names the present one.
        let locale = unsafe {
            let name = libc::setlocale(libc::LC_ALL, std::ptr::null());
            if name.is_null() { "".into() } else { CStr::from_ptr(name).to_string_lossy() }
        };
        let folder = std::env::current_dir().ok();
        Self { folder, mask, locale: locale.into_owned() }
    }
}

/// The environment, in order.
pub(crate) fn environment() -> BTreeMap<OsString, OsString> {
    std::env::vars_os().collect()
}

/// Standard output and error while they go to files.
pub(crate) struct Captured {
    streams: [(i32, i32, File); 2],
}

impl Captured {
    /// Sends both streams to new files in a folder.
    pub(crate) fn start(folder: &Path) -> io::Result<Self> {
        Ok(Self { streams: [redirect(1, folder)?, redirect(2, folder)?] })
    }

    /// Puts them back; how many bytes came to standard output and to standard error.
    pub(crate) fn finish(self) -> io::Result<(u64, u64)> {
        // SAFETY: null stands for all streams of C.
        unsafe { libc::fflush(std::ptr::null_mut()) };
        let mut lengths = [0; 2];
        for (length, (stream, kept, file)) in lengths.iter_mut().zip(&self.streams) {
            // SAFETY: both are descriptors of this process, the second of our own making.
            unsafe {
                libc::dup2(*kept, *stream);
                libc::close(*kept);
            }
            *length = file.metadata()?.len();
        }
        Ok((lengths[0], lengths[1]))
    }
}

fn redirect(stream: i32, folder: &Path) -> io::Result<(i32, i32, File)> {
    let file = File::create(folder.join(format!(".stream-{stream}")))?;
    // SAFETY: both are descriptors of this process.
    let kept = unsafe {
        libc::fflush(std::ptr::null_mut());
        let kept = libc::dup(stream);
        if kept < 0 || libc::dup2(file.as_raw_fd(), stream) < 0 {
            return Err(io::Error::last_os_error());
        }
        kept
    };
    Ok((stream, kept, file))
}
