//! Packs as they were at a revision of the repository that holds them.
//!
//! In: a pack's folder, a revision. Out: the files of that revision, from the repository's own store.
//! Never: writes to the repository or its work tree, runs what it configures, follows a link.
//!
//! libgit2 reads the store itself: no filter, hook or program of a configuration has a part in it.

use std::path::{Path, PathBuf};

use git2::{Blob, ErrorCode, ObjectType, Repository, RepositoryOpenFlags, Tree};
use promptweave::{
    Code, Diagnostic, Origin, Severity, Source, SourceEntry, SourceFile, is_pack_file,
};

use crate::failure::Failure;
use crate::files;

/// The largest file that is read: a pack may hold none that is larger.
const MAX_FILE_BYTES: usize = 4 * 1024 * 1024;
/// The most bytes that are read of one pack.
const MAX_PACK_BYTES: usize = 64 * 1024 * 1024;
const LINK: i32 = 0o120_000;

/// The files of a pack at a revision.
pub(crate) struct PackAt {
    name: String,
    files: Vec<SourceEntry>,
    told: Vec<Diagnostic>,
}

impl Source for PackAt {
    fn name(&self) -> &str {
        &self.name
    }

    fn files(&self) -> (Vec<SourceEntry>, Vec<Diagnostic>) {
        (self.files.clone(), self.told.clone())
    }
}

/// The pack in a folder as it was at a revision, or a note that it was not there.
pub(crate) fn pack_at(
    folder: &Path,
    revision: &str,
) -> Result<Result<PackAt, Box<Diagnostic>>, Failure> {
    let (repository, inside) = locate(folder)?;
    let shown = format!("{}@{revision}", folder.display());
    let tree = repository.revparse_single(revision).and_then(|found| found.peel_to_tree());
    let tree = tree.map_err(|error| {
        let place = repository.workdir().unwrap_or(repository.path()).display();
        Failure::input(
            format!("`{revision}` is no revision of `{place}`: {}", error.message()),
            "name a commit, a branch or a tag, as `HEAD~1`",
        )
    })?;
    let Some(tree) = below(&repository, tree, &inside).map_err(|error| broken(folder, &error))?
    else {
        let origin = Origin::file(&SourceFile::new(shown, ""), 0..0);
        let message = format!("`{}` is no folder at `{revision}`", folder.display());
        let note = Diagnostic::new(Code::PackMissing, message, origin)
            .help("the older prompt is built without this pack");
        return Ok(Err(Box::new(Diagnostic { severity: Severity::Note, ..note })));
    };
    let mut reading = Reading { repository: &repository, shown, bytes: 0, pack: empty(folder) };
    reading.folder(&tree, "").map_err(|error| broken(folder, &error))?;
    Ok(Ok(reading.pack))
}

/// The repository that holds a folder, and the folder's path in it.
fn locate(folder: &Path) -> Result<(Repository, PathBuf), Failure> {
    let nowhere: [&Path; 0] = [];
    let real = folder.canonicalize().map_err(|error| {
        Failure::input(format!("`{}` cannot be read: {error}", folder.display()), "name a folder")
    })?;
    let repository = Repository::open_ext(&real, RepositoryOpenFlags::empty(), nowhere);
    let repository = repository.map_err(|error| match error.code() {
        ErrorCode::NotFound => outside(folder),
        _ => broken(folder, &error),
    })?;
    let work = repository.workdir().and_then(|work| work.canonicalize().ok());
    let inside = work.and_then(|work| real.strip_prefix(work).ok().map(Path::to_owned));
    let inside = inside.ok_or_else(|| outside(folder))?;
    Ok((repository, inside))
}

fn below<'r>(
    repository: &'r Repository,
    tree: Tree<'r>,
    inside: &Path,
) -> Result<Option<Tree<'r>>, git2::Error> {
    if inside.as_os_str().is_empty() {
        return Ok(Some(tree));
    }
    match tree.get_path(inside) {
        Ok(entry) if entry.kind() == Some(ObjectType::Tree) => {
            repository.find_tree(entry.id()).map(Some)
        }
        Ok(_) => Ok(None),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// One pack while it is read.
struct Reading<'r> {
    repository: &'r Repository,
    /// How the pack is called in places.
    shown: String,
    bytes: usize,
    pack: PackAt,
}

impl Reading<'_> {
    /// Reads the texts of a folder, and of those right below the pack's own.
    fn folder(&mut self, tree: &Tree<'_>, before: &str) -> Result<(), git2::Error> {
        for entry in tree.iter() {
            // A name that is no text is none of a pack's.
            let Ok(name) = std::str::from_utf8(entry.name_bytes()) else { continue };
            let path = format!("{before}{name}");
            match entry.kind() {
                Some(ObjectType::Tree) if before.is_empty() && !name.starts_with('.') => {
                    self.folder(&self.repository.find_tree(entry.id())?, &format!("{path}/"))?;
                }
                Some(ObjectType::Blob) if is_pack_file(&path) => {
                    self.file(path, entry.id(), entry.filemode())?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn file(&mut self, path: String, id: git2::Oid, mode: i32) -> Result<(), git2::Error> {
        let (size, _) = self.repository.odb()?.read_header(id)?;
        if mode == LINK {
            return self.leave_out(&path, Code::FileUnreadable, "links of a revision lead nowhere");
        }
        if size > MAX_FILE_BYTES || self.bytes + size > MAX_PACK_BYTES {
            return self.leave_out(
                &path,
                Code::FileTooLarge,
                "the file, or its pack, is too large",
            );
        }
        self.bytes += size;
        let blob: Blob<'_> = self.repository.find_blob(id)?;
        match String::from_utf8(blob.content().to_vec()) {
            Ok(text) => {
                let file = SourceFile::new(format!("{}/{path}", self.shown), text);
                self.pack.files.push(SourceEntry { path: path.into(), file });
                Ok(())
            }
            Err(_) => self.leave_out(&path, Code::FileNotUtf8, "the file is not UTF-8"),
        }
    }

    fn leave_out(&mut self, path: &str, code: Code, why: &str) -> Result<(), git2::Error> {
        let file = SourceFile::new(format!("{}/{path}", self.shown), "");
        let told = Diagnostic::new(code, why, Origin::file(&file, 0..0));
        self.pack.told.push(told.help("it is left out of the older prompt"));
        Ok(())
    }
}

fn empty(folder: &Path) -> PackAt {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    PackAt { name: name.unwrap_or_default(), files: Vec::new(), told: Vec::new() }
}

fn outside(folder: &Path) -> Failure {
    Failure::input(
        format!("`{}` is in the work tree of no git repository", folder.display()),
        "name packs in a repository, or compare two folders with `--vs-pack`",
    )
}

fn broken(folder: &Path, error: &git2::Error) -> Failure {
    Failure::input(
        format!("the repository of `{}` cannot be read: {}", files::shown(folder), error.message()),
        "look at it with `git status` there",
    )
}
