//! The parts of the result as JSON.
//!
//! In: what a prompt holds. Out: the same as it is shown, the keys in order. Never: copies a text.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;

use super::{Prompt, Section};
use crate::blocks::Block;
use crate::diagnostic::Origin;
use crate::model::Skipped;
use crate::select::Asked;

/// Thousandths of a millisecond are enough.
pub(crate) fn milliseconds(took: Duration) -> f64 {
    (took.as_secs_f64() * 1e6).round() / 1e3
}

#[derive(Serialize)]
pub(super) struct BlockShape<'p> {
    scope: &'static str,
    text: &'p str,
}

impl<'p> From<Block<'p>> for BlockShape<'p> {
    fn from(block: Block<'p>) -> Self {
        Self { scope: block.scope.as_str(), text: block.text }
    }
}

#[derive(Serialize)]
pub(super) struct VariantShape<'p> {
    family: &'p str,
    id: &'p str,
    level: &'static str,
    version: u32,
    why: &'p str,
}

impl<'p> From<&'p Prompt> for VariantShape<'p> {
    fn from(prompt: &'p Prompt) -> Self {
        let variant = prompt.variant();
        Self {
            family: &variant.family,
            id: variant.id.as_str(),
            level: prompt.level().as_str(),
            version: variant.version,
            why: prompt.why(),
        }
    }
}

/// A step of the walk.
#[derive(Serialize)]
pub(super) struct StepShape<'p> {
    detail: &'p str,
    id: &'p str,
    matched: bool,
    reason: &'static str,
}

impl<'p> From<&'p Asked> for StepShape<'p> {
    fn from(asked: &'p Asked) -> Self {
        let Asked { variant, matched, reason, detail } = asked;
        Self { detail, id: variant.id.as_str(), matched: *matched, reason }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum SectionShape<'p> {
    Included(IncludedShape<'p>),
    Skipped(&'p Skipped),
}

#[derive(Serialize)]
pub(super) struct IncludedShape<'p> {
    bytes: usize,
    cache: &'static str,
    end: usize,
    id: &'p str,
    ms: f64,
    origin: &'p Origin,
    start: usize,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<usize>,
}

impl<'p> SectionShape<'p> {
    /// A section that is there, at this place in the unit that was asked for, perhaps with its text and its tokens.
    pub(super) fn included(
        section: &'p Section,
        place: Range<usize>,
        (text, tokens): (Option<&'p str>, Option<usize>),
    ) -> Self {
        Self::Included(IncludedShape {
            bytes: section.range.len(),
            cache: section.class.as_str(),
            end: place.end,
            id: &section.id,
            ms: milliseconds(section.took),
            origin: &section.origin,
            start: place.start,
            state: "included",
            text,
            tokens,
        })
    }
}
