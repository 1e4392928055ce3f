//! What is found, what is trusted, what may be loaded.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use std::fs;
use std::path::PathBuf;

use common::compile;
use promptweave::{Code, Diagnostic, PackName, SourceFile};
use promptweave_loader::{
    Candidate, Content, Digest, Discovery, Grant, Isolation, Judge, Keys, LibraryFile, Listed,
    Lock, Manifest, NativePolicy, PackFiles, Part, Place, Policy, Require, Runs, Sources, State,
    Verdict, host_target, may_run_in_proc,
};
use tempfile::TempDir;

/// A folder for one test.
struct Tree(TempDir);

impl Tree {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(below)
    }

    fn write(&self, below: &str, text: &str) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A plugin without code.
    fn pack(&self, below: &str, name: &str) {
        self.write(&format!("{below}/plugin.toml"), &head(name));
        let pack = format!("format = 1\nname = \"{name}\"\nversion = \"1.0.0\"\n");
        self.write(&format!("{below}/pack.toml"), &pack);
        self.write(&format!("{below}/components/rules.md"), "Be brief.");
    }

    /// A plugin with the library of a source, listed with `sha256` or its own digest.
    fn native(&self, below: &str, source: &str, more: &str) -> Option<Digest> {
        let library = compile(source, &self.path(""))?;
        let bytes = fs::read(&library).unwrap();
        let digest = Digest::of(&bytes);
        fs::create_dir_all(self.path(below)).unwrap();
        fs::write(self.path(below).join("libacme.so"), bytes).unwrap();
        let target = host_target();
        let listed = format!("[library.{target}]\nfile = 'libacme.so'\nsha256 = '{digest}'\n");
        self.write(&format!("{below}/plugin.toml"), &format!("{}{listed}{more}", head("acme")));
        Some(digest)
    }

    fn named(&self, below: &str) -> Candidate {
        let sources = Sources { named: vec![self.path(below)], ..Sources::default() };
        Discovery::of(&sources).candidates.remove(0)
    }

    /// The same as one that nobody named.
    fn of_user(&self, below: &str) -> Candidate {
        Candidate { place: Place::User, ..self.named(below) }
    }

    fn lock(&self) -> Lock {
        Lock::open(self.path("data/plugins.lock"))
    }
}

fn head(name: &str) -> String {
    format!("[plugin]\nname = '{name}'\nversion = '1.2.0'\nabi = '1.0'\n")
}

fn codes(told: &[Diagnostic]) -> Vec<Code> {
    told.iter().map(|one| one.code).collect()
}

fn verdict(lock: &Lock, policy: Policy, candidate: &Candidate) -> Verdict {
    let keys = Keys::default();
    Judge { lock, policy: &policy, keys: &keys }.verdict(candidate)
}

#[test]
fn the_earlier_place_wins() {
    let tree = Tree::new();
    for (below, name) in [
        ("named", "a"),
        ("search/one", "a"),
        ("search/two", "b"),
        ("single", "c"),
        ("data/plugins/x", "b"),
        ("data/plugins/y", "d"),
        ("project/plugins/z", "d"),
        ("project/plugins/.hidden", "h"),
        ("pack/plugins/w", "e"),
    ] {
        tree.pack(below, name);
    }
    tree.write("data/plugins/no_manifest/readme.md", "");
    tree.write("data/plugins/readme.md", "");
    let path = std::env::join_paths([tree.path("search"), tree.path("single"), "relative".into()]);
    let found = Discovery::of(&Sources {
        named: vec![tree.path("named/plugin.toml")],
        search_path: Some(path.unwrap()),
        data: Some(tree.path("data")),
        project: Some(tree.path("project")),
        packs: vec![tree.path("pack"), tree.path("project"), tree.path("absent")],
    });
    let shown: Vec<_> =
        found.candidates.iter().map(|one| format!("{} {}", one.place, one.name)).collect();
    let wanted = ["named a", "search path b", "search path c", "user d", "pack e"];
    assert_eq!(shown, wanted);
    let codes = codes(&found.diagnostics);
    let count = |code| codes.iter().filter(|one| **one == code).count();
    assert_eq!(count(Code::ExtensionConflict), 3, "{:?}", found.diagnostics);
    assert_eq!(count(Code::PluginMissing), 1, "a relative path");
    assert_eq!(count(Code::PluginManifest), 1, "a folder without a manifest");
    assert!(found.diagnostics.iter().all(|one| one.help.is_some()));
}

#[test]
fn a_pack_is_pinned_by_all_its_files() {
    let tree = Tree::new();
    tree.pack("p", "acme");
    let mut lock = tree.lock();
    let candidate = tree.of_user("p");
    assert_eq!(lock.state(&candidate), State::Untrusted);
    let grant = Grant::of(&candidate, "2026-01-15").unwrap();
    lock.grant(grant.clone()).unwrap();
    assert_eq!(lock.state(&candidate), State::Trusted(grant.clone()));
    assert_eq!(tree.lock().state(&candidate), State::Trusted(grant.clone()), "as it was written");
    let files = PackFiles::read(&tree.path("p")).unwrap();
    assert_eq!(candidate.content, Content::Pack(files.sha256));
    assert_eq!(files.files["components/rules.md"], b"Be brief.");

    let what = |tree: &Tree| match tree.lock().state(&tree.of_user("p")) {
        State::Changed { what, .. } => what,
        State::Trusted(_) => Vec::new(),
        State::Untrusted => panic!("it is there"),
    };
    tree.write("p/plugin.toml.minisig", "says nothing of the files");
    tree.write("p/.git/HEAD", "nor does this");
    assert_eq!(what(&tree), []);
    tree.write("p/components/more.md", "");
    assert_eq!(what(&tree), [Part::Files]);
    fs::remove_file(tree.path("p/components/more.md")).unwrap();
    tree.write("p/plugin.toml", &(head("acme") + "# more"));
    assert_eq!(what(&tree), [Part::Files, Part::Manifest]);
    tree.write("p/plugin.toml", &head("acme"));
    fs::rename(tree.path("p/components/rules.md"), tree.path("p/components/rule.md")).unwrap();
    assert_eq!(what(&tree), [Part::Files]);

    assert_eq!(lock.revoke(&PackName::new("acme").unwrap()).unwrap(), [grant]);
    assert_eq!(tree.lock().state(&candidate), State::Untrusted);
}

#[test]
fn a_broken_lock_trusts_nothing_and_stays() {
    let tree = Tree::new();
    tree.pack("p", "acme");
    let candidate = tree.named("p");
    let grant = Grant::of(&candidate, "2026-01-15").unwrap();
    tree.lock().grant(grant.clone()).unwrap();
    let good = fs::read_to_string(tree.path("data/plugins.lock")).unwrap();
    for (from, to) in [
        ("format = 1", "format = 2"),
        ("format = 1", ""),
        ("isolation = \"process\"", "isolation = \"none\""),
        ("network = false", "network = false\nsudo = true"),
        ("sha256 = \"", "sha256 = \"x"),
        ("[[plugin]]", "[plugin]"),
        ("version", "]"),
    ] {
        assert!(good.contains(from), "{from}");
        let bad = good.replacen(from, to, 1);
        tree.write("data/plugins.lock", &bad);
        let mut lock = tree.lock();
        assert_eq!(lock.state(&candidate), State::Untrusted, "{to}");
        assert!(codes(lock.diagnostics()).contains(&Code::PluginUntrusted), "{to}");
        assert!(lock.grant(grant.clone()).is_err(), "{to}");
        assert_eq!(fs::read_to_string(tree.path("data/plugins.lock")).unwrap(), bad);
    }
}

#[cfg(unix)]
#[test]
fn no_grant_is_lost_between_writers() {
    let tree = Tree::new();
    tree.pack("p", "acme");
    let grant = Grant::of(&tree.named("p"), "").unwrap();
    let of = |name: String| Grant { name: PackName::new(&name).unwrap(), ..grant.clone() };
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (of, mut lock) = (&of, tree.lock());
            scope.spawn(move || {
                for round in 0..10 {
                    lock.grant(of(format!("p{writer}-{round}"))).unwrap();
                }
            });
        }
    });
    assert_eq!(tree.lock().grants().count(), 40);
}

#[cfg(unix)]
#[test]
fn the_lock_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let tree = Tree::new();
    tree.pack("p", "acme");
    tree.lock().grant(Grant::of(&tree.named("p"), "").unwrap()).unwrap();
    let mode = fs::metadata(tree.path("data/plugins.lock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    fs::set_permissions(tree.path("data/plugins.lock"), fs::Permissions::from_mode(0o666)).unwrap();
    let open = tree.lock();
    assert_eq!(open.state(&tree.named("p")), State::Untrusted, "others could have written it");
    assert_eq!(codes(open.diagnostics()), [Code::PluginUntrusted]);
    std::os::unix::fs::symlink("/etc/passwd", tree.path("p/link")).unwrap();
    let candidate = tree.named("p");
    assert!(candidate.is_refused(), "a link may lead to what changes unseen");
    assert_eq!(candidate.content, Content::Missing);
}

#[test]
fn who_may_load_what() {
    let tree = Tree::new();
    let Some(digest) = tree.native("p", "good.c", "") else { return };
    let candidate = tree.of_user("p");
    assert_eq!(candidate.diagnostics.len(), 0, "{:?}", candidate.diagnostics);
    assert_eq!(candidate.sha256(), Some(digest));
    let mut lock = tree.lock();
    let default = Policy::default();
    assert_eq!(verdict(&lock, default, &candidate), Verdict::Untrusted);
    let consent = verdict(&lock, default, &tree.named("p"));
    assert!(matches!(consent, Verdict::Load(_, Runs::Process)), "naming is consent: {consent:?}");
    let off = Policy { require: Require::Off, ..default };
    assert!(matches!(verdict(&lock, off, &candidate), Verdict::Load(_, Runs::Process)));
    for place in [Place::Project, Place::Pack] {
        let theirs = Candidate { place, ..candidate.clone() };
        assert_eq!(verdict(&lock, off, &theirs), Verdict::Untrusted, "{place}");
    }
    let grant = Grant { isolation: Isolation::InProc, ..Grant::of(&candidate, "").unwrap() };
    lock.grant(grant.clone()).unwrap();
    for (isolation, wanted) in [
        (NativePolicy::Process, Verdict::Load(grant.clone(), Runs::Process)),
        (NativePolicy::InProc, Verdict::Load(grant.clone(), Runs::InProc)),
        (NativePolicy::Off, Verdict::Off(grant)),
    ] {
        assert_eq!(verdict(&lock, Policy { isolation, ..default }, &candidate), wanted);
    }
    let signed = Policy { require: Require::LockAndSignature, ..default };
    assert_eq!(verdict(&lock, signed, &candidate), Verdict::Unsigned);

    let changed = Candidate { manifest_sha256: Some(Digest::of(b"")), ..candidate };
    assert_eq!(verdict(&lock, default, &changed), Verdict::Changed(vec![Part::Manifest]));
}

/// A plugin with a signed manifest; its library need not be there to be judged.
fn signed(manifest: &str) -> Candidate {
    let source = SourceFile::new("plugin.toml", manifest);
    let library = LibraryFile { path: "/lib.so".into(), sha256: Digest::of(b"abc") };
    Candidate {
        name: PackName::new("acme-signed").unwrap(),
        place: Place::User,
        path: "/plugin".into(),
        manifest: Manifest::parse(&source).0,
        manifest_sha256: Some(Digest::of(manifest.as_bytes())),
        content: Content::Library(library),
        object: None,
        signature: Some(include_str!("signed/plugin.toml.minisig").into()),
        diagnostics: Vec::new(),
    }
}

#[test]
fn a_signature_is_needed_where_the_policy_says_so() {
    let tree = Tree::new();
    let manifest = include_str!("signed/plugin.toml");
    let candidate = signed(manifest);
    let mut lock = tree.lock();
    let policy = Policy { require: Require::LockAndSignature, ..Policy::default() };
    let mut keys = Keys::default();
    let key = include_str!("signed/minisign.pub").lines().nth(1).unwrap();
    keys.pin("acme-", key).unwrap();
    let of = |lock: &Lock, keys: &Keys, candidate: &Candidate| {
        let judge = Judge { lock, policy: &policy, keys };
        (judge.verdict(candidate).as_str(), judge.signed(candidate).to_string())
    };
    let id = "0807060504030201".to_owned();
    assert_eq!(of(&lock, &keys, &candidate), ("untrusted", id.clone()), "it is no entry");
    lock.grant(Grant::of(&candidate, "").unwrap()).unwrap();
    assert_eq!(of(&lock, &keys, &candidate), ("trusted", id));
    assert_eq!(of(&lock, &Keys::default(), &candidate).0, "unsigned");
    let other = signed(&manifest.replace("1.0.0", "1.0.1"));
    lock.grant(Grant::of(&other, "").unwrap()).unwrap();
    let wrong = "a signature that is not of the pinned key".to_owned();
    assert_eq!(of(&lock, &keys, &other), ("unsigned", wrong));
    let named = Candidate { place: Place::Named, ..other };
    assert_eq!(of(&lock, &keys, &named).0, "unsigned", "naming does not stand for it");
}

#[test]
fn an_author_may_insist_on_a_process() {
    let tree = Tree::new();
    let more = "[run]\nisolation = 'process'\n[[matcher]]\nid = 'm'\n";
    if tree.native("p", "good.c", more).is_none() {
        return;
    }
    let candidate = tree.named("p");
    let mut lock = tree.lock();
    let grant = Grant::of(&candidate, "").unwrap();
    lock.grant(Grant { isolation: Isolation::InProc, ..grant }).unwrap();
    let policy = Policy { isolation: NativePolicy::InProc, ..Policy::default() };
    assert!(matches!(verdict(&lock, policy, &candidate), Verdict::Load(_, Runs::Process)));
    assert!(!may_run_in_proc(&candidate));
    compile("go.c", &tree.path("")).unwrap();
    assert!(!may_run_in_proc(&tree.named("libgo.so")), "a Go runtime");
    compile("foreign.c", &tree.path("")).unwrap();
    assert!(may_run_in_proc(&tree.named("libforeign.so")));
    let judge = Judge { lock: &lock, policy: &policy, keys: &Keys::default() };
    let listed = Listed::of(&candidate, &judge);
    assert_eq!((listed.state, listed.runs), ("trusted", Some(Runs::Process)));
    assert_eq!(listed.items.unwrap()[0].id, "m");
}

#[test]
fn a_library_that_stands_for_itself() {
    let tree = Tree::new();
    let Some(library) = compile("good.c", &tree.path("")) else { return };
    let candidate = tree.named(library.file_name().unwrap().to_str().unwrap());
    assert_eq!((candidate.name.as_str(), candidate.version()), ("acme", "1.2.0"), "embedded");
    assert_eq!(candidate.manifest_sha256, None);
    compile("foreign.c", &tree.path("")).unwrap();
    fs::rename(tree.path("libforeign.so"), tree.path("My Plugin.so")).unwrap();
    let candidate = tree.named("My Plugin.so");
    assert_eq!((candidate.name.as_str(), candidate.manifest.is_none()), ("my-plugin", true));
    assert!(!candidate.is_refused(), "{:?}", candidate.diagnostics);
    compile("broken_manifest.c", &tree.path("")).unwrap();
    assert!(tree.named("libbroken_manifest.so").is_refused());
}

#[test]
fn what_is_refused_before_it_is_loaded() {
    let tree = Tree::new();
    if tree.native("p", "good.c", "").is_none() {
        return;
    }
    let told = |below: &str| tree.named(below).diagnostics;
    let manifest = fs::read_to_string(tree.path("p/plugin.toml")).unwrap();
    let with = |from: &str, to: &str| {
        assert!(manifest.contains(from));
        tree.write("p/plugin.toml", &manifest.replace(from, to));
        codes(&told("p"))
    };
    assert_eq!(with("1.2.0", "1.3.0"), [Code::PluginRefused], "not what is embedded");
    assert_eq!(with("abi = '1.0'", "abi = '1.1'"), [Code::PluginRefused], "a newer host");
    assert_eq!(with("abi = '1.0'", "abi = '2.0'"), [Code::PluginRefused], "another host");
    assert_eq!(with(&host_target(), "z80-cpm"), [Code::PluginMissing]);
    assert_eq!(with("libacme.so", "other.so"), [Code::PluginMissing]);
    assert_eq!(with("sha256 = '", "sha256 = 'x"), [Code::PluginManifest]);
    tree.write("p/plugin.toml", &manifest);
    tree.write("p/libacme.so", "no library");
    assert_eq!(codes(&told("p")), [Code::PluginRefused, Code::PluginRefused]);
    for (source, wanted) in [("no_entry.c", 1), ("bad_link.c", 1), ("origin.c", 0)] {
        let library = compile(source, &tree.path("")).unwrap();
        let found = told(library.file_name().unwrap().to_str().unwrap());
        assert_eq!(found.len(), wanted, "{source}: {found:?}");
        assert!(found.iter().all(|one| one.code == Code::PluginRefused && one.help.is_some()));
    }
    assert_eq!(codes(&told("absent.so")), [Code::PluginMissing]);
    assert_eq!(codes(&told("")), [Code::PluginMissing], "a folder without a manifest");
    assert!(Grant::of(&tree.named("absent.so"), "").is_none());
    assert_eq!(verdict(&tree.lock(), Policy::default(), &tree.named("p")), Verdict::Refused);
}
