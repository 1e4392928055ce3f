//! The private copies: what is loaded is what was hashed.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use promptweave::Code;
use promptweave_loader::{Digest, LibraryFile, Store, StoreError};
use tempfile::TempDir;

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(place.path("lib.so"), "first").unwrap();
        place
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(below)
    }

    fn store(&self) -> Store {
        Store::new(&self.path("data"))
    }

    fn library(&self, text: &str) -> LibraryFile {
        LibraryFile { path: self.path("lib.so"), sha256: Digest::of(text.as_bytes()) }
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_copy_is_made_once_and_is_private() {
    let place = Place::new();
    let library = place.library("first");
    let kept = place.store().keep(&library).unwrap();
    assert_eq!(kept, place.path("data/store").join(library.sha256.to_string()).join("lib.so"));
    assert_eq!(fs::read_to_string(&kept).unwrap(), "first");
    assert_eq!((mode(&kept), mode(kept.parent().unwrap())), (0o500, 0o700));
    assert_eq!(mode(&place.path("data/store")), 0o700);
    fs::write(place.path("lib.so"), "other").unwrap();
    assert_eq!(place.store().keep(&library).unwrap(), kept, "the original is not needed again");
    assert_eq!(fs::read_dir(kept.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn a_library_that_changed_is_not_copied() {
    let place = Place::new();
    let told = place.store().keep(&place.library("looked at")).unwrap_err();
    assert!(matches!(told, StoreError::Changed { .. }), "{told}");
    assert_eq!(told.diagnostic().code, Code::PluginChanged);
    fs::remove_file(place.path("lib.so")).unwrap();
    let told = place.store().keep(&place.library("first")).unwrap_err();
    assert_eq!(told.diagnostic().code, Code::PluginMissing);
}

#[test]
fn a_copy_with_other_bytes_is_replaced() {
    let place = Place::new();
    let kept = place.store().keep(&place.library("first")).unwrap();
    chmod(&kept, 0o700);
    fs::write(&kept, "evil").unwrap();
    chmod(&kept, 0o500);
    assert_eq!(place.store().keep(&place.library("first")).unwrap(), kept);
    assert_eq!(fs::read_to_string(&kept).unwrap(), "first");
}

#[test]
fn what_others_could_change_is_not_used() {
    let unusable = |place: &Place| {
        let told = place.store().keep(&place.library("first")).unwrap_err();
        assert!(matches!(told, StoreError::Unusable { .. }), "{told}");
        assert_eq!(told.diagnostic().code, Code::PluginRefused);
    };
    let place = Place::new();
    let kept = place.store().keep(&place.library("first")).unwrap();
    let folder = kept.parent().unwrap();
    for (path, open, closed) in [
        (&*kept, 0o700, 0o500),
        (&*kept, 0o555, 0o500),
        (folder, 0o770, 0o700),
        (&place.path("data/store"), 0o701, 0o700),
        (&place.path("data"), 0o777, 0o755),
    ] {
        chmod(path, open);
        unusable(&place);
        chmod(path, closed);
        assert_eq!(place.store().keep(&place.library("first")).unwrap(), kept);
    }
    fs::rename(place.path("data/store"), place.path("elsewhere")).unwrap();
    symlink(place.path("elsewhere"), place.path("data/store")).unwrap();
    unusable(&place);
    fs::remove_file(place.path("data/store")).unwrap();
    fs::rename(place.path("elsewhere"), place.path("data/store")).unwrap();
    fs::remove_file(&kept).unwrap();
    symlink(place.path("lib.so"), &kept).unwrap();
    unusable(&place);
}

#[test]
fn many_at_once() {
    let place = Place::new();
    std::thread::scope(|scope| {
        let work = || {
            for _ in 0..50 {
                let kept = place.store().keep(&place.library("first")).unwrap();
                assert_eq!(fs::read_to_string(kept).unwrap(), "first");
            }
        };
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
