//! One folder of fixtures for each code: every folder in it is a layer.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::*;

/// Every code that loading gives.
const OWN: &[Code] = &[
    Code::FileUnreadable,
    Code::FileNotUtf8,
    Code::FileTooLarge,
    Code::FileUnexpected,
    Code::PackMissing,
    Code::FormatUnsupported,
    Code::TomlSyntax,
    Code::UnknownKey,
    Code::WrongType,
    Code::InvalidId,
    Code::InvalidValue,
    Code::VersionMismatch,
    Code::DuplicateId,
    Code::ConflictingKeys,
    Code::ExtendsUnknown,
    Code::ExtendsCycle,
    Code::LabelUnknown,
    Code::PatchTarget,
    Code::OverrideUnused,
    Code::OverrideDrift,
    Code::ComponentUnknown,
    Code::ToolUnknown,
    Code::PatternSyntax,
    Code::ProjectPackUntrusted,
];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/diagnostics")
}

/// What loading a fixture tells.
fn run(code: Code, fixture: &Path) -> Vec<Diagnostic> {
    let mut folders: Vec<PathBuf> =
        fs::read_dir(fixture).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    folders.sort();
    let mut told = Vec::new();
    let mut layers = Vec::new();
    for folder in folders {
        let source = match folder.file_name().and_then(|name| name.to_str()) {
            Some("project") => {
                let (source, refused) = project(&folder, Trust::IfTrusted, None);
                told.extend(refused);
                source
            }
            _ => Some(DirSource::new(folder)),
        };
        layers.extend(source.map(|source| Layer {
            source: Arc::new(source),
            kind: LayerKind::Pack,
            components: Vec::new(),
        }));
    }
    told.extend(load(&layers).1);
    assert!(told.iter().any(|one| one.code == code), "no `{}` in {told:#?}", code.as_str());
    told
}

/// `severity[code] file:line:column: message`, and the help below it.
fn shown(told: &[Diagnostic], root: &Path) -> String {
    let mut text = String::new();
    for diagnostic in told {
        let _ = writeln!(text, "{diagnostic}");
        let help = diagnostic.help.as_deref().expect("every diagnostic says what to do");
        let _ = writeln!(text, "  {help}");
    }
    let root = format!("{}/", root.display());
    text.replace(&root, "")
}

#[cfg(unix)]
/// Copies a fixture, and adds what a checkout cannot hold.
fn with_broken_files(code: Code, fixture: &Path) -> PathBuf {
    let copy = temporary(code.as_str());
    for name in ["pack.toml", "generic.toml"] {
        write(&copy.join("pack").join(name), fs::read(fixture.join("pack").join(name)).unwrap());
    }
    let pack = copy.join("pack");
    match code {
        Code::FileNotUtf8 => {
            write(&pack.join("components/latin.toml"), b"text = \"a\"\nwhen = \"caf\xe9\"\n");
            write(&pack.join("components/zero.md"), b"a\nb\0c\n");
        }
        Code::FileTooLarge => write(&pack.join("big.toml"), vec![b'#'; 4 * 1024 * 1024 + 1]),
        _ => unreadable(&pack),
    }
    copy
}

#[cfg(unix)]
/// A link to nothing and a pipe, neither of which may stop the loader.
fn unreadable(pack: &Path) {
    use std::os::unix::fs::symlink;
    fs::create_dir_all(pack.join("components")).unwrap();
    symlink("nothing.toml", pack.join("components/link.toml")).unwrap();
    let pipe = pack.join("components/pipe.toml");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn each_code_has_a_fixture() {
    for &code in OWN {
        let fixture = fixtures().join(code.as_str());
        assert!(fixture.is_dir(), "write {}", fixture.display());
        let is_made = matches!(code, Code::FileUnreadable | Code::FileNotUtf8 | Code::FileTooLarge);
        let folder = if is_made { with_broken_files(code, &fixture) } else { fixture.clone() };
        let told = run(code, &folder);
        let mut settings = insta::Settings::clone_current();
        settings.set_snapshot_path(&fixture);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.bind(|| insta::assert_snapshot!("expected", shown(&told, &folder)));
        if is_made {
            fs::remove_dir_all(folder).unwrap();
        }
    }
}

#[test]
fn fixtures_are_named_after_codes() {
    let codes: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    for entry in fs::read_dir(fixtures()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(codes.contains(name.as_str()), "`{name}` is no code");
    }
}

#[test]
fn a_severity_is_never_lost() {
    for &code in OWN {
        let fixture = fixtures().join(code.as_str());
        let is_made = matches!(code, Code::FileUnreadable | Code::FileNotUtf8 | Code::FileTooLarge);
        if !is_made {
            let told = run(code, &fixture);
            let own: Vec<Severity> =
                told.iter().filter(|one| one.code == code).map(|one| one.severity).collect();
            assert!(own.iter().all(|&severity| severity == code.severity()));
        }
    }
}
