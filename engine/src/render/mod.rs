//! Puts the sections into the base template and tidies the result.
//!
//! In: a [`Moment`], its [`Sections`], those appended at the end, and what the request puts in their place. Out: [`Rendered`], the finished text with its pieces and marks.
//! Never: calls a component, reads anything outside the moment.

mod placeholders;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::build::{CACHE_BOUNDARY, Outcome, Sections, whole};
use crate::diagnostic::{Code, Diagnostic, Origin, SourceText};
use crate::error::Error;
use crate::model::{Step, TidyMode};
use crate::moment::{Layer, Moment, diagnose};
use crate::request::{Body, Given, Request};
use crate::template::{Missing, Template, TemplateError};
use crate::tidy::{self, Level};
use crate::trace::{CacheClass, MarkKind, PieceKind, Traced};

/// The placeholder that shows the date.
const CURRENT_DATE: &str = "CURRENT_DATE";

/// A finished text, and what its placeholders came from.
pub(crate) struct Rendered {
    pub(crate) traced: Traced,
    pub(crate) layers: BTreeMap<Arc<str>, Layer>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// What a text is made of.
#[derive(Clone, Copy)]
pub(crate) struct Ready<'a> {
    pub(crate) sections: &'a Sections,
    /// The sections at the very end.
    pub(crate) ending: &'a Sections,
    pub(crate) request: &'a Request<'a>,
}

/// Renders and tidies.
///
/// # Errors
/// `placeholder-missing` when the variant says `missing = "error"`.
#[tracing::instrument(level = "debug", skip_all, fields(variant = %moment.world.variant.id))]
pub(crate) fn render(moment: &Moment<'_>, parts: &Ready<'_>) -> Result<Rendered, Error> {
    let (mut diagnostics, variant) = (Vec::new(), moment.world.variant);
    let Ready { sections, ending, request } = parts;
    let (mut traced, layers) = match &request.body {
        Body::Text(given) => (value(moment, given), BTreeMap::new()),
        Body::Minimal(line) => template(moment, sections, Some(line), &mut diagnostics)?,
        Body::Sections => fill(moment, sections, &mut diagnostics)?,
    };
    request.append.iter().for_each(|given| append(&mut traced, moment, given));
    join(&mut traced, moment, ending, &variant.system_context);
    request.breaker.iter().for_each(|given| append(&mut traced, moment, given));
    let mut traced = match (variant.tidy, &request.body) {
        (TidyMode::Structural, _) => tidy::structural(traced, Level::Base),
        // Classic tidying would change a text that the host wrote as a whole.
        (TidyMode::Classic, Body::Sections | Body::Minimal(_)) => tidy::classic(traced),
        (TidyMode::Classic, Body::Text(_)) | (TidyMode::Off, _) => traced,
    };
    traced.drop_empty_pieces();
    diagnostics.extend(broken_boundary(&traced));
    Ok(Rendered { traced, layers, diagnostics })
}

/// The sections in the base template; in order when there is none, or when it cannot be used.
fn fill(
    moment: &Moment<'_>,
    sections: &Sections,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Traced, BTreeMap<Arc<str>, Layer>), Error> {
    template(moment, sections, moment.world.variant.template.as_deref(), diagnostics)
}

/// The same for a template that stands in the place of the base template.
fn template(
    moment: &Moment<'_>,
    sections: &Sections,
    template: Option<&Template>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Traced, BTreeMap<Arc<str>, Layer>), Error> {
    let variant = moment.world.variant;
    let scope = placeholders::BaseScope::new(moment, sections);
    let layers = scope.layers(template);
    let Some(template) = template else {
        return Ok((joined(moment, sections, &variant.order), layers));
    };
    match template.evaluate(&scope, variant.missing) {
        Ok(evaluated) => {
            let whose = format!("variant `{}`", variant.id);
            diagnostics.extend(evaluated.issues.iter().map(|issue| diagnose(&whose, issue)));
            let date = template.paths().any(|path| path == CURRENT_DATE);
            if date && layers.get(CURRENT_DATE) == Some(&Layer::Empty) {
                diagnostics.push(no_date(template));
            }
            Ok((evaluated.traced, layers))
        }
        Err(error)
            if variant.missing == Missing::Error && error.code == Code::PlaceholderMissing =>
        {
            Err(error.diagnostic().into())
        }
        Err(error) => {
            diagnostics.push(broken_template(moment, &error));
            Ok((joined(moment, sections, &variant.order), layers))
        }
    }
}

/// A text of the host as it stands.
fn value(moment: &Moment<'_>, given: &Given<'_>) -> Traced {
    // The path stands for the tag that prints the text.
    let source = SourceText::new(&*given.path, Origin::Context(given.path.as_str().into()));
    let class = moment.world.class_of_path(&given.path);
    whole(&source, given.text, class, PieceKind::Value, Some(&given.path))
}

/// Appends a text of the host, behind the variant's separator.
fn append(all: &mut Traced, moment: &Moment<'_>, given: &Given<'_>) {
    let class = moment.world.class_of_path(&given.path);
    if class > CacheClass::Static {
        let origin = Origin::Context(given.path.as_str().into());
        all.mark(MarkKind::Hinge, class, &given.path, &origin);
    }
    let separator = if all.text.is_empty() { "" } else { &*moment.world.variant.separator };
    all.append(separator, &value(moment, given));
}

/// What the base template alone evaluates to.
pub(crate) fn fill_traced(moment: &Moment<'_>, sections: &Sections) -> Option<Traced> {
    let variant = moment.world.variant;
    let scope = placeholders::BaseScope::new(moment, sections);
    let evaluated = variant.template.as_ref()?.evaluate(&scope, variant.missing).ok()?;
    Some(evaluated.traced)
}

/// Its text alone, without the cost of knowing where it comes from.
pub(crate) fn fill_text(moment: &Moment<'_>, sections: &Sections) -> Option<String> {
    let variant = moment.world.variant;
    let scope = placeholders::BaseScope::new(moment, sections);
    variant.template.as_ref()?.evaluate_text(&scope, variant.missing).ok()
}

fn broken_template(moment: &Moment<'_>, error: &TemplateError) -> Diagnostic {
    let mut diagnostic = error.diagnostic();
    diagnostic.message = format!(
        "the template of variant `{}` cannot be used, so its sections are joined in order: {}",
        moment.world.variant.id, diagnostic.message
    );
    let help = || "mend the template; `promptweave check` parses them all".into();
    diagnostic.help.get_or_insert_with(help);
    diagnostic
}

/// The date comes from the host alone; without one the name is empty, like every known name.
fn no_date(template: &Template) -> Diagnostic {
    let at = template.references().iter().find(|one| &*one.name == CURRENT_DATE);
    let origin = at.map(|one| template.source().origin_of(one.range.clone()));
    let message = "the template prints the date, which the host did not give";
    Diagnostic::new(Code::ClockMissing, message, origin.unwrap_or_default())
        .help("give `date` in the context")
}

/// Appends the sections in order, with the variant's separator between those that are there.
///
/// A separator comes and goes with the section behind it, so it stands behind that section's hinge.
pub(crate) fn join(all: &mut Traced, moment: &Moment<'_>, sections: &Sections, steps: &[Step]) {
    for step in steps {
        if step.id.as_str() == CACHE_BOUNDARY {
            all.mark(MarkKind::Boundary, CacheClass::Static, "", &step.origin);
            continue;
        }
        let Some(built) = sections.get(step.id.as_str()) else { continue };
        if built.presence > CacheClass::Static {
            let cause = built.cause.as_deref().unwrap_or(step.id.as_str());
            all.mark(MarkKind::Hinge, built.presence, cause, &built.origin);
        }
        if let Outcome::Section { traced, .. } = &built.outcome {
            let separator = if all.text.is_empty() { "" } else { &*moment.world.variant.separator };
            all.append(separator, traced);
        }
    }
}

/// The sections alone, in order.
pub(crate) fn joined(moment: &Moment<'_>, sections: &Sections, steps: &[Step]) -> Traced {
    let mut all = Traced::default();
    join(&mut all, moment, sections, steps);
    all
}

/// What stands before the first boundary and is not static: the first hinge there.
fn broken_boundary(traced: &Traced) -> Option<Diagnostic> {
    let boundary = traced.marks.iter().position(|mark| mark.kind == MarkKind::Boundary)?;
    let before = &traced.marks[..boundary];
    let hinge = before.iter().find(|mark| mark.kind == MarkKind::Hinge)?;
    let lost = traced.marks[boundary].at.saturating_sub(hinge.at);
    let cause = traced.causes.get(hinge.cause as usize).map_or("something", |cause| cause);
    let site = hinge.site as usize;
    let source = traced.sources.get(hinge.source as usize);
    let origin = source.map(|source| source.text.origin_of(site..site)).unwrap_or_default();
    let message = format!(
        "`{cause}` is {} and stands before the cache boundary; {lost} bytes behind it are not static",
        hinge.class
    );
    let diagnostic = Diagnostic::new(Code::BoundaryBroken, message, origin);
    Some(diagnostic.help("move it behind the boundary, or move the boundary up"))
}
