//! What the word `workspace` means in the manifest of a plugin.
//!
//! In: the current folder. Out: the folders that a plugin with that capability may read. Never: believes a
//! project that names folders outside of itself.

use std::fs;
use std::path::{Path, PathBuf};

const GIT: &str = ".git";
/// The most bytes of a file that names a folder.
const MAX_POINTER_BYTES: u64 = 4096;

/// The current folder, the top of its repository, and the repository that a linked work tree belongs to. A
/// repository of the whole home opens nothing: keys lie there.
pub(crate) fn folders(here: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut folders = vec![here.to_owned()];
    let below = |folder: &&Path| !home.is_some_and(|home| home.starts_with(folder));
    if let Some(top) = here.ancestors().take_while(below).find(|top| top.join(GIT).exists()) {
        folders.push(top.to_owned());
        folders.extend(repository_of(top));
    }
    folders
}

/// Of a linked work tree, whose `.git` is a file, the folder of the repository.
///
/// Whoever wrote the project wrote that file. It counts only when the place that it names points back, as
/// git makes it: a repository that nobody linked to this tree does not.
fn repository_of(top: &Path) -> Option<PathBuf> {
    let file = top.join(GIT);
    let text = pointer(&file)?;
    let own = top.join(text.strip_prefix("gitdir:")?.trim()).canonicalize().ok()?;
    let back = own.join(pointer(&own.join("gitdir"))?.trim()).canonicalize().ok()?;
    let worktrees = own.parent().filter(|parent| parent.ends_with("worktrees"))?;
    (back == file.canonicalize().ok()?).then(|| worktrees.parent().map(Path::to_owned))?
}

fn pointer(file: &Path) -> Option<String> {
    let small = fs::metadata(file).is_ok_and(|it| it.is_file() && it.len() <= MAX_POINTER_BYTES);
    fs::read_to_string(file).ok().filter(|_| small)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A repository `main` and a work tree `tree` of it, in a folder.
    fn linked() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("main/.git/worktrees/tree")).unwrap();
        fs::create_dir_all(root.join("tree/inner")).unwrap();
        let own = root.join("main/.git/worktrees/tree");
        fs::write(root.join("tree/.git"), format!("gitdir: {}\n", own.display())).unwrap();
        fs::write(own.join("gitdir"), format!("{}\n", root.join("tree/.git").display())).unwrap();
        (folder, root)
    }

    #[test]
    fn the_top_and_the_repository() {
        let (_folder, root) = linked();
        let names = |here: &str, home: Option<PathBuf>| {
            let folders = folders(&root.join(here), home.as_deref());
            let names = folders.iter().filter_map(|one| one.strip_prefix(&root).ok());
            names.map(|name| name.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(names("main/.git", None), ["main/.git", "main"]);
        assert_eq!(names("tree/inner", Some(root.clone())), ["tree/inner", "tree", "main/.git"]);
        assert_eq!(names("tree/inner", Some(root.join("tree"))), ["tree/inner"]);
    }

    #[test]
    fn a_project_does_not_name_what_it_does_not_own() {
        let (_folder, root) = linked();
        fs::create_dir_all(root.join("secret/worktrees/x")).unwrap();
        let secret = root.join("secret/worktrees/x");
        fs::write(root.join("tree/.git"), format!("gitdir: {}\n", secret.display())).unwrap();
        assert_eq!(repository_of(&root.join("tree")), None, "nothing there points back");
        fs::write(secret.join("gitdir"), root.join("main/.git").display().to_string()).unwrap();
        assert_eq!(repository_of(&root.join("tree")), None, "it points elsewhere");
        fs::write(root.join("tree/.git"), "gitdir: ../secret").unwrap();
        assert_eq!(repository_of(&root.join("tree")), None, "it is no work tree's place");
    }
}
