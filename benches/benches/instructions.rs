//! Prints how many times as long as a bare walk it takes to find and merge instruction files.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use promptweave_benches::measure::pair;
use promptweave_benches::table::{Goal, Table, times};
use promptweave_instructions::{Place, Profile, discover};
use tempfile::TempDir;

/// Folders of the tree, in groups of a hundred.
const FOLDERS: usize = 10_000;
/// Every so many folders hold an instruction file.
const EVERY: usize = 100;

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    let (tree, touched) = tree().expect("room for a tree");
    let profile = Profile::named("agents-md").expect("a profile");
    let place = Place { touched, ..Place::new(tree.path()) };
    let found = discover(&profile, &place);
    assert_eq!(found.in_force.len(), FOLDERS / EVERY, "both read the same files");
    assert_eq!(
        walked(tree.path()),
        found.in_force.iter().map(|rule| rule.text().len()).sum::<usize>()
    );
    let row = "find and merge in 10,000 folders / a bare walk with the same reads";
    table.row(row, Goal::AtMost(1.5), || {
        times(pair(|| discover(&profile, &place), || walked(tree.path())))
    });
    table.verdict()
}

/// A tree, and a touched file beside each instruction file.
fn tree() -> io::Result<(TempDir, Vec<PathBuf>)> {
    let (tree, mut touched) = (TempDir::new()?, Vec::new());
    fs::create_dir(tree.path().join(".git"))?;
    for at in 0..FOLDERS {
        let folder =
            tree.path().join(format!("group{}", at / 100)).join(format!("folder{}", at % 100));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("main.rs"), "fn main() {}\n")?;
        if at % EVERY == 0 {
            fs::write(folder.join("AGENTS.md"), "Test what you build. ".repeat(100).trim_end())?;
            touched.push(folder.join("main.rs"));
        }
    }
    Ok((tree, touched))
}

/// Looks into every folder, and reads the files of that name: how many bytes they have.
fn walked(folder: &Path) -> usize {
    let mut bytes = 0;
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            bytes += walked(&entry.path());
        } else if entry.file_name() == "AGENTS.md" {
            let mut text = Vec::new();
            let read = File::open(entry.path()).and_then(|mut file| file.read_to_end(&mut text));
            bytes += read.unwrap_or_default();
        }
    }
    bytes
}
