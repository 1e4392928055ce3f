//! `new override`: a variant's own wording of a component, begun with the text that it replaces.

use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{ComponentId, Registry, Variant};

use super::quote::toml_string;
use super::wording::Wording;
use super::{Place, checked, written};
use crate::console::Console;
use crate::failure::Failure;
use crate::files;

const EXAMPLES: &str = "\
Examples:
  promptweave new override editing --variant claude
  promptweave new override rules --variant acme@2 --into packs/acme";

const PATCH_FILE: &str = "patch.toml";

/// Give a variant its own wording of a component
///
/// The text that it replaces is copied, and its hash is written beside it: when the text changes,
/// `check` tells. A variant of this pack gets the wording in its own file, one of another pack by
/// `patch.toml`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct NewOverride {
    /// The component
    id: String,
    /// The variant; ID@VERSION for one that is not current
    #[arg(long, value_name = "ID")]
    variant: String,
    #[command(flatten)]
    place: Place,
}

impl NewOverride {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        checked(ComponentId::new(&self.id))?;
        let dir = self.place.dir()?;
        let engine = self.place.packs.bare_engine_of(&dir)?;
        console.tell(engine.diagnostics());
        let registry = engine.registry();
        let variant = registry.version(&self.variant);
        let variant = variant
            .ok_or_else(|| Failure::Usage(format!("there is no variant `{}`", self.variant)))?;
        let path = own_file(&dir, variant).unwrap_or_else(|| dir.join(PATCH_FILE));
        let now = variant.overrides.get(self.id.as_str());
        if now.and_then(|own| own.origin.file_name()).is_some_and(|name| Path::new(name) == path) {
            let message = format!("`{}` overrides `{}` already", path.display(), self.id);
            return Err(Failure::Usage(message));
        }
        append(&path, &self.table(registry, variant, path.ends_with(PATCH_FILE))?)?;
        written(console, std::iter::once(path))
    }

    /// The table that is written.
    fn table(
        &self,
        registry: &Registry,
        variant: &Variant,
        patches: bool,
    ) -> Result<String, Failure> {
        let (id, of) = (&self.id, &variant.id);
        let wording = Wording::of(registry, variant, id).map_err(|why| {
            Failure::Usage(format!("component `{id}` has no text to start from: {why}"))
        })?;
        let head = match patches {
            true => format!("[[patch]]\nvariants = [\"{of}\"]\n\n[patch.override.{id}]"),
            false => format!("[override.{id}]"),
        };
        // A patch changes all versions alike.
        let versions = registry.variants.get(of).into_iter();
        let mut versions = versions.flat_map(|versions| versions.by_number.values());
        let same = |version| Wording::of(registry, version, id).is_ok_and(|other| other == wording);
        let hash = match patches && !versions.all(|version| same(version)) {
            true => format!("# No `base_sha256`: the versions of `{of}` have different texts."),
            false => format!("base_sha256 = \"{}\"", wording.sha256),
        };
        Ok(format!("{head}\n{hash}\n{} = {}\n", wording.key, toml_string(&wording.text)))
    }
}

/// The variant's file, when it is in this pack.
fn own_file(dir: &Path, variant: &Variant) -> Option<PathBuf> {
    let file = PathBuf::from(variant.origin.file_name()?);
    let same = file.parent()?.canonicalize().ok()? == dir.canonicalize().ok()?;
    same.then_some(file)
}

/// Adds tables to a file, unless they are there already.
fn append(path: &Path, addition: &str) -> Result<(), Failure> {
    let before = if path.exists() { files::read_regular(path)? } else { String::new() };
    let apart = match before.as_bytes() {
        [] => "",
        [.., b'\n'] => "\n",
        _ => "\n\n",
    };
    let after = format!("{before}{apart}{addition}");
    if let Err(error) = after.parse::<toml::Table>() {
        let why = error.message();
        let message = format!("`{}` cannot take the override: {why}", path.display());
        return Err(Failure::Usage(message));
    }
    files::replace(path, &after)
}
