//! What lies between a request and the one before it.
//!
//! In: two [`Turn`]s. Out: a [`CacheStep`]. Never: builds a prompt, but to learn which context keys it reads.

use std::sync::Arc;

use super::cause::{self, Asked, Cause};
use super::turn::{Part, Turn};
use crate::diagnostic::{Diagnostic, Origin};
use crate::facts::Marks;
use crate::prompt::{Hinge, Span, TokenMethod};

/// One request beside the one before it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CacheStep {
    /// The request's number, from 0.
    pub request: usize,
    /// The model's id; empty when the context has none.
    pub model: Arc<str>,
    /// What both requests begin with; none for the first.
    pub common: Option<CommonPrefix>,
    /// What broke the prefix; none when the request is the same, and for the first.
    pub broken: Option<CacheBreak>,
    /// How its tokens are billed.
    pub usage: CacheUsage,
    /// What they cost; none when the data has no prices for the model.
    pub price: Option<CachePrice>,
    /// How tokens were counted.
    pub method: TokenMethod,
    /// What was met while building and delivering it.
    pub diagnostics: Vec<Diagnostic>,
}

/// What two requests begin with, over all their parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommonPrefix {
    /// Bytes of UTF-8.
    pub bytes: usize,
    /// Tokens of these bytes.
    pub tokens: usize,
}

/// The tokens of requests, by how they are billed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheUsage {
    /// Read from the cache.
    pub read: usize,
    /// Written to the cache.
    pub written: usize,
    /// Neither: behind the last mark, or in a prefix that is shorter than what the model caches.
    pub uncached: usize,
}

/// The price of requests, in US dollars.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CachePrice {
    /// As it is.
    pub paid: f64,
    /// If nothing had broken: all that can be kept is read.
    pub unbroken: f64,
    /// Without any cache.
    pub without: f64,
}

/// The first difference between two requests.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CacheBreak {
    /// The part of the request that it stands in.
    pub place: CachePlace,
    /// The byte in that part; 0 where another model is asked.
    pub at: usize,
    /// The section that it stands in.
    pub section: Option<Arc<str>>,
    /// The bytes that differ, where they stand in the prompt's text.
    pub span: Option<Span>,
    /// The nearest hinge at or before it whose cause has another value now.
    pub hinge: Option<Hinge>,
    /// The context keys that have other values now and made the difference, by dotted path; empty when no key did.
    pub keys: Vec<Arc<str>>,
    /// How many tokens are billed that would have been read.
    pub billed_again: usize,
    /// What that costs, in US dollars.
    pub price: Option<f64>,
}

/// A part of a request, in its order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CachePlace {
    /// The model is another one, which has a cache of its own.
    Model,
    /// The declared tools.
    Tools,
    /// The request's text before the prompt.
    Prefix,
    /// The prompt's text.
    Text,
    /// The first user message.
    UserContext,
}

impl CachePlace {
    /// Those that a request is made of, in its order.
    pub(super) const PARTS: [Self; 4] = [Self::Tools, Self::Prefix, Self::Text, Self::UserContext];

    /// `model`, `tools`, `prefix`, `text` or `user-context`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tools => "tools",
            Self::Prefix => "prefix",
            Self::Text => "text",
            Self::UserContext => "user-context",
        }
    }
}

impl CacheBreak {
    /// Where what differs comes from: the tag of the hinge, else the span, else the first key.
    pub fn origin(&self) -> Origin {
        let hinge = self.hinge.as_ref().map(|hinge| &hinge.origin);
        let span = self.span.as_ref().map(|span| &span.origin);
        let place = hinge.into_iter().chain(span).find(|origin| !matches!(origin, Origin::Engine));
        let key = || self.keys.first().map(|key| Origin::Context(Arc::clone(key)));
        place.cloned().or_else(key).unwrap_or_default()
    }

    /// The name that breaks of one kind have in common: the keys, else the section, else the place.
    pub fn cause(&self) -> String {
        match (self.keys.as_slice(), &self.section) {
            ([], Some(section)) => format!("section {section}"),
            ([], None) => self.place.as_str().to_owned(),
            (keys, _) => keys.join(", "),
        }
    }
}

/// Where two requests differ first.
pub(super) struct Difference {
    pub(super) place: CachePlace,
    /// The byte in the place.
    pub(super) at: usize,
}

/// The first request of all.
pub(super) fn first(now: &Turn) -> CacheStep {
    let usage = now.usage(0);
    step(now, None, usage, usage)
}

/// A request behind another one.
pub(super) fn behind(before: &Turn, now: &Turn, asked: Asked<'_>) -> CacheStep {
    let (common, difference) = compared(before, now);
    let same_model = before.served() == now.served();
    let read = if same_model { read(before, now, common) } else { 0 };
    let (usage, unbroken) = (now.usage(read), now.usage(now.kept()));
    let mut step = step(now, Some(common), usage, unbroken);
    let other_model = Difference { place: CachePlace::Model, at: 0 };
    let difference = if same_model { difference } else { Some(other_model) };
    let difference = difference.or_else(|| unmarked(before, now, usage, unbroken));
    step.broken = difference.map(|difference| {
        let cause = cause::cause(before, now, &difference, asked);
        let billed_again = unbroken.read - usage.read;
        let price = step.price.map(|price| price.paid - price.unbroken);
        broken(difference, cause, billed_again, price)
    });
    step
}

fn broken(
    difference: Difference,
    cause: Cause,
    billed_again: usize,
    price: Option<f64>,
) -> CacheBreak {
    let (Difference { place, at }, Cause { section, span, hinge, keys }) = (difference, cause);
    CacheBreak { place, at, section, span, hinge, keys, billed_again, price }
}

fn step(
    now: &Turn,
    common: Option<CommonPrefix>,
    usage: CacheUsage,
    unbroken: CacheUsage,
) -> CacheStep {
    CacheStep {
        request: 0,
        model: Arc::clone(&now.prompt.caching().model),
        common,
        broken: None,
        usage,
        price: now.price(usage, unbroken),
        method: now.method,
        diagnostics: now.diagnostics.clone(),
    }
}

/// What both begin with, and where they differ first.
fn compared(before: &Turn, now: &Turn) -> (CommonPrefix, Option<Difference>) {
    let mut bytes = 0;
    let common = |bytes| CommonPrefix { bytes, tokens: now.tokens_of(bytes) };
    for place in CachePlace::PARTS {
        let (old, new) = (before.text_at(place), now.text_at(place));
        if old == new {
            bytes += new.len();
            continue;
        }
        let at = same_bytes(old, new);
        return (common(bytes + at), Some(Difference { place, at }));
    }
    (common(bytes), None)
}

/// Where the same texts are cut or marked otherwise, so that less is read than could be.
fn unmarked(
    before: &Turn,
    now: &Turn,
    usage: CacheUsage,
    unbroken: CacheUsage,
) -> Option<Difference> {
    let at = before.prompt.boundary().min(now.prompt.boundary());
    let difference = Difference { place: CachePlace::Text, at };
    (usage.read < unbroken.read).then_some(difference)
}

/// Bytes that are compared at once.
const CHUNK: usize = 256;

/// How many bytes two texts begin with, whole characters alone.
fn same_bytes(one: &str, other: &str) -> usize {
    let chunks = one.as_bytes().chunks(CHUNK).zip(other.as_bytes().chunks(CHUNK));
    let start = chunks.take_while(|(one, other)| one == other).map(|(one, _)| one.len()).sum();
    let rest = one.as_bytes()[start..].iter().zip(&other.as_bytes()[start..]);
    let same = start + rest.take_while(|(one, other)| one == other).count();
    (0..=same).rev().find(|&at| other.is_char_boundary(at)).unwrap_or_default()
}

/// How many tokens are read.
fn read(before: &Turn, now: &Turn, common: CommonPrefix) -> usize {
    let minimum = now.facts().minimum;
    match now.facts().marks {
        Marks::None => 0,
        Marks::Automatic => Some(common.tokens).filter(|&tokens| tokens >= minimum).unwrap_or(0),
        Marks::Explicit | Marks::OutsideTools => {
            let same = |(old, new): &(&Part, &Part)| {
                old.end == new.end && before.text(old.end) == now.text(new.end)
            };
            let pairs = before.parts.iter().zip(&now.parts).take_while(same);
            let entries = pairs.filter(|(old, _)| old.mark.is_some() && old.tokens >= minimum);
            // An entry is looked for from the marks of the request on.
            entries.map(|(_, new)| new.tokens).last().unwrap_or_default().min(now.kept())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_alike_up_to_a_whole_character() {
        for (one, other, same) in [
            ("", "", 0),
            ("a", "", 0),
            ("abc", "abd", 2),
            ("abc", "abcd", 3),
            ("é", "è", 0),
            ("aé", "aè", 1),
            ("é", "éé", 2),
        ] {
            assert_eq!(same_bytes(one, other), same, "{one} {other}");
            let long = "x".repeat(CHUNK + 7);
            let [one, other] = [one, other].map(|text| format!("{long}{text}"));
            assert_eq!(same_bytes(&one, &other), long.len() + same, "{one} {other}");
        }
    }
}
