//! `new plugin`: a plugin that builds, tests and loads as it is.

use std::collections::BTreeSet;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use promptweave::PackName;

use super::pack::{Ids, identifier};
use super::quote::toml_string;
use super::{NewFile, checked, write_all};
use crate::console::Console;
use crate::failure::Failure;
use crate::packs::PackFlags;

const EXAMPLES: &str = "\
Examples:
  promptweave new plugin acme-tickets
  promptweave new plugin acme-tickets --lang c --dir plugins/tickets
  promptweave new plugin acme-tickets --sdk ../promptweave/sdk";

/// The files of each language: the path in the new folder, and the text with names like `@NAME@`.
const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("plugin/rust/Cargo.toml.tmpl")),
    ("src/lib.rs", include_str!("plugin/rust/lib.rs.tmpl")),
    ("plugin.toml", include_str!("plugin/rust/plugin.toml.tmpl")),
    ("README.md", include_str!("plugin/rust/README.md.tmpl")),
    (".gitignore", include_str!("plugin/rust/gitignore.tmpl")),
];
const C: &[(&str, &str)] = &[
    ("@SOURCE@", include_str!("plugin/c/source.c.tmpl")),
    ("promptweave.h", include_str!("../../../../sdk/include/promptweave.h")),
    ("plugin.toml", include_str!("plugin/c/plugin.toml.tmpl")),
    ("README.md", include_str!("plugin/c/README.md.tmpl")),
    (".gitignore", include_str!("plugin/c/gitignore.tmpl")),
];
/// A pack that shows what the plugin does.
const TRY: &[(&str, &str)] = &[
    ("try/pack.toml", include_str!("plugin/try/pack.toml.tmpl")),
    ("try/generic.toml", include_str!("plugin/try/generic.toml.tmpl")),
    ("try/tests/first.toml", include_str!("plugin/try/first.toml.tmpl")),
    ("try/tests/first.snap.txt", include_str!("plugin/try/first.snap.txt.tmpl")),
];

/// Make a plugin with one component
///
/// It comes with a pack to try it with, and a README that names each step up to a release.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewPlugin {
    /// Its name
    name: String,
    /// The language of its code
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    lang: Language,
    /// Its folder; without it the name
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// For Rust: the folder `sdk` of a checkout to build with, instead of the published version
    #[arg(long, value_name = "DIR")]
    sdk: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Language {
    Rust,
    C,
}

impl NewPlugin {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        checked(PackName::new(&self.name))?;
        let engine = PackFlags::default().bare_engine()?;
        let taken = engine.registry().components.keys().map(ToString::to_string).collect();
        let names = Names::of(&self.name, taken);
        let stem = names.package.replace('-', "_");
        let library = format!("{DLL_PREFIX}{stem}{DLL_SUFFIX}");
        let (files, library) = match self.lang {
            Language::Rust => (RUST, format!("target/release/{library}")),
            Language::C => (C, library),
        };
        let source = format!("{stem}.c");
        let words = [
            ("@NAME@", &*self.name),
            ("@PACKAGE@", &*names.package),
            ("@COMPONENT@", &*names.component),
            ("@LIBRARY@", &*library),
            ("@SOURCE@", &*source),
            ("@SDK@", &*self.dependency("rust")?),
            ("@TESTKIT@", &*self.dependency("testkit")?),
        ];
        let new: Vec<NewFile> = files
            .iter()
            .chain(TRY)
            .map(|(path, text)| (filled(path, &words).into(), filled(text, &words)))
            .collect();
        let dir = self.dir.as_deref().unwrap_or(Path::new(&self.name));
        write_all(console, dir, &new)
    }

    /// Where Cargo finds a crate of the SDK.
    fn dependency(&self, folder: &str) -> Result<String, Failure> {
        let Some(sdk) = &self.sdk else {
            return Ok(toml_string(env!("CARGO_PKG_VERSION")));
        };
        let path = sdk.join(folder).canonicalize().map_err(|error| {
            let message = format!("`{}` is no SDK: {error}", sdk.display());
            Failure::input(message, "name the folder `sdk` of a checkout of promptweave")
        })?;
        Ok(format!("{{ path = {} }}", toml_string(&path.to_string_lossy())))
    }
}

/// What a plugin's parts are called.
struct Names {
    package: String,
    component: String,
}

impl Names {
    /// A component of an id that nobody else has changes no other prompt.
    fn of(name: &str, taken: BTreeSet<String>) -> Self {
        let plain = name.replace(['.', '_'], "-");
        let plain = plain.trim_end_matches('-');
        // One word may be a keyword, a crate of the language, or begin with a digit.
        let fits = plain.contains('-') && plain.starts_with(|first: char| first.is_alphabetic());
        let fits = fits && !plain.starts_with("promptweave");
        let package = if fits { plain.to_owned() } else { format!("plugin-{plain}") };
        let component = Ids::new(taken).of(&identifier(Some(name)));
        Self { package, component }
    }
}

fn filled(text: &str, words: &[(&str, &str)]) -> String {
    words.iter().fold(text.to_owned(), |text, (word, value)| text.replace(word, value))
}
