//! The text that a new override stands on.
//!
//! In: a variant and a component's id. Out: a text that prints what is printed now, and the digest that
//! the loader compares. Never: writes a file.

use promptweave::{Body, CaseBody, Override, Registry, SourceText, Variant};
use sha2::{Digest, Sha256};

/// How a template prints what it stands on.
const BASE: [&str; 2] = ["{{base}}", "{{ base }}"];

/// The text that a new override stands on.
#[derive(PartialEq, Eq)]
pub(super) struct Wording {
    /// `template` or `text`.
    pub(super) key: &'static str,
    /// A text that prints the same in its place; what `{{base}}` printed there stands in it.
    pub(super) text: String,
    /// Of the text as it is written.
    pub(super) sha256: String,
}

/// One text of several that stand on each other.
#[derive(Clone, Copy)]
enum Level<'r> {
    Template(&'r SourceText),
    Text(&'r SourceText),
    /// No text, and why.
    Other(&'static str),
}

impl Wording {
    /// The wording that holds now: the variant's own, else the component's.
    ///
    /// # Errors
    /// Says why there is no text to start from.
    pub(super) fn of(
        registry: &Registry,
        variant: &Variant,
        id: &str,
    ) -> Result<Self, &'static str> {
        let levels = levels(registry, variant, id);
        let (key, source) = match levels.first() {
            Some(Level::Template(source)) => ("template", source),
            Some(Level::Text(source)) => ("text", source),
            Some(Level::Other(why)) => return Err(why),
            None => return Err("it does not exist"),
        };
        let digest = Sha256::digest(&*source.text);
        let sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { key, text: whole(&levels)?, sha256 })
    }
}

/// The texts below a new override, nearest first.
fn levels<'r>(registry: &'r Registry, variant: &'r Variant, id: &str) -> Vec<Level<'r>> {
    let own = std::iter::successors(variant.overrides.get(id), |own| own.base.as_deref());
    let own = own.filter_map(|own: &Override| own.body.as_ref()).map(|body| match body {
        CaseBody::Template(template) => Level::Template(template.source()),
        CaseBody::Text(text) => Level::Text(text),
    });
    let component = registry.components.get(id).map(AsRef::as_ref);
    let components = std::iter::successors(component, |component| component.base.as_deref());
    let components = components.map(|component| match &component.body {
        Body::Template(template) => Level::Template(template.source()),
        Body::Text(text) => Level::Text(text),
        Body::Value(_) => Level::Other("it prints a value of the context"),
        Body::From(_) => Level::Other("it is supplied by code"),
        Body::Cases(_) => Level::Other("its text depends on cases; copy the one you mean by hand"),
    });
    own.chain(components).collect()
}

/// The text of the first level, with those below in the place of `{{base}}`.
fn whole(levels: &[Level<'_>]) -> Result<String, &'static str> {
    match levels {
        [Level::Template(source), below @ ..] => {
            let Some(tag) = BASE.into_iter().find(|tag| source.text.contains(tag)) else {
                return Ok(source.text.to_string());
            };
            if let [Level::Text(literal), ..] = below
                && literal.text.contains("{{")
            {
                return Err("it stands on a literal text with braces; copy it by hand");
            }
            Ok(source.text.replace(tag, &whole(below)?))
        }
        [Level::Text(source), ..] => Ok(source.text.to_string()),
        [Level::Other(why), ..] => Err(why),
        [] => Ok(String::new()),
    }
}
