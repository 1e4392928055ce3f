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
