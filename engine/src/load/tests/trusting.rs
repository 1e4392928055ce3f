//! A project's pack is loaded only when the user said so.
#![cfg(unix)]

use std::os::unix::fs::symlink;

use super::*;

fn project_folder(name: &str) -> PathBuf {
    let folder = temporary(name);
    write(&folder.join("repo/.promptweave/pack.toml"), "name = 'project'\n");
    write(&folder.join("repo/.promptweave/generic.toml"), "order = []\n");
    folder
}

fn codes(told: &[Diagnostic]) -> Vec<&'static str> {
    told.iter().map(|one| one.code.as_str()).collect()
}

#[test]
fn untrusted_until_the_user_says_so() {
    let folder = project_folder("trust");
    let repo = folder.join("repo");
    let file = folder.join("data/promptweave/trust.json");
    let mut store = TrustStore::open(&file);
    let ask = |store: &TrustStore, trust| {
        let (source, told) = project(&repo, trust, Some(store));
        (source.is_some(), codes(&told))
    };
    assert_eq!(ask(&store, Trust::IfTrusted), (false, vec!["project-pack-untrusted"]));
    assert_eq!(ask(&store, Trust::Always), (true, vec![]));
    assert_eq!(ask(&store, Trust::Never), (false, vec![]));

    store.trust(&folder.join("repo/.promptweave/..")).unwrap();
    assert_eq!(ask(&store, Trust::IfTrusted), (true, vec![]));
    let again = TrustStore::open(&file);
    assert!(again.is_trusted(&repo) && again.diagnostics().is_empty());
    assert!(!again.is_trusted(&folder), "nor what is around it");
    assert_eq!(again.folders().count(), 1);
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "no half files stay");

    let (source, _) = project(&repo, Trust::IfTrusted, Some(&again));
    let source = Arc::new(source.unwrap());
    let registry = clean(&[Layer { source, kind: LayerKind::Pack, components: Vec::new() }]);
    assert!(registry.current("generic").is_some());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_project_without_a_pack_is_silent() {
    let folder = temporary("silent");
    for trust in [Trust::IfTrusted, Trust::Always, Trust::Never] {
        let (source, told) = project(&folder, trust, None);
        assert!(source.is_none() && told.is_empty());
        let (source, told) = project(&folder.join("nowhere"), trust, None);
        assert!(source.is_none() && told.is_empty());
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_broken_store_trusts_nothing() {
    let folder = project_folder("broken-store");
    let repo = folder.join("repo");
    for text in ["", "{", "[]", "{\"trusted\": 1}", "{\"trusted\": [1]}", "\0"] {
        let file = folder.join("trust.json");
        write(&file, text);
        let mut store = TrustStore::open(&file);
        assert_eq!(codes(store.diagnostics()), ["invalid-value"], "{text}");
        assert!(!store.is_trusted(&repo));
        assert!(store.trust(&repo).is_err(), "what is broken is not written over");
    }
    let store = TrustStore::open(&folder);
    assert_eq!(codes(store.diagnostics()), ["file-unreadable"]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn links_do_not_lead_out() {
    let folder = project_folder("links");
    write(&folder.join("secret.md"), "secret");
    let trick = folder.join("trick");
    fs::create_dir_all(&trick).unwrap();
    symlink(folder.join("repo/.promptweave"), trick.join(".promptweave")).unwrap();
    for trust in [Trust::IfTrusted, Trust::Always] {
        let (source, told) = project(&trick, trust, None);
        assert!(source.is_none());
        assert_eq!(codes(&told), ["project-pack-untrusted"]);
    }

    let pack = folder.join("repo/.promptweave");
    fs::create_dir_all(pack.join("components")).unwrap();
    symlink(folder.join("secret.md"), pack.join("components/leak.md")).unwrap();
    symlink(&folder, pack.join("partials")).unwrap();
    symlink(pack.join("pack.toml"), pack.join("generic@2.toml")).unwrap();
    let (source, _) = project(&folder.join("repo"), Trust::Always, None);
    let source = Arc::new(source.unwrap());
    let layer = Layer { source, kind: LayerKind::Pack, components: Vec::new() };
    let (registry, told) = load(&[layer]);
    assert!(registry.components.is_empty() && registry.partials.is_empty());
    assert_eq!(codes(&told)[..2], ["file-unreadable"; 2]);
    fs::remove_dir_all(folder).unwrap();
}
