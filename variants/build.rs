//! Lists the pack's files, so that a new one is embedded without being named anywhere.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FOLDERS: &[&str] = &["", "components", "tools", "partials"];

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let mut list = String::from("&[\n");
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={}", root.join(folder).display());
        for file in files(&root.join(folder))? {
            let name = file.strip_prefix(&root).map_err(io::Error::other)?.display().to_string();
            let name = name.replace('\\', "/");
            writeln!(list, "    ({name:?}, include_str!({:?})),", file.display().to_string())
                .map_err(io::Error::other)?;
        }
    }
    list.push(']');
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("files.rs"), list)
}

/// The pack files of one folder, in order of their names.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = entries.collect::<io::Result<Vec<_>>>()?;
    files.retain(|file| {
        let ending = file.extension().and_then(|ending| ending.to_str());
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let part = matches!(ending, Some("toml" | "hbs"))
            || ending == Some("md") && folder.ends_with("components");
        part && name != "Cargo.toml" && file.is_file()
    });
    files.sort();
    Ok(files)
}
