//! Decides whether a project's own pack is loaded.
//!
//! In: a project's folder and the folders that the user trusts. Out: a source, or a warning.
//! Never: reads a file of an untrusted project; lets anything in a project grant trust.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::folder::DirSource;
use super::source::MAX_FILE_BYTES;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile};

/// The folder of a project that holds its pack.
const PACK_FOLDER: &str = ".promptweave";

/// Whether a project's pack is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Trust {
    /// When the user trusts the project's folder.
    #[default]
    IfTrusted,
    /// In any case: the host vouches for the project.
    Always,
    /// In no case, and without a word.
    Never,
}

/// The folders that the user trusts, kept in a file outside of any project.
#[derive(Clone, Debug)]
pub struct TrustStore {
    file: PathBuf,
    folders: BTreeSet<PathBuf>,
    diagnostics: Vec<Diagnostic>,
}

impl TrustStore {
    /// Reads the file: `{"trusted": ["/path", …]}`. None yet, or a broken one, trusts nothing;
    /// [`TrustStore::diagnostics`] tells of the latter.
    pub fn open(file: impl Into<PathBuf>) -> Self {
        let file = file.into();
        let (folders, diagnostics) = match read(&file) {
            Ok(folders) => (folders, Vec::new()),
            Err(diagnostic) => (BTreeSet::new(), vec![*diagnostic]),
        };
        Self { file, folders, diagnostics }
    }

    /// What is wrong with the file.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether the user trusts this very folder; one inside a trusted folder is not trusted by that.
    pub fn is_trusted(&self, folder: &Path) -> bool {
        fs::canonicalize(folder).is_ok_and(|folder| self.folders.contains(&folder))
    }

    /// The trusted folders, sorted.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path)
    }

    /// Trusts a folder from now on. The file is replaced at once, so that no reader sees a half of it.
    ///
    /// # Errors
    /// When the folder does not exist or its path is not UTF-8, when the file is broken, or cannot be written.
    pub fn trust(&mut self, folder: &Path) -> io::Result<()> {
        let folder = fs::canonicalize(folder)?;
        // Read again: another program may have added a folder since.
        let mut folders = read(&self.file)
            .map_err(|broken| io::Error::new(io::ErrorKind::InvalidData, broken.message))?;
        folders.insert(folder);
        write(&self.file, &folders)?;
        (self.folders, self.diagnostics) = (folders, Vec::new());
        Ok(())
    }
}

fn read(file: &Path) -> Result<BTreeSet<PathBuf>, Box<Diagnostic>> {
    let broken = |code, why: String| {
        let origin = Origin::file(&SourceFile::new(file.display().to_string(), ""), 0..0);
        let help = "nothing is trusted until the file is mended or removed";
        Box::new(Diagnostic::new(code, why, origin).help(help))
    };
    let unreadable = |why: String| {
        broken(Code::FileUnreadable, format!("the list of trusted folders cannot be read: {why}"))
    };
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        Err(error) => return Err(unreadable(error.kind().to_string())),
        Ok(found) if !found.is_file() => return Err(unreadable("not a regular file".into())),
        Ok(found) if found.len() > MAX_FILE_BYTES as u64 => {
            return Err(unreadable("it is too large".into()));
        }
        Ok(_) => {}
    }
    let text = fs::read_to_string(file).map_err(|error| unreadable(error.kind().to_string()))?;
    parse(&text).ok_or_else(|| {
        broken(
            Code::InvalidValue,
            "the list of trusted folders is not `{\"trusted\": [\"/path\"]}`".into(),
        )
    })
}

fn parse(text: &str) -> Option<BTreeSet<PathBuf>> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    let folders = value.as_object()?.get("trusted")?.as_array()?;
    folders.iter().map(|folder| folder.as_str().map(PathBuf::from)).collect()
}

fn write(file: &Path, folders: &BTreeSet<PathBuf>) -> io::Result<()> {
    let not_utf8 = || io::Error::new(io::ErrorKind::InvalidInput, "the folder's path is not UTF-8");
    let names = folders.iter().map(|folder| folder.to_str().ok_or_else(not_utf8));
    let names: Vec<&str> = names.collect::<io::Result<_>>()?;
    let mut text = serde_json::to_string_pretty(&serde_json::json!({ "trusted": names }))?;
    text.push('\n');
    if let Some(parent) = file.parent() {
        fs::create_dir_all(parent)?;
    }
    let new = file.with_extension(format!("new-{}", std::process::id()));
    let written = fs::File::create(&new).and_then(|mut out| {
        out.write_all(text.as_bytes())?;
        out.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&new, file));
    if replaced.is_err() {
        let _ = fs::remove_file(&new);
    }
    replaced
}

/// The pack of a project, if it has one and may be loaded.
pub(crate) fn project(
    folder: &Path,
    trust: Trust,
    store: Option<&TrustStore>,
) -> (Option<DirSource>, Vec<Diagnostic>) {
    let pack = folder.join(PACK_FOLDER);
    if trust == Trust::Never || fs::symlink_metadata(&pack).is_err() {
        return (None, Vec::new());
    }
    let refuse = |message: &str, help: String| {
        let origin = Origin::file(&SourceFile::new(pack.display().to_string(), ""), 0..0);
        (None, vec![Diagnostic::new(Code::ProjectPackUntrusted, message, origin).help(help)])
    };
    let canonical = fs::canonicalize(folder).ok();
    let target = fs::canonicalize(&pack).ok();
    let inside = canonical.zip(target).filter(|(folder, target)| target.starts_with(folder));
    let Some((canonical, _)) = inside else {
        return refuse(
            "the project's pack is a link that leads out of the project; it is not loaded",
            "name the folder it leads to by `--pack`, if you trust it".into(),
        );
    };
    let is_trusted = match trust {
        Trust::Always => true,
        Trust::IfTrusted => store.is_some_and(|store| store.is_trusted(&canonical)),
        Trust::Never => false,
    };
    if !is_trusted {
        return refuse(
            "the project has a pack that is not trusted; nothing of it is loaded",
            format!("look at it, then run `promptweave trust {}`", folder.display()),
        );
    }
    (Some(DirSource::new(pack).within(canonical)), Vec::new())
}
