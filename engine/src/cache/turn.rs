//! One request: its parts in the order in which they are cached, and where in it entries of a cache end.
//!
//! In: a prompt, its tools, a delivery. Out: [`Turn`]. Never: compares.

use std::sync::Arc;

use super::Billing;
use super::step::{CachePlace, CachePrice, CacheUsage};
use super::tools::Tools;
use crate::blocks::BlockKind;
use crate::deliver::{Delivery, End, Ended, ended};
use crate::diagnostic::Diagnostic;
use crate::facts::{Facts, Marks, Price, Ttl};
use crate::model::Context;
use crate::prompt::{Prompt, TokenMethod};

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Turn {
    pub(super) context: Context,
    pub(super) prompt: Prompt,
    pub(super) billing: Arc<Billing>,
    pub(super) tools: Tools,
    pub(super) parts: Vec<Part>,
    pub(super) method: TokenMethod,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// A part of a request. Parts stand in the order of the request; none is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) end: End,
    /// Tokens of the request up to its end.
    pub(super) tokens: usize,
    /// The life of the entry that ends here.
    pub(super) mark: Option<Ttl>,
}

impl Turn {
    pub(super) fn new(
        (context, prompt): (Context, Prompt),
        tools: Tools,
        delivery: &Delivery,
        billing: &Arc<Billing>,
    ) -> Self {
        let (ends, told) = ended(&prompt, &tools.text, delivery);
        let of_prompt = prompt.diagnostics().iter().chain(&*tools.diagnostics).cloned();
        let diagnostics = of_prompt.chain(told).collect();
        let method = billing.counter.count("").1;
        let billing = Arc::clone(billing);
        let mut turn = Self { context, prompt, billing, tools, parts: vec![], method, diagnostics };
        turn.count(&ends);
        turn
    }

    /// Counts the parts, each behind those before it.
    fn count(&mut self, ends: &[Ended]) {
        let (mut bytes, mut tokens) = (0, 0);
        let mut parts = Vec::with_capacity(ends.len());
        for &Ended { end, mark } in ends {
            let text = self.text(end);
            bytes += text.len();
            let edges = self.edges(end);
            let (own, method) = self.billing.counter.count_at(text, edges.into_iter());
            tokens = match method {
                TokenMethod::Exact(_) => tokens + own,
                // Estimates of the whole: what is rounded up is rounded once.
                TokenMethod::Estimate { .. } => self.facts().estimate(bytes),
            };
            parts.push(Part { end, tokens, mark });
        }
        self.parts = parts;
    }

    /// Where the sections of a part begin and end in it.
    fn edges(&self, end: End) -> Vec<usize> {
        let start = match end {
            End::System(BlockKind::Static) => 0,
            End::System(BlockKind::Dynamic) => self.prompt.boundary(),
            End::System(BlockKind::Prefix | BlockKind::Attribution) | End::Tools | End::User => {
                return Vec::new();
            }
        };
        if matches!(self.method, TokenMethod::Estimate { .. }) {
            return Vec::new();
        }
        let sections = self.prompt.sections().iter();
        let edges = sections.flat_map(|section| [section.range.start, section.range.end]);
        edges.filter_map(|edge| edge.checked_sub(start)).collect()
    }

    pub(super) fn facts(&self) -> &Facts {
        self.billing.facts()
    }

    /// The text of a part.
    pub(super) fn text(&self, end: End) -> &str {
        let prompt = &self.prompt;
        match end {
            End::Tools => &self.tools.text,
            End::System(BlockKind::Attribution) => prompt.attribution().unwrap_or_default(),
            End::System(BlockKind::Prefix) => prompt.prefix().unwrap_or_default(),
            End::System(BlockKind::Static) => &prompt.text()[..prompt.boundary()],
            End::System(BlockKind::Dynamic) => &prompt.text()[prompt.boundary()..],
            End::User => prompt.user_context().unwrap_or_default(),
        }
    }

    /// The text of a place; empty where the request has none.
    pub(super) fn text_at(&self, place: CachePlace) -> &str {
        match place {
            CachePlace::Model => "",
            CachePlace::Tools => &self.tools.text,
            CachePlace::Prefix => self.prompt.prefix().unwrap_or_default(),
            CachePlace::Text => self.prompt.text(),
            CachePlace::UserContext => self.prompt.user_context().unwrap_or_default(),
        }
    }

    /// Who serves which model: what caches are kept apart by.
    pub(super) fn served(&self) -> (Option<&str>, &str) {
        let caching = self.prompt.caching();
        (caching.provider.as_deref(), &caching.model)
    }

    /// Tokens of so many bytes at the start of the request.
    pub(super) fn tokens_of(&self, bytes: usize) -> usize {
        let (mut rest, mut tokens) = (bytes, 0);
        for part in &self.parts {
            let text = self.text(part.end);
            if text.len() <= rest {
                (rest, tokens) = (rest - text.len(), part.tokens);
                continue;
            }
            return match self.method {
                TokenMethod::Exact(_) => tokens + self.billing.counter.count(&text[..rest]).0,
                TokenMethod::Estimate { .. } => self.facts().estimate(bytes),
            };
        }
        tokens
    }

    /// All tokens.
    pub(super) fn total(&self) -> usize {
        self.parts.last().map_or(0, |part| part.tokens)
    }

    /// Up to where the provider keeps it, in tokens.
    pub(super) fn kept(&self) -> usize {
        let end = match self.facts().marks {
            Marks::None => 0,
            Marks::Automatic => self.total(),
            Marks::Explicit | Marks::OutsideTools => {
                let marked = self.parts.iter().rev().find(|part| part.mark.is_some());
                marked.map_or(0, |part| part.tokens)
            }
        };
        if end >= self.facts().minimum { end } else { 0 }
    }

    /// What is billed when so many tokens are read.
    pub(super) fn usage(&self, read: usize) -> CacheUsage {
        let kept = self.kept().max(read);
        CacheUsage { read, written: kept - read, uncached: self.total() - kept }
    }

    /// What that costs, beside what it would cost if nothing had broken, and without a cache.
    pub(super) fn price(&self, usage: CacheUsage, unbroken: CacheUsage) -> Option<CachePrice> {
        let price = self.facts().price?;
        let hour = self.parts.iter().any(|part| part.mark == Some(Ttl::OneHour));
        let write = price.write_1h.filter(|_| hour).unwrap_or(price.write);
        let of = |usage: CacheUsage| cost(usage, &price, write);
        let plain = CacheUsage { uncached: self.total(), ..CacheUsage::default() };
        Some(CachePrice { paid: of(usage), unbroken: of(unbroken), without: of(plain) })
    }
}

/// Prices are those of a million tokens.
const PRICED_TOKENS: f64 = 1e6;

fn cost(usage: CacheUsage, price: &Price, write: f64) -> f64 {
    let of = |tokens: usize, price: f64| tokens as f64 * price;
    let sum =
        of(usage.read, price.read) + of(usage.written, write) + of(usage.uncached, price.uncached);
    sum / PRICED_TOKENS
}
