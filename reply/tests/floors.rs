//! The shape of the crate: each floor imports from lower ones only.

use std::path::{Path, PathBuf};

/// The floors, lowest first.
const FLOORS: &[&str] = &[
    "space", "scan", "literal", "buffer", "flow", "event", "specs", "pattern", "dialect", "text",
    "store", "view", "events", "json", "exact", "robust", "parser",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    files.into_iter().chain(folders.iter().flat_map(|folder| sources(folder))).collect()
}

#[test]
fn floors_name_lower_floors_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for path in sources(&src) {
        let below = path.strip_prefix(&src).expect("below");
        let first =
            below.components().next().expect("a part").as_os_str().to_string_lossy().into_owned();
        let own = first.trim_end_matches(".rs");
        if own == "lib" {
            continue;
        }
        let Some(floor) = FLOORS.iter().position(|floor| *floor == own) else {
            wrong.push(format!("`{own}` is no floor; add it to the list"));
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("a file");
        let code = text.split("\n#[cfg(test)]").next().unwrap_or_default();
        for higher in &FLOORS[floor + 1..] {
            let named = |mark: &str| code.contains(&format!("crate::{higher}{mark}"));
            let grouped = code.contains("use crate::{") && code.contains(&format!(" {higher}::"));
            if named("::") || named(";") || grouped {
                wrong.push(format!(
                    "{}: `{own}` names the higher floor `{higher}`",
                    below.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}
