//! Opens a library, for good.

use std::path::Path;

use promptweave_abi::{ENTRY_SYMBOL, EntryFn};

use super::read::Refusal;

/// Loads a library and finds its entry. It is never unloaded: what it started may run on.
///
/// # Safety
/// The library's constructors run in this process; whoever calls this has decided that they may. The
/// file is a private copy that nobody changes while the process lives.
pub(crate) unsafe fn open(path: &Path) -> Result<EntryFn, Refusal> {
    if !path.is_absolute() {
        return Err(format!("`{}` is not an absolute path", path.display()).into());
    }
    // SAFETY: the caller's promise.
    let library = unsafe { load(path) }.map_err(|error| describe(&error, path))?;
    // SAFETY: the header fixes the type of this symbol.
    let entry = unsafe { library.get::<EntryFn>(ENTRY_SYMBOL) }
        .map(|symbol| *symbol)
        .map_err(|_| format!("it has no symbol `{ENTRY_SYMBOL}`"))?;
    std::mem::forget(library);
    Ok(entry)
}

#[cfg(unix)]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // `libloading` names only four flags; this one is the same on every Unix that has it here.
    const RTLD_NODELETE: i32 = if cfg!(target_vendor = "apple") { 0x80 } else { 0x1000 };
    // SAFETY: the caller's promise.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) }.map(Into::into)
}

#[cfg(windows)]
unsafe fn load(path: &Path) -> Result<libloading::Library, libloading::Error> {
    use libloading::os::windows::{
        LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR, LOAD_LIBRARY_SEARCH_SYSTEM32, Library,
    };
    let flags = LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32;
    // SAFETY: the caller's promise.
    unsafe { Library::load_with_flags(path, flags) }.map(Into::into)
}

/// What the system's loader says, without our path in front of it.
fn describe(error: &libloading::Error, path: &Path) -> String {
    let text =
        std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    let own = format!("{}: ", path.display());
    format!("the system cannot load it: {}", text.strip_prefix(&own).unwrap_or(&text))
}
