//! `plugin seal`: makes the folder that is published: the libraries, and a manifest that holds their digests.
//!
//! In: a manifest, a library. Out: files. Never: runs the library; touches what the author wrote.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Severity, SourceFile};
use promptweave_loader::{
    Digest, LibraryEntry, MANIFEST_FILE, MAX_LIBRARY_BYTES, Manifest, ObjectFacts, SIGNATURE_FILE,
    Sources,
};
use promptweave_testkit::SETTINGS_FILE;
use serde_json::json;

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use crate::plugins::Plugins;

const EXAMPLES: &str = "\
Examples:
  promptweave plugin seal . --library target/release/libacme_tickets.so
  promptweave plugin seal . --library build/libacme_tickets.so --into release";

/// Make the folder to publish: the library, and a manifest that holds its digest
///
/// Libraries for other targets that are there already stay, if they are of the same version. What the author
/// says of checks, `validate.toml`, goes along. The manifest is signed afterwards:
/// `minisign -Sm dist/plugin.toml`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PluginSeal {
    /// The folder with the author's `plugin.toml`, which holds no digests
    #[arg(value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// The library, for any target
    #[arg(long, value_name = "FILE")]
    library: PathBuf,
    /// The folder to publish; without it `dist` in DIR
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
}

/// A library that goes in.
struct Library {
    bytes: Vec<u8>,
    facts: ObjectFacts,
    name: String,
}

impl PluginSeal {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let source = self.dir.join(MANIFEST_FILE);
        let text = files::read_regular(&source)?;
        let manifest = parse(console, &source, &text)?;
        if !manifest.libraries.is_empty() {
            let message = format!("`{}` holds digests already", source.display());
            let help = "remove its tables `[library.…]`; sealing writes them into another folder";
            return Err(Failure::input(message, help));
        }
        let library = Library::read(&self.library)?;
        library.belongs_to(console, &manifest)?;
        let into = self.into.clone().unwrap_or_else(|| self.dir.join("dist"));
        let into = into.strip_prefix(".").unwrap_or(&into);
        let sealed = into.join(MANIFEST_FILE);
        let others = kept(console, &sealed, &manifest, &library.facts.target)?;
        let file = format!("{}/{}", library.facts.target, library.name);
        let own = table(&library.facts.target, &file, Digest::of(&library.bytes));
        write(&into.join(&file), &library.bytes)?;
        let settings = self.dir.join(SETTINGS_FILE);
        if settings.exists() {
            files::replace(&into.join(SETTINGS_FILE), &files::read_regular(&settings)?)?;
        }
        files::replace(&sealed, &format!("{}\n{}", text.trim_end(), [others, own].concat()))?;
        if into.join(SIGNATURE_FILE).exists() {
            console.say("the signature is of the manifest before: sign it again\n");
        }
        done(console, into, &into.join(file), &sealed)
    }
}

impl Library {
    fn read(path: &Path) -> Result<Self, Failure> {
        let unusable = |why: String| {
            let message = format!("`{}` cannot be sealed: {why}", path.display());
            Failure::input(message, "build the plugin as a shared library")
        };
        let regular = fs::metadata(path).is_ok_and(|file| file.len() <= MAX_LIBRARY_BYTES);
        if !regular {
            return Err(unusable(format!("it is no file of at most {MAX_LIBRARY_BYTES} bytes")));
        }
        let bytes = fs::read(path).map_err(|error| unusable(error.to_string()))?;
        let facts = ObjectFacts::read(&bytes).map_err(|error| unusable(error.to_string()))?;
        if facts.entries.is_empty() {
            return Err(unusable("it exports no `weave_plugin_entry_v1`".into()));
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { bytes, facts, name })
    }

    /// What is embedded is what the manifest says, at least in its name and version.
    fn belongs_to(&self, console: &Console, manifest: &Manifest) -> Result<(), Failure> {
        let Some(text) = &self.facts.manifest else { return Ok(()) };
        let embedded = parse(console, Path::new(&format!("{} (embedded)", self.name)), text)?;
        let of = |manifest: &Manifest| format!("`{}` {}", manifest.name, manifest.version);
        if of(&embedded) == of(manifest) {
            return Ok(());
        }
        let message =
            format!("the library is of {}, the manifest of {}", of(&embedded), of(manifest));
        Err(Failure::input(message, "build the library again, or mend the manifest"))
    }
}

/// A manifest without errors; whatever is wrong is told.
fn parse(console: &Console, path: &Path, text: &str) -> Result<Manifest, Failure> {
    let (manifest, told) = Manifest::parse(&SourceFile::new(path.display().to_string(), text));
    console.tell(&told);
    let sound = told.iter().all(|one| one.severity != Severity::Error);
    manifest.filter(|_| sound).ok_or(Failure::Check)
}

/// The tables of the libraries that are there already, for other targets and of the same version.
fn kept(
    console: &Console,
    sealed: &Path,
    manifest: &Manifest,
    target: &str,
) -> Result<String, Failure> {
    if !sealed.exists() {
        return Ok(String::new());
    }
    let before = parse(console, sealed, &files::read_regular(sealed)?)?;
    if before.name != manifest.name || before.version != manifest.version {
        return Ok(String::new());
    }
    let others = before.libraries.iter().filter(|(other, _)| &***other != target);
    let others =
        others.map(|(other, LibraryEntry { file, sha256, .. })| table(other, file, *sha256));
    Ok(others.collect())
}

fn table(target: &str, file: &str, sha256: Digest) -> String {
    let file = toml::Value::from(file);
    format!("\n[library.{target}]\nfile = {file}\nsha256 = \"{sha256}\"\n")
}

/// A library is replaced as a whole: one that is in use stays as it is.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let new = path.with_extension("new");
    let folder = path.parent().unwrap_or(Path::new("."));
    let written = fs::create_dir_all(folder)
        .and_then(|()| fs::write(&new, bytes))
        .and_then(|()| fs::rename(&new, path));
    written.map_err(|error| {
        let message = format!("`{}` cannot be written: {error}", path.display());
        Failure::input(message, "look at the folder's permissions")
    })
}

/// Looks at the folder as a host would, and prints what was written.
fn done(console: &Console, into: &Path, library: &Path, sealed: &Path) -> Result<(), Failure> {
    let plugins = Plugins::at(&Sources { named: vec![into.to_owned()], ..Sources::default() });
    let found: Vec<_> =
        plugins.discovery.candidates.iter().flat_map(|one| &one.diagnostics).collect();
    console.tell(found.iter().copied());
    let paths = [library, sealed].map(|path| path.display().to_string());
    if console.json {
        console.out_json(&json!(paths))?;
    } else {
        console.out(paths.map(|path| format!("{path}\n")).concat())?;
    }
    let refused = found.iter().any(|one| one.severity == Severity::Error);
    if refused { Err(Failure::Check) } else { Ok(()) }
}
