//! The text in layers: sections, texts of the request, and what stands between them.
//!
//! In: a finished prompt. Out: [`TextLayer`]s in text order; joined they are the text.
//! Never: renders anything, or leaves out a byte.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::Prompt;
use crate::diagnostic::Origin;
use crate::trace::{CacheClass, Piece, PieceKind};

/// What a layer between sections is called: no component can have that name.
const BETWEEN: &str = "(between)";

/// A run of the text that one thing wrote.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TextLayer {
    /// What wrote it.
    pub kind: TextLayerKind,
    /// The section's id, the path of the request's text, or `(between)`.
    pub name: Arc<str>,
    /// Where the component, or the first byte of what stands between, is defined.
    pub origin: Origin,
    /// Its widest class.
    pub class: CacheClass,
    /// Where it stands; its content is exactly this part of the text.
    pub range: Range<usize>,
    /// How long its component took; zero for what is no section, and where a section stands again.
    pub took: Duration,
}

/// What wrote a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextLayerKind {
    /// A component.
    Section,
    /// The request: a text that stands instead of or behind the variant's.
    Request,
    /// The base template with its own placeholders, separators, tidying between sections.
    Between,
}

/// Pieces in a row with one owner.
struct Run {
    owner: Owner,
    class: CacheClass,
    range: Range<usize>,
    /// None where tidying alone wrote it.
    origin: Option<Origin>,
}

#[derive(PartialEq)]
enum Owner {
    Section(Arc<str>),
    Request(Arc<str>),
    Between,
}

/// The layers of a prompt.
pub(super) fn layers(prompt: &Prompt) -> Vec<TextLayer> {
    let mut layers: Vec<TextLayer> = Vec::new();
    for run in runs(prompt) {
        let layer = layer(prompt, run, &layers);
        layers.push(layer);
    }
    layers
}

/// What tidying puts inside a section is the section's; elsewhere it stands between.
fn runs(prompt: &Prompt) -> Vec<Run> {
    let (mut runs, mut tidied, mut start) = (Vec::<Run>::new(), None::<Run>, 0);
    for piece in &prompt.traced.pieces {
        let range = start..piece.end as usize;
        start = range.end;
        let (owner, class) = (owner(prompt, piece), piece.class);
        let origin = owner.as_ref().map(|_| prompt.origin(piece.source, piece.at as usize, 0));
        let is_tidying = owner.is_none();
        let run = Run { owner: owner.unwrap_or(Owner::Between), class, range, origin };
        if is_tidying {
            join(tidied.get_or_insert(run), start, class);
            continue;
        }
        match (runs.last_mut(), tidied.take()) {
            (Some(last), between) if last.owner == run.owner => {
                let class = between.map_or(class, |between| class.max(between.class));
                join(last, start, class);
            }
            (_, between) => {
                between.into_iter().chain([run]).for_each(|run| push(&mut runs, run));
            }
        }
    }
    tidied.into_iter().for_each(|run| push(&mut runs, run));
    runs
}

fn join(run: &mut Run, end: usize, class: CacheClass) {
    run.range.end = end;
    run.class = run.class.max(class);
}

/// Adds a run, to the last one where both stand between.
fn push(runs: &mut Vec<Run>, run: Run) {
    match runs.last_mut() {
        Some(last) if last.owner == run.owner => {
            join(last, run.range.end, run.class);
            last.origin = last.origin.take().or(run.origin);
        }
        _ => runs.push(run),
    }
}

/// None for what tidying wrote, and for separators.
fn owner(prompt: &Prompt, piece: &Piece) -> Option<Owner> {
    let source = prompt.traced.sources.get(piece.source as usize);
    let source = source.filter(|_| piece.kind != PieceKind::Tidy)?;
    Some(match (&source.section, &source.text.origin) {
        (Some(section), _) => Owner::Section(Arc::clone(section)),
        (None, Origin::Context(path)) => Owner::Request(Arc::clone(path)),
        (None, _) => Owner::Between,
    })
}

fn layer(prompt: &Prompt, run: Run, before: &[TextLayer]) -> TextLayer {
    let Run { owner, class, range, origin } = run;
    let took = Duration::ZERO;
    let origin = origin.unwrap_or_else(|| prompt.variant().origin.clone());
    match owner {
        Owner::Between => {
            let (kind, name) = (TextLayerKind::Between, BETWEEN.into());
            TextLayer { kind, name, origin, class, range, took }
        }
        Owner::Request(name) => {
            TextLayer { kind: TextLayerKind::Request, name, origin, class, range, took }
        }
        Owner::Section(name) => {
            let kind = TextLayerKind::Section;
            let is_again = before.iter().any(|one| one.kind == kind && one.name == name);
            let section = prompt.sections.iter().find(|section| section.id == name);
            let (origin, class, took) = section.map_or((origin, class, took), |section| {
                (section.origin.clone(), section.class.max(class), section.took)
            });
            let took = if is_again { Duration::ZERO } else { took };
            TextLayer { kind, name, origin, class, range, took }
        }
    }
}
