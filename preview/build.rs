//! Embeds the built files of the page.
//!
//! In: `page/dist/`, whatever it holds. Out: a table of them with their compressed forms and digests. Never: builds the page.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

fn main() -> Result<(), Box<dyn Error>> {
    let dist = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("page/dist");
    let out = PathBuf::from(env::var("OUT_DIR")?);
    // A folder that is not there would run this each time.
    let there = dist.ancestors().find(|folder| folder.is_dir()).unwrap_or(&dist);
    println!("cargo::rerun-if-changed={}", there.display());
    let mut files = Vec::new();
    if dist.is_dir() {
        collect(&dist, &mut files)?;
    }
    files.sort();
    let mut table = String::from("&[\n");
    for (index, file) in files.iter().enumerate() {
        let path = file.strip_prefix(&dist)?.to_str().ok_or("a name is not UTF-8")?;
        let bytes = fs::read(file)?;
        let digest: String =
            Sha256::digest(&bytes)[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        let packed = out.join(format!("{index}.gz"));
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        fs::write(&packed, encoder.finish()?)?;
        writeln!(
            table,
            "File {{ path: {path:?}, digest: {digest:?}, plain: include_bytes!({file:?}), gzip: include_bytes!({packed:?}) }},"
        )?;
    }
    table.push(']');
    fs::write(out.join("page.rs"), table)?;
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}
