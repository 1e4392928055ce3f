//! Packs for tests: from texts, from fixtures, onto the disk.
//!
//! In: paths and texts. Out: sources, engines, folders. Never: checks anything.

use std::path::{Path, PathBuf};

use promptweave::{Context, Engine, MemorySource};

/// The files of a pack: path below its folder, and text.
pub type Files = Vec<(String, String)>;

/// The `pack.toml` that most tests need.
pub const PACK: &str = "format = 1\nname = \"test\"\nversion = \"1\"\n";

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder or file below `tests/fixtures`.
pub fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// A pack in memory, with [`PACK`] unless the files hold their own.
pub fn memory(files: &[(&str, &str)]) -> MemorySource {
    let own = files.iter().any(|(path, _)| *path == "pack.toml");
    let pack = (!own).then_some(("pack.toml", PACK));
    MemorySource::new("test", pack.into_iter().chain(files.iter().copied()))
}

/// An engine of one pack in memory.
///
/// # Panics
/// Never: an engine that is not strict can always be built.
pub fn engine(files: &[(&str, &str)]) -> Engine {
    Engine::builder().pack(memory(files)).build().expect("an engine that is not strict")
}

/// A context from JSON.
///
/// # Panics
/// When it is none.
pub fn context(json: serde_json::Value) -> Context {
    Context::from_value(json).expect("a context")
}

/// Reads all files of a folder that is a pack, sorted.
///
/// # Panics
/// When one cannot be read.
pub fn read_files(folder: &Path) -> Files {
    let mut files = Files::new();
    collect(folder, "", &mut files);
    files.sort();
    files
}

fn collect(folder: &Path, prefix: &str, files: &mut Files) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = format!("{prefix}{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else {
            files.push((name, crate::conformance::read(&path)));
        }
    }
}

/// Writes a pack's files into a folder.
///
/// # Panics
/// When the disk does not take them.
pub fn write_files<P: AsRef<str>, T: AsRef<str>>(folder: &Path, files: &[(P, T)]) {
    for (path, text) in files {
        let path = folder.join(path.as_ref());
        let parent = path.parent().expect("a folder");
        std::fs::create_dir_all(parent).expect("a folder");
        std::fs::write(path, text.as_ref()).expect("a file");
    }
}
