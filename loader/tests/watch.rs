//! An engine that follows its files: what is built anew, and what is kept.
#![cfg(feature = "watch")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;
use std::time::Duration;

use promptweave::{Context, Engine};
use promptweave_loader::{Live, Reload};

/// Long enough for a busy machine; a reload ends the wait.
const AT_MOST: Duration = Duration::from_secs(20);

fn text(engine: &Engine) -> String {
    engine.prompt(&Context::default()).unwrap().text().to_owned()
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder.join("components")).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

/// The reload that makes something of the last change: an editor's steps may come one by one.
fn until(live: &Live, mut fits: impl FnMut(&Reload) -> bool) -> Reload {
    loop {
        let reload = live.wait(AT_MOST).expect("a change is noticed");
        if fits(&reload) {
            return reload;
        }
    }
}

#[test]
fn the_last_good_engine_stays() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    write(&pack, "pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'\n");
    write(&pack, "generic.toml", "order = ['role']\n");
    write(&pack, "components/role.md", "first");
    let from = pack.clone();
    let live = Live::start(&[&pack], move || Engine::builder().pack_dir(&from).build()).unwrap();
    let before = live.engine();
    assert_eq!(text(&before), "first");

    write(&pack, "components/role.md", "second");
    until(&live, |reload| matches!(reload, Reload::New(engine) if text(engine) == "second"));
    assert_eq!(text(&live.engine()), "second");
    assert_eq!(text(&before), "first", "who took an engine keeps it");

    write(&pack, "generic.toml", "order = [");
    let kept = until(&live, |reload| matches!(reload, Reload::Kept(_)));
    let Reload::Kept(broken) = kept else { unreachable!("that is what was waited for") };
    assert!(broken.diagnostics().iter().any(|one| one.code.as_str() == "toml-syntax"));
    assert_eq!(text(&live.engine()), "second");

    write(&pack, "generic.toml", "order = ['role', 'place']\n");
    write(&pack, "components/place.md", "here");
    until(&live, |reload| matches!(reload, Reload::New(engine) if text(engine).contains("here")));
    assert_eq!(text(&live.engine()), "second\n\nhere");
}

#[test]
fn an_engine_that_cannot_be_built_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    write(&pack, "pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'\n");
    write(&pack, "generic.toml", "order = []\n");
    let from = pack.clone();
    let strict = move || Engine::builder().pack_dir(&from).strict(true).build();
    let live = Live::start(&[&pack], strict.clone()).unwrap();
    write(&pack, "generic.toml", "orders = []\n");
    until(&live, |reload| matches!(reload, Reload::Failed(error) if error.code() == "unknown-key"));
    assert!(live.engine().diagnostics().is_empty());
    assert!(Live::start(&[&pack], strict).is_err(), "there is nothing to start with");
}

#[test]
fn a_file_that_is_replaced_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("role.md");
    fs::write(&file, "first").unwrap();
    fs::write(folder.path().join("other.md"), "").unwrap();
    let from = file.clone();
    let build = move || {
        let role = fs::read_to_string(&from).unwrap_or_default();
        let pack = promptweave::MemorySource::new(
            "acme",
            [
                ("pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'".to_owned()),
                ("generic.toml", "order = ['role']".to_owned()),
                ("components/role.md", role),
            ],
        );
        Engine::builder().pack(pack).build()
    };
    let live = Live::start(&[&file], build).unwrap();
    for wanted in ["second", "third", "fourth"] {
        fs::remove_file(&file).unwrap();
        fs::write(&file, wanted).unwrap();
        until(&live, |reload| matches!(reload, Reload::New(engine) if text(engine) == wanted));
    }
    fs::write(folder.path().join("other.md"), "changed").unwrap();
    assert!(live.wait(Duration::from_millis(300)).is_none(), "another file is not followed");
}

/// A checkout, a build or a sync puts whole folders in the place of others.
#[test]
fn a_folder_that_goes_and_returns_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("deep/pack");
    let fill = |pack: &Path, role: &str| {
        write(pack, "pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'\n");
        write(pack, "generic.toml", "order = ['role']\n");
        write(pack, "components/role.md", role);
    };
    fill(&pack, "first");
    let from = pack.clone();
    let live = Live::start(&[&pack], move || Engine::builder().pack_dir(&from).build()).unwrap();
    let gone = |live: &Live| {
        until(
            live,
            |reload| matches!(reload, Reload::Kept(broken) if broken.diagnostics().iter().any(|one| one.code.as_str() == "pack-missing")),
        );
    };
    let becomes = |wanted: &str| {
        until(&live, |reload| matches!(reload, Reload::New(engine) if text(engine) == wanted));
    };

    fs::remove_dir_all(&pack).unwrap();
    gone(&live);
    assert_eq!(text(&live.engine()), "first");
    fill(&pack, "second");
    becomes("second");
    write(&pack, "components/role.md", "third");
    becomes("third");

    // The folder above goes away with it, and another one comes.
    fs::rename(folder.path().join("deep"), folder.path().join("aside")).unwrap();
    gone(&live);
    write(&folder.path().join("aside/pack"), "components/role.md", "not here");
    fill(&pack, "fourth");
    becomes("fourth");
    write(&pack, "components/role.md", "fifth");
    becomes("fifth");

    // One that stands there already comes in at once.
    fill(&folder.path().join("next"), "sixth");
    fs::rename(&pack, folder.path().join("last")).unwrap();
    fs::rename(folder.path().join("next"), &pack).unwrap();
    becomes("sixth");
    write(&pack, "components/role.md", "seventh");
    becomes("seventh");
}

#[test]
fn a_folder_that_comes_later_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let pack = folder.path().join("pack");
    let from = pack.clone();
    let build = move || match from.is_dir() {
        true => Engine::builder().pack_dir(&from).build(),
        false => Engine::builder().build(),
    };
    let live = Live::start(&[&pack], build).unwrap();
    write(&pack, "pack.toml", "format = 1\nname = 'acme'\nversion = '1.0.0'\n");
    write(&pack, "generic.toml", "order = ['role']\n");
    write(&pack, "components/role.md", "there");
    until(
        &live,
        |reload| matches!(reload, Reload::New(engine) if engine.prompt(&Context::default()).is_ok_and(|prompt| prompt.text() == "there")),
    );
}

#[test]
fn two_files_of_one_folder_are_followed_when_one_goes() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.md", "b.md"].map(|name| folder.path().join(name));
    files.iter().for_each(|file| fs::write(file, "x").unwrap());
    let live = Live::start(&files, || Engine::builder().build()).unwrap();
    fs::remove_file(&files[0]).unwrap();
    until(&live, |reload| matches!(reload, Reload::New(_)));
    while live.wait(Duration::from_millis(1500)).is_some() {}
    fs::write(&files[1], "y").unwrap();
    until(&live, |reload| matches!(reload, Reload::New(_)));
}
