//! Looks at one plugin: its manifest, its library's bytes, its files.
//!
//! In: a path. Out: a [`Candidate`] with everything that is wrong with it. Never: loads it.

use std::path::Path;

use promptweave::{Code, Diagnostic, PackName, SourceFile};

use super::place::is_library;
use super::{Candidate, Content, Place, tell};
use crate::digest::Digest;
use crate::files;
use crate::manifest::{AbiVersion, MANIFEST_FILE, MAX_MANIFEST_BYTES, Manifest};
use crate::object::{Fit, ObjectFacts, host_target};
use crate::pack_files::PackFiles;
use crate::signature::{MAX_SIGNATURE_BYTES, SIGNATURE_FILE};
use crate::store::{LibraryFile, MAX_LIBRARY_BYTES};

/// What a plugin without code has.
const PACK_FILE: &str = "pack.toml";

/// Looks at a plugin; none for a folder without a manifest that nobody named.
pub(super) fn examine(place: Place, path: &Path) -> Option<Candidate> {
    let mut candidate = Candidate {
        name: name_of(path)?,
        place,
        path: path.to_owned(),
        manifest: None,
        manifest_sha256: None,
        content: Content::Missing,
        object: None,
        signature: None,
        diagnostics: Vec::new(),
    };
    if path.is_dir() {
        if !path.join(MANIFEST_FILE).exists() && place != Place::Named {
            return None;
        }
        candidate.read_folder();
    } else {
        candidate.read_library(path);
        candidate.take_embedded();
    }
    Some(candidate)
}

/// A name made from a file's: what it may not hold becomes `-`.
fn name_of(path: &Path) -> Option<PackName> {
    let stem = if is_library(path) { path.file_stem() } else { path.file_name() };
    let stem = stem.unwrap_or_default().to_string_lossy().to_lowercase();
    let fits = |letter: char| {
        letter.is_ascii_lowercase() || letter.is_ascii_digit() || matches!(letter, '.' | '_' | '-')
    };
    let name: String =
        stem.chars().map(|letter| if fits(letter) { letter } else { '-' }).take(64).collect();
    let name = name.trim_start_matches(['.', '_', '-']);
    PackName::new(name).or_else(|_| PackName::new("unnamed")).ok()
}

impl Candidate {
    fn refuse(&mut self, code: Code, message: impl Into<String>, help: &str) {
        self.diagnostics.push(tell(code, &self.path, message).help(help));
    }

    fn read_folder(&mut self) {
        let file = self.path.join(MANIFEST_FILE);
        let bytes = match files::read(&file, MAX_MANIFEST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("`{}` cannot be read: {error}", file.display());
                let help = "name a plugin's folder, which has a `plugin.toml`, or a library";
                return self.refuse(Code::PluginMissing, message, help);
            }
        };
        self.manifest_sha256 = Some(Digest::of(&bytes));
        let Ok(text) = String::from_utf8(bytes) else {
            let message = format!("`{}` is not UTF-8", file.display());
            return self.refuse(Code::PluginManifest, message, "save it as UTF-8");
        };
        let source = SourceFile::new(file.display().to_string(), text);
        let (manifest, diagnostics) = Manifest::parse(&source);
        self.diagnostics.extend(diagnostics);
        self.read_signature();
        let Some(manifest) = manifest else { return };
        self.name = manifest.name.clone();
        match (manifest.libraries.is_empty(), self.path.join(PACK_FILE).exists()) {
            (true, true) => self.read_pack(),
            (true, false) => self.read_unlisted(),
            (false, _) => self.read_listed(&manifest),
        }
        self.manifest = Some(manifest);
        self.compare_embedded();
        self.check_abi();
    }

    fn read_signature(&mut self) {
        let file = self.path.join(SIGNATURE_FILE);
        match files::read_text(&file, MAX_SIGNATURE_BYTES) {
            Ok(text) => self.signature = Some(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => {
                let message = format!("the signature cannot be read: {error}");
                self.refuse(Code::PluginManifest, message, "mend or remove `plugin.toml.minisig`");
            }
        }
    }

    fn read_pack(&mut self) {
        match PackFiles::read(&self.path) {
            Ok(files) => self.content = Content::Pack(files.sha256),
            Err(error) => {
                let message = format!("the plugin's files cannot be used: {error}");
                self.refuse(
                    Code::PluginRefused,
                    message,
                    "a plugin without code holds plain files",
                );
            }
        }
    }

    /// Reads the one library of a folder that is still being worked on; the user has to name the folder.
    fn read_unlisted(&mut self) {
        let entries = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        let mut libraries = entries.map(|entry| entry.path()).filter(|path| is_library(path));
        match (self.place, libraries.next(), libraries.next()) {
            (Place::Named, Some(library), None) => self.read_library(&library),
            _ => {
                let message = format!("the manifest lists no library for `{}`", host_target());
                let help = "`promptweave plugin seal` writes the table `[library.<target>]`; \
                            a plugin without code has a `pack.toml`";
                self.refuse(Code::PluginMissing, message, help);
            }
        }
    }

    /// Reads the library that the manifest lists for this machine.
    fn read_listed(&mut self, manifest: &Manifest) {
        let host = host_target();
        let without_libc = host.rsplit_once('-').map_or("", |(front, _)| front);
        let libraries = &manifest.libraries;
        let Some(entry) = libraries.get(&*host).or_else(|| libraries.get(without_libc)) else {
            let targets: Vec<&str> = libraries.keys().map(|target| &**target).collect();
            let message = format!("the plugin has no library for `{host}`");
            let help = format!("it has one for {}; build it for this machine", targets.join(", "));
            return self.refuse(Code::PluginMissing, message, &help);
        };
        self.read_library(&self.path.join(&*entry.file));
        if self.library().is_some_and(|library| library.sha256 != entry.sha256) {
            let message = format!("`{}` is not the library that the manifest lists", entry.file);
            let told = Diagnostic::new(Code::PluginRefused, message, entry.origin.clone());
            self.diagnostics.push(told.help("write its `sha256`, or fetch the plugin again"));
        }
    }

    fn read_library(&mut self, path: &Path) {
        let bytes = match files::read(path, MAX_LIBRARY_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => {
                let message = format!("the library `{}` cannot be read: {error}", path.display());
                return self.refuse(Code::PluginMissing, message, "look at the path");
            }
        };
        let sha256 = Digest::of(&bytes);
        self.content = Content::Library(LibraryFile { path: path.to_owned(), sha256 });
        match ObjectFacts::read(&bytes) {
            Ok(facts) => {
                self.check(&facts);
                self.object = Some(facts);
            }
            Err(error) => {
                let message = format!("`{}` cannot be loaded: {error}", path.display());
                self.refuse(Code::PluginRefused, message, "build it as a shared library");
            }
        }
    }

    /// Refuses what the loader would not take, or would look for in the current folder.
    fn check(&mut self, facts: &ObjectFacts) {
        if facts.fit == Fit::Elsewhere {
            let message = format!(
                "the library is for `{}`, this machine is `{}`",
                facts.target,
                host_target()
            );
            self.content = Content::Missing;
            return self.refuse(Code::PluginMissing, message, "build it for this machine");
        }
        let AbiVersion { major, .. } = AbiVersion::HOST;
        if !facts.entries.contains(&u32::from(major)) {
            let message = format!("the library does not export `weave_plugin_entry_v{major}`");
            let help = "export the entry of this ABI, with default visibility";
            self.refuse(Code::PluginRefused, message, help);
        }
        let relative = |path: &&String| {
            path.split(':').any(|one| !one.starts_with('/') && !one.starts_with("$ORIGIN"))
        };
        if let Some(path) = facts.search_paths.iter().find(relative) {
            let message = format!("the library looks for others in `{path}`, a relative path");
            self.refuse(Code::PluginRefused, message, "link it without a relative RPATH");
        }
        let bare = |name: &&String| name.contains('/') && !name.starts_with('/');
        if let Some(name) = facts.needed.iter().find(bare) {
            let message = format!("the library needs `{name}`, a relative path");
            self.refuse(Code::PluginRefused, message, "link it by name, or not at all");
        }
    }

    fn embedded(&self) -> Option<(Option<Manifest>, Vec<Diagnostic>)> {
        let text = self.object.as_ref()?.manifest.as_deref()?;
        let name = format!("{} (embedded)", self.library()?.path.display());
        Some(Manifest::parse(&SourceFile::new(name, text)))
    }

    /// A library that stands for itself says what it is, or runs under default limits.
    fn take_embedded(&mut self) {
        let (manifest, diagnostics) = self.embedded().unwrap_or_default();
        self.diagnostics.extend(diagnostics);
        if let Some(manifest) = manifest {
            self.name = manifest.name.clone();
            self.manifest = Some(manifest);
        }
        self.check_abi();
    }

    fn check_abi(&mut self) {
        let abi = self.manifest.as_ref().map(|manifest| manifest.abi);
        if let Some(abi) = abi.filter(|abi| !abi.fits()) {
            let message =
                format!("the plugin asks for ABI {abi}, this host has {}", AbiVersion::HOST);
            self.refuse(
                Code::PluginRefused,
                message,
                "build it for an older ABI, or update the host",
            );
        }
    }

    /// The manifest beside a library and the one in it are of one plugin.
    fn compare_embedded(&mut self) {
        let Some((Some(inner), _)) = self.embedded() else { return };
        let Some(outer) = &self.manifest else { return };
        if inner.name != outer.name || inner.version != outer.version {
            let message = format!(
                "the library is of `{}` {}, the manifest of `{}` {}",
                inner.name, inner.version, outer.name, outer.version
            );
            self.refuse(
                Code::PluginRefused,
                message,
                "build the library and the manifest together",
            );
        }
    }
}
