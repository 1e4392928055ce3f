//! Steps and totals as JSON.
//!
//! In: a [`CacheStep`] or [`CacheTotals`]. Out: its JSON. Never: leaves a key out where it has nothing to say.

use serde_json::{Value as Json, json};

use super::step::{CacheBreak, CachePrice, CacheStep, CacheUsage};
use super::totals::CacheTotals;
use crate::prompt::{Hinge, Span};

impl CacheStep {
    /// `{request, model, common, broken, usage, price}`; offsets are bytes, prices US dollars.
    pub fn to_json(&self) -> Json {
        json!({
            "request": self.request,
            "model": &*self.model,
            "common": self.common.map(|common| {
                json!({ "bytes": common.bytes, "tokens": common.tokens })
            }),
            "broken": self.broken.as_ref().map(broken),
            "usage": usage(self.usage),
            "price": self.price.map(price),
        })
    }
}

impl CacheTotals {
    /// `{requests, breaks, usage, price, unpriced, causes}`; the causes are those that cost most first.
    pub fn to_json(&self) -> Json {
        let causes = self.by_cost().into_iter().map(|(cause, totals)| {
            json!({
                "cause": cause, "breaks": totals.breaks, "billed_again": totals.billed_again,
                "price": dollars(totals.price), "first": totals.first,
                "place": totals.place.as_str(), "origin": totals.origin.to_json(),
            })
        });
        let [read, written, uncached] = self.usage.shares();
        json!({
            "requests": self.requests, "breaks": self.breaks, "usage": usage(self.usage),
            "shares": { "read": share(read), "written": share(written), "uncached": share(uncached) },
            "price": price(self.price), "unpriced": self.unpriced,
            "causes": causes.collect::<Vec<_>>(),
        })
    }
}

fn broken(broken: &CacheBreak) -> Json {
    json!({
        "place": broken.place.as_str(), "at": broken.at, "section": broken.section.as_deref(),
        "span": broken.span.as_ref().map(Span::to_json),
        "hinge": broken.hinge.as_ref().map(Hinge::to_json),
        "keys": broken.keys.iter().map(|key| &**key).collect::<Vec<_>>(),
        "billed_again": broken.billed_again, "price": broken.price.map(dollars),
    })
}

fn usage(CacheUsage { read, written, uncached }: CacheUsage) -> Json {
    json!({ "read": read, "written": written, "uncached": uncached })
}

fn price(CachePrice { paid, unbroken, without }: CachePrice) -> Json {
    json!({
        "paid": dollars(paid), "unbroken": dollars(unbroken), "without_cache": dollars(without),
    })
}

/// Nine decimals: a token costs at least that.
fn dollars(price: f64) -> f64 {
    (price * 1e9).round() / 1e9
}

fn share(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}
