//! A value with nothing behind it that can be read.

use std::io;
use std::ptr;

use crate::system;

/// The first bytes of a value, at the end of a page; behind it lies a page that nobody may touch.
/// It stays until the process ends, as what a plugin was shown must.
pub(crate) struct Guarded<T>(*const T);

impl<T: Copy> Guarded<T> {
    /// Copies the first `size` bytes of a value, which are less than a page and a multiple of its alignment.
    pub(crate) fn new(value: &T, size: usize) -> io::Result<Self> {
        let page = system::page() as usize;
        let bytes = 2 * page;
        assert!(size <= page.min(size_of::<T>()) && size.is_multiple_of(align_of::<T>()));
        // SAFETY: a new mapping of our own, at any address.
        let start = unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANON;
            libc::mmap(ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: within the mapping.
        let place = unsafe { start.cast::<u8>().add(page - size) };
        // SAFETY: the first page can be written and holds `size` bytes; the second is ours as well.
        let refused = unsafe {
            ptr::copy_nonoverlapping(ptr::from_ref(value).cast::<u8>(), place, size);
            libc::mprotect(start.cast::<u8>().add(page).cast(), page, libc::PROT_NONE)
        };
        if refused != 0 { Err(io::Error::last_os_error()) } else { Ok(Self(place.cast())) }
    }

    /// Where the value begins.
    pub(crate) fn as_ptr(&self) -> *const T {
        self.0
    }
}
