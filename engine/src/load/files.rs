//! The files of one pack, by path.
//!
//! In: what a source gave. Out: the texts, and which templates nobody asked for. Never: parses.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::layout::{Place, place, unexpected_help};
use super::source::{SourceEntry, acceptable};
use crate::diagnostic::{Code, Diagnostic, Origin, SourceFile, SourceText};

/// The readable files of one pack.
#[derive(Default)]
pub(crate) struct Files {
    by_path: BTreeMap<String, Arc<SourceFile>>,
    /// Templates that a file named, or that stand beside theirs.
    used: RefCell<BTreeSet<String>>,
}

impl Files {
    /// Keeps what can be used; the rest is told.
    pub(crate) fn new(entries: Vec<SourceEntry>, told: &mut Vec<Diagnostic>) -> Self {
        let mut files = Self::default();
        for SourceEntry { path, file } in entries {
            let start = Origin::file(&file, 0..0);
            match place(&path) {
                Place::Ignored => continue,
                Place::Unexpected => {
                    let message = format!("`{path}` is no part of a pack");
                    let unexpected = Diagnostic::new(Code::FileUnexpected, message, start);
                    told.push(unexpected.help(unexpected_help(&path)));
                    continue;
                }
                _ => {}
            }
            if let Err(diagnostic) = acceptable(&file) {
                told.push(*diagnostic);
            } else if files.by_path.contains_key(&*path) {
                let message = format!("`{path}` is there twice");
                told.push(Diagnostic::new(Code::DuplicateId, message, start).help("keep one"));
            } else {
                files.by_path.insert(path.into_owned(), file);
            }
        }
        files
    }

    /// All files, sorted by path.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Arc<SourceFile>)> {
        self.by_path.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The file at a path.
    pub(crate) fn get(&self, path: &str) -> Option<&Arc<SourceFile>> {
        self.by_path.get(path)
    }

    /// The template at a path, which counts as used from now on.
    pub(crate) fn template(&self, path: &str) -> Option<Arc<SourceText>> {
        let file = self.by_path.get(path).filter(|_| path.ends_with(".hbs"))?;
        self.used.borrow_mut().insert(path.into());
        Some(SourceText::whole(file))
    }

    /// Tells the templates that nobody asked for.
    pub(crate) fn tell_unused(&self, told: &mut Vec<Diagnostic>) {
        let used = self.used.borrow();
        for (path, file) in &self.by_path {
            if place(path) != Place::Template || used.contains(path) {
                continue;
            }
            let owner = path.strip_suffix("hbs").unwrap_or(path);
            let message = format!("no file uses the template `{path}`");
            told.push(
                Diagnostic::new(Code::FileUnexpected, message, Origin::file(file, 0..0))
                    .help(format!("write `{owner}toml` beside it, or name it by `template_file`")),
            );
        }
    }

    /// SHA-256 over names and bytes, in hex.
    pub(crate) fn digest(&self) -> Arc<str> {
        let mut digest = Sha256::new();
        for (path, file) in &self.by_path {
            for part in [path.as_bytes(), file.text().as_bytes()] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
        }
        digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>().into()
    }
}
