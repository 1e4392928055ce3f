//! `new override`: a variant's own wording of a component, begun with the text that it replaces.

use std::path::{Path, PathBuf};

use clap::Args;
use promptweave::{Body, CaseBody, ComponentId, Override, Variant};
use promptweave::{Registry, SourceText};
use sha2::{Digest, Sha256};

use super::quote::toml_string;
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

/// The text that an override replaces.
struct Wording<'r> {
    key: &'static str,
    source: &'r SourceText,
}

impl NewOverride {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        checked(ComponentId::new(&self.id))?;
        let dir = self.place.dir()?;
        let engine = self.place.packs.engine_of(&dir)?;
        console.tell(engine.diagnostics());
        let registry = engine.registry();
        let variant = registry.version(&self.variant);
        let variant = variant
            .ok_or_else(|| Failure::Usage(format!("there is no variant `{}`", self.variant)))?;
        let Wording { key, source } = self.wording(registry, variant)?;
        let own = own_file(&dir, variant);
        let head = match &own {
            Some(_) => format!("[override.{}]", self.id),
            None => format!(
                "[[patch]]\nvariants = [\"{}\"]\n\n[patch.override.{}]",
                variant.id, self.id
            ),
        };
        let addition = format!(
            "{head}\nbase_sha256 = \"{}\"\n{key} = {}\n",
            sha256(&source.text),
            toml_string(&source.text)
        );
        let path = own.unwrap_or_else(|| dir.join(PATCH_FILE));
        append(&path, &addition)?;
        written(console, std::iter::once(path))
    }

    /// The wording that holds now: the variant's own, else the component's.
    fn wording<'r>(
        &self,
        registry: &'r Registry,
        variant: &'r Variant,
    ) -> Result<Wording<'r>, Failure> {
        let id = self.id.as_str();
        let own = variant.overrides.get(id).and_then(own_wording);
        let component = || registry.components.get(id).map(|component| &component.body);
        let of_cases = "its text depends on cases; copy the one you mean by hand";
        let why = match (own, component()) {
            (Some(CaseBody::Template(template)), _) => {
                return Ok(Wording::template(template.source()));
            }
            (Some(CaseBody::Text(text)), _) => return Ok(Wording::text(text)),
            (None, Some(Body::Template(template))) => {
                return Ok(Wording::template(template.source()));
            }
            (None, Some(Body::Text(text))) => return Ok(Wording::text(text)),
            (None, Some(Body::Cases(_))) => of_cases,
            (None, Some(Body::Value(_))) => "it prints a value of the context",
            (None, Some(Body::From(_))) => "it is supplied by code",
            (None, None) => "it does not exist",
        };
        Err(Failure::Usage(format!("component `{id}` has no text to start from: {why}")))
    }
}

impl<'r> Wording<'r> {
    fn template(source: &'r SourceText) -> Self {
        Self { key: "template", source }
    }

    fn text(source: &'r SourceText) -> Self {
        Self { key: "text", source }
    }
}

fn own_wording(own: &Override) -> Option<&CaseBody> {
    own.body.as_ref().or_else(|| own.base.as_deref().and_then(own_wording))
}

/// The variant's file, when it is in this pack.
fn own_file(dir: &Path, variant: &Variant) -> Option<PathBuf> {
    let file = PathBuf::from(variant.origin.file_name()?);
    let same = file.parent()?.canonicalize().ok()? == dir.canonicalize().ok()?;
    same.then_some(file)
}

/// Adds tables to a file, unless they are there already.
fn append(path: &Path, addition: &str) -> Result<(), Failure> {
    let before = if path.exists() { files::read_exact(path)? } else { String::new() };
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
    files::write(path, &after)
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
