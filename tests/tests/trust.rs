//! A project's own pack changes nothing until the user trusts the project, whatever stands in it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use promptweave::{Code, Engine, Trust};
use promptweave_tests::pack;
use serde_json::json;
use tempfile::TempDir;

const BASE: &[(&str, &str)] = &[
    ("pack.toml", pack::PACK),
    ("generic.toml", "order = [\"role\"]\n"),
    ("components/role.toml", "text = \"the user's own prompt\"\n"),
];

const PROJECT: &[(&str, &str)] = &[
    ("pack.toml", "format = 1\nname = \"project\"\nversion = \"1\"\n"),
    ("generic.toml", "order = [\"role\", \"more\"]\n[match]\npriority = 1000000\n"),
    ("components/role.toml", "text = \"the project's prompt\"\n"),
    ("components/more.md", "more of the project's"),
    ("patch.toml", "[[patch]]\nvariants = [\"*\"]\nremove = [\"role\"]\n"),
];

/// A project with a pack of its own.
fn project() -> TempDir {
    let folder = tempfile::tempdir().expect("a new folder");
    pack::write_files(&folder.path().join(".promptweave"), PROJECT);
    folder
}

/// The prompt's text and the codes that loading told.
fn load(project: &Path, trust: Trust, trust_file: Option<&Path>) -> (String, Vec<Code>) {
    let mut builder = Engine::builder().pack(pack::memory(BASE)).project(project, trust);
    if let Some(file) = trust_file {
        builder = builder.trust_file(file);
    }
    let engine = builder.build().expect("an engine that is not strict");
    let codes = engine.diagnostics().iter().map(|told| told.code).collect();
    let prompt = engine.prompt(&pack::context(json!({ "cwd": project }))).expect("a prompt");
    (prompt.into_text(), codes)
}

#[track_caller]
fn changes_nothing(project: &Path, trust_file: Option<&Path>) {
    let expected = ("the user's own prompt".into(), vec![Code::ProjectPackUntrusted]);
    assert_eq!(load(project, Trust::IfTrusted, trust_file), expected);
}

/// A trust file, kept outside all projects, that trusts one folder.
fn trusting(folder: &Path) -> (TempDir, std::path::PathBuf) {
    let home = tempfile::tempdir().expect("a new folder");
    let file = home.path().join("trusted.json");
    promptweave::TrustStore::open(&file).trust(folder).expect("a trust file that can be written");
    (home, file)
}

#[test]
fn without_a_pack_there_is_nothing_to_tell() {
    let folder = tempfile::tempdir().unwrap();
    let (text, codes) = load(folder.path(), Trust::IfTrusted, None);
    assert_eq!((text.as_str(), codes.as_slice()), ("the user's own prompt", &[][..]));
}

#[test]
fn an_untrusted_pack_gives_one_warning() {
    changes_nothing(project().path(), None);
    let (_home, elsewhere) = trusting(project().path());
    changes_nothing(project().path(), Some(&elsewhere));
}

#[test]
fn a_trusted_pack_loads() {
    let project = project();
    let (_home, file) = trusting(project.path());
    let (text, codes) = load(project.path(), Trust::IfTrusted, Some(&file));
    assert!(text.contains("more of the project's"), "{text}");
    assert!(!codes.contains(&Code::ProjectPackUntrusted), "{codes:?}");
}

#[test]
fn broken_packs_are_not_even_read() {
    for files in [
        vec![("pack.toml", "format = 999\n")],
        vec![("pack.toml", "= = =")],
        vec![("generic.toml", "order = [\"role\"]\n")],
        vec![("pack.toml", pack::PACK), ("components/a b.toml", "\0")],
    ] {
        let folder = tempfile::tempdir().unwrap();
        pack::write_files(&folder.path().join(".promptweave"), &files);
        changes_nothing(folder.path(), None);
    }
}

#[test]
fn no_file_of_a_project_grants_trust() {
    let project = project();
    let root = project.path().to_str().unwrap();
    let lists = [
        ("trusted.json", format!("[{root:?}]")),
        ("trust.json", format!("{{\"trusted\": [{root:?}]}}")),
        ("trust.toml", format!("trusted = [{root:?}, \".\", \"*\"]\n")),
        ("trusted", format!("{root}\n.\n*\n/\n")),
        ("pack.toml", format!("{}trusted = true\n[trust]\nfolders = [{root:?}]\n", PROJECT[0].1)),
    ];
    for (name, text) in &lists {
        for folder in ["", ".promptweave", ".config/promptweave", ".local/share/promptweave"] {
            let path = project.path().join(folder).join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    changes_nothing(project.path(), None);
    let (_home, elsewhere) = trusting(tempfile::tempdir().unwrap().path());
    changes_nothing(project.path(), Some(&elsewhere));
}

#[test]
fn a_trusted_neighbour_does_not_help() {
    let trusted = project();
    let (_home, file) = trusting(trusted.path());
    let inside = trusted.path().join("vendored");
    pack::write_files(&inside.join(".promptweave"), PROJECT);
    changes_nothing(&inside, Some(&file));
    let (_home, file) = trusting(&inside);
    changes_nothing(trusted.path(), Some(&file));
}

#[cfg(unix)]
mod links {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_to_a_trusted_pack_is_no_trusted_pack() {
        let trusted = project();
        let (_home, file) = trusting(trusted.path());
        let folder = tempfile::tempdir().unwrap();
        symlink(trusted.path().join(".promptweave"), folder.path().join(".promptweave")).unwrap();
        changes_nothing(folder.path(), Some(&file));
    }

    #[test]
    fn a_project_that_is_moved_away_from_its_trusted_place_is_not_trusted() {
        let parent = tempfile::tempdir().unwrap();
        let (old, new) = (parent.path().join("old"), parent.path().join("new"));
        pack::write_files(&old.join(".promptweave"), PROJECT);
        let (_home, file) = trusting(&old);
        fs::rename(&old, &new).unwrap();
        changes_nothing(&new, Some(&file));
    }

    #[test]
    fn links_of_a_trusted_project_do_not_lead_out_of_it() {
        let secret = tempfile::tempdir().unwrap();
        fs::write(secret.path().join("role.toml"), "text = \"a secret\"\n").unwrap();
        let project = project();
        let role = project.path().join(".promptweave/components/role.toml");
        fs::remove_file(&role).unwrap();
        symlink(secret.path().join("role.toml"), &role).unwrap();
        fs::remove_file(project.path().join(".promptweave/patch.toml")).unwrap();
        let (_home, file) = trusting(project.path());
        let (text, codes) = load(project.path(), Trust::IfTrusted, Some(&file));
        assert!(!text.contains("secret"), "{text}");
        assert!(codes.contains(&Code::FileUnreadable), "{codes:?}");
    }

    #[test]
    fn a_link_as_the_project_stands_for_where_it_leads() {
        let trusted = project();
        let (_home, file) = trusting(trusted.path());
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink(trusted.path(), &link).unwrap();
        let (text, _) = load(&link, Trust::IfTrusted, Some(&file));
        assert!(text.contains("more of the project's"), "{text}");
    }
}
