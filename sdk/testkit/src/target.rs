//! What is checked: a library, what lies beside it, and what its author says about the checks.
//!
//! In: the path of a library or of a plugin's folder. Out: a [`Target`]. Never: loads code.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use promptweave::{Diagnostic, SourceFile};
use promptweave_loader::{
    Digest, LibraryEntry, MANIFEST_FILE, MAX_LIBRARY_BYTES, MAX_MANIFEST_BYTES, Manifest,
    SIGNATURE_FILE, host_target,
};
use serde::Deserialize;
use serde_json::{Map, Value as Json};

/// The file in which an author switches checks off and gives sample values.
pub const SETTINGS_FILE: &str = "validate.toml";
/// The most bytes of that file.
const MAX_SETTINGS_BYTES: u64 = 256 * 1024;

/// Why there is nothing to check: a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetError(pub(crate) String);

impl std::fmt::Display for TargetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TargetError {}

/// What the author says, in `validate.toml`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// Checks that are switched off, each with its reason.
    pub(crate) off: BTreeMap<String, String>,
    /// The configuration for `init`.
    pub(crate) config: Map<String, Json>,
    /// Values of the context, over the samples that are made up.
    pub(crate) context: Map<String, Json>,
    /// The arguments of helpers, by id.
    pub(crate) args: BTreeMap<String, Vec<Json>>,
    /// The newest glibc that the library may ask for, such as `2.28`.
    pub(crate) glibc: Option<String>,
}

/// What is checked.
pub(crate) struct Target {
    /// The library; absolute.
    pub(crate) library: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) sha256: Digest,
    /// What `plugin.toml` says, and what is wrong with it; none when there is no such file.
    pub(crate) file: Option<(Option<Manifest>, Vec<Diagnostic>)>,
    pub(crate) signature: Option<String>,
    pub(crate) settings: Settings,
}

impl Target {
    /// Reads a library, or the library of a plugin's folder.
    pub(crate) fn read(path: &Path, known: &[&str]) -> Result<Self, TargetError> {
        let path = fs::canonicalize(path).map_err(|error| {
            TargetError(format!("`{}` cannot be read: {error}", path.display()))
        })?;
        let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        let manifest = folder.join(MANIFEST_FILE);
        let mut file = match manifest.is_file() {
            true => Some(Manifest::parse(&source(&manifest)?)),
            false => None,
        };
        let library = if path.is_dir() { library_of(&path, &file)? } else { path.clone() };
        if !path.is_dir() && !is_of(&library, &file) {
            file = None;
        }
        let bytes = read(&library, MAX_LIBRARY_BYTES)?;
        let signature = folder.join(SIGNATURE_FILE);
        let signature = (file.is_some() && signature.is_file())
            .then(|| read(&signature, MAX_MANIFEST_BYTES))
            .transpose()?
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let settings = settings(&folder.join(SETTINGS_FILE), known)?;
        let sha256 = Digest::of(&bytes);
        Ok(Self { library, bytes, sha256, file, signature, settings })
    }

    /// The manifest of `plugin.toml`.
    pub(crate) fn manifest(&self) -> Option<&Manifest> {
        self.file.as_ref()?.0.as_ref()
    }

    /// What the manifest says about this library.
    pub(crate) fn entry(&self) -> Option<&LibraryEntry> {
        listed(self.manifest()?)
    }

    /// The configuration for `init`: the manifest's defaults, and the author's values over them.
    pub(crate) fn config(&self) -> String {
        let mut config = Map::new();
        for (name, key) in self.manifest().into_iter().flat_map(|manifest| &manifest.config) {
            config.extend(key.default.clone().map(|value| (name.to_string(), value)));
        }
        config.extend(self.settings.config.clone());
        Json::Object(config).to_string()
    }
}

/// What a manifest lists for this machine.
fn listed(manifest: &Manifest) -> Option<&LibraryEntry> {
    let host = host_target();
    let without_libc = host.rsplit_once('-').map_or("", |(front, _)| front);
    manifest.libraries.get(&*host).or_else(|| manifest.libraries.get(without_libc))
}

type File = Option<(Option<Manifest>, Vec<Diagnostic>)>;

/// The library of a folder: the one that is listed, else the only one there.
fn library_of(folder: &Path, file: &File) -> Result<PathBuf, TargetError> {
    let manifest = file.as_ref().and_then(|(manifest, _)| manifest.as_ref());
    if let Some(entry) = manifest.and_then(listed) {
        return Ok(folder.join(&*entry.file));
    }
    let ends = std::env::consts::DLL_EXTENSION;
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let found: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|end| end == ends)).collect();
    match &*found {
        [one] => Ok(one.clone()),
        [] => Err(TargetError(format!("`{}` has no library for this machine", folder.display()))),
        _ => Err(TargetError(format!(
            "`{}` has {} libraries, and no `plugin.toml` that says which one is meant",
            folder.display(),
            found.len()
        ))),
    }
}

/// Whether the manifest beside a library is about it.
fn is_of(library: &Path, file: &File) -> bool {
    let manifest = file.as_ref().and_then(|(manifest, _)| manifest.as_ref());
    manifest.and_then(listed).is_none_or(|entry| library.ends_with(&*entry.file))
}

fn settings(path: &Path, known: &[&str]) -> Result<Settings, TargetError> {
    if !path.is_file() {
        return Ok(Settings::default());
    }
    let text = String::from_utf8_lossy(&read(path, MAX_SETTINGS_BYTES)?).into_owned();
    let wrong = |why: &dyn std::fmt::Display| TargetError(format!("`{}`: {why}", path.display()));
    let settings: Settings = toml::from_str(&text).map_err(|error| wrong(&error))?;
    for (check, reason) in &settings.off {
        if !known.contains(&&**check) {
            return Err(wrong(&format!("there is no check `{check}`")));
        }
        if reason.trim().is_empty() {
            return Err(wrong(&format!("`{check}` is off without a reason")));
        }
    }
    Ok(settings)
}

fn source(path: &Path) -> Result<Arc<SourceFile>, TargetError> {
    let text = String::from_utf8_lossy(&read(path, MAX_MANIFEST_BYTES)?).into_owned();
    Ok(SourceFile::new(path.display().to_string(), text))
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, TargetError> {
    let wrong = |why: &dyn std::fmt::Display| {
        TargetError(format!("`{}` cannot be read: {why}", path.display()))
    };
    let facts = fs::metadata(path).map_err(|error| wrong(&error))?;
    if !facts.is_file() {
        return Err(wrong(&"it is not a regular file"));
    }
    let length = facts.len();
    if length > most {
        return Err(wrong(&format!("it has {length} bytes, more than {most}")));
    }
    fs::read(path).map_err(|error| wrong(&error))
}
