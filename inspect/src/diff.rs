//! Both sides of a difference, and the difference as JSON.
//!
//! In: two builds. Out: [`Side`]s, what is sent beside the text, JSON. Never: builds anything, or draws for people.

use promptweave::{Hinge, Span, TokenReport};
use serde_json::{Value as Json, json};

use crate::built::Built;
use crate::compare::{self, Pair, Part, Weight};
use crate::effect::{Amount, Effect, Ends, effect};

/// One build, and its parts.
#[derive(Debug)]
pub struct Side {
    /// What it is called.
    pub name: String,
    /// The prompt.
    pub built: Built,
    /// Its tokens.
    pub tokens: TokenReport,
    /// Its parts.
    pub parts: Vec<Part<Weight>>,
}

impl Side {
    /// A build with a name.
    pub fn new(name: String, built: Built) -> Self {
        let tokens = built.tokens();
        let parts = compare::parts(&built.prompt, &built.counter);
        Self { name, built, tokens, parts }
    }

    /// `id@version`.
    pub fn variant(&self) -> String {
        let variant = self.built.prompt.variant();
        format!("{}@{}", variant.id, variant.version)
    }

    fn to_json(&self) -> Json {
        let prompt = &self.built.prompt;
        let variant = prompt.variant();
        json!({
            "name": self.name,
            "variant": { "id": variant.id.as_str(), "version": variant.version },
            "bytes": prompt.text().len(), "tokens": self.tokens.total,
            "token_method": self.tokens.method.to_string(),
            "static_head_bytes": prompt.static_head(), "session_head_bytes": prompt.session_head(),
        })
    }
}

/// What is sent beside the text and differs: its name, and its lines that differ.
pub fn asides(before: &Side, after: &Side) -> Vec<(&'static str, String)> {
    let (old, new) = (&before.built.prompt, &after.built.prompt);
    let all = [
        ("attribution", old.attribution(), new.attribution()),
        ("prefix", old.prefix(), new.prefix()),
        ("user_context", old.user_context(), new.user_context()),
    ];
    let differ = all.into_iter().filter(|(_, old, new)| old != new);
    let difference = |old: Option<&str>, new: Option<&str>| {
        compare::difference(old.unwrap_or_default(), new.unwrap_or_default())
    };
    differ.map(|(name, old, new)| (name, difference(old, new))).collect()
}

/// The difference: `{before, after, same, sections, beside, cache}`.
pub fn diff(before: &Side, after: &Side) -> Json {
    let sections = compare::pairs(&before.parts, &after.parts);
    let sections: Json = sections.iter().map(section).collect();
    let asides = asides(before, after).into_iter();
    let asides: Json = asides
        .map(|(name, diff)| json!({ "name": name, "change": "changed", "diff": diff }))
        .collect();
    json!({
        "before": before.to_json(), "after": after.to_json(),
        "same": before.built.prompt.text() == after.built.prompt.text(),
        "sections": sections, "beside": asides,
        "cache": cache(&effect(&before.built, &after.built)),
    })
}

fn section(pair: &Pair<'_, Weight>) -> Json {
    let side = |part: Option<&Part<Weight>>| {
        part.map(|part| {
            json!({
                "bytes": part.text.len(), "tokens": part.more.tokens,
                "cache": part.more.class.as_str(), "origin": part.more.origin.to_json(),
            })
        })
    };
    let [bytes, tokens] = deltas(pair);
    json!({
        "name": pair.name(), "change": pair.change.as_str(),
        "before": side(pair.before), "after": side(pair.after),
        "bytes_delta": bytes, "tokens_delta": tokens, "diff": pair.difference(),
    })
}

/// How many bytes and tokens more there are.
pub fn deltas(pair: &Pair<'_, Weight>) -> [i64; 2] {
    let weigh = |part: Option<&Part<Weight>>| {
        part.map_or([0, 0], |part| [part.text.len() as i64, part.more.tokens as i64])
    };
    let ([bytes, tokens], [more, counted]) = (weigh(pair.before), weigh(pair.after));
    [more - bytes, counted - tokens]
}

fn cache(effect: &Effect) -> Json {
    let Effect { common, again, ends, apart, tools } = effect;
    let amount = |Amount { bytes, tokens }: &Amount| json!({ "bytes": bytes, "tokens": tokens });
    json!({
        "common": amount(common), "billed_again": amount(again),
        "apart": apart.map(|apart| json!({ "cause": apart.as_str(), "message": apart.why() })),
        "ends": ends.as_ref().map(ends_json),
        "tools": { "added": tools.added, "removed": tools.removed },
    })
}

fn ends_json(ends: &Ends) -> Json {
    let span = |span: &Option<Span>| {
        span.as_ref().map(|span| {
            json!({
                "kind": span.kind.as_str(), "id": span.id.as_deref(), "class": span.class.as_str(),
                "origin": span.origin.to_json(),
            })
        })
    };
    json!({
        "at": ends.at, "line": ends.line, "column": ends.column, "within": ends.within.as_str(),
        "before": span(&ends.before), "after": span(&ends.after),
        "hinge": ends.hinge.as_ref().map(Hinge::to_json),
    })
}
