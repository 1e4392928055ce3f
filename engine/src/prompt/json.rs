//! The result as JSON.
//!
//! In: a finished prompt, [`JsonOptions`]. Out: the result as `promptweave schema result` describes it.
//! Never: shows a value of the context, but for its digest.

use serde_json::{Value as Json, json};

use super::{Hinge, Memory, Prompt};
use crate::diagnostic::sha256;
use crate::model::{Pack, Skipped};

/// How the result is written as JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonOptions {
    /// The unit of offsets.
    pub offsets: Offsets,
    /// Whether texts are left out, as `explain` does.
    pub without_texts: bool,
}

/// The unit of offsets in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offsets {
    /// Bytes of UTF-8.
    #[default]
    Bytes,
    /// UTF-16 code units, for editors.
    Utf16,
}

pub(super) fn prompt(prompt: &Prompt, options: &JsonOptions) -> Json {
    let at = Converter::new(prompt.text(), options.offsets);
    let mut all = json!({
        "engine": env!("CARGO_PKG_VERSION"),
        "packs": prompt.packs().iter().map(Pack::to_json).collect::<Json>(),
        "prefix_sha256": sha256(&prompt.text().as_bytes()[..prompt.static_head()]),
        "ask": prompt.ask().to_json(),
        "context_sha256": sha256(prompt.context().as_json().to_string().as_bytes()),
        "session": prompt.memory() == Memory::Session,
        "variant": variant(prompt),
        "tools": prompt.tools().iter().map(|id| &**id).collect::<Vec<&str>>(),
        "placeholders": prompt.placeholders().iter()
            .map(|(name, layer)| (name.to_string(), json!(layer.as_str())))
            .collect::<serde_json::Map<_, _>>(),
        "static_head_bytes": prompt.static_head(),
        "session_head_bytes": prompt.session_head(),
    });
    // Not within `json!`, which would copy them.
    all["walk"] = walk(prompt);
    all["sections"] = sections(prompt, options, &at);
    all["diagnostics"] = prompt.diagnostics().iter().map(|one| one.to_json()).collect();
    all["hinges"] = hinges(prompt, &at);
    if !options.without_texts {
        all["text"] = json!(prompt.text());
        all["attribution"] = json!(prompt.attribution());
        all["prefix"] = json!(prompt.prefix());
        all["user_context"] = json!(prompt.user_context());
        all["blocks"] = prompt
            .blocks()
            .map(|block| json!({ "text": block.text, "scope": block.scope.as_str() }))
            .collect();
        all["spans"] = spans(prompt, &at);
    }
    all
}

/// Thousandths of a millisecond are enough.
pub(crate) fn milliseconds(took: std::time::Duration) -> f64 {
    (took.as_secs_f64() * 1e6).round() / 1e3
}

fn variant(prompt: &Prompt) -> Json {
    let variant = prompt.variant();
    json!({
        "id": variant.id.as_str(), "version": variant.version, "family": &*variant.family,
        "level": prompt.level().as_str(), "why": prompt.why(),
    })
}

fn walk(prompt: &Prompt) -> Json {
    let walk = prompt.walk().iter().map(|asked| {
        json!({
            "id": asked.variant.id.as_str(), "matched": asked.matched,
            "reason": asked.reason, "detail": asked.detail,
        })
    });
    walk.collect()
}

fn sections(prompt: &Prompt, options: &JsonOptions, at: &Converter) -> Json {
    let included = prompt.sections().iter().map(|section| {
        let mut shown = json!({
            "id": &*section.id, "state": "included",
            "cache": section.class.as_str(), "start": at.unit(section.range.start),
            "end": at.unit(section.range.end), "bytes": section.range.len(),
            "ms": milliseconds(section.took),
        });
        shown["origin"] = section.origin.to_json();
        if !options.without_texts {
            shown["text"] = json!(prompt.text().get(section.range.clone()));
        }
        shown
    });
    included.chain(prompt.skipped().iter().map(Skipped::to_json)).collect()
}

fn spans(prompt: &Prompt, at: &Converter) -> Json {
    let spans = prompt.spans().map(|mut span| {
        span.range = at.unit(span.range.start)..at.unit(span.range.end);
        span.to_json()
    });
    spans.collect()
}

fn hinges(prompt: &Prompt, at: &Converter) -> Json {
    let hinges = prompt.hinges().map(|hinge| Hinge { at: at.unit(hinge.at), ..hinge }.to_json());
    hinges.collect()
}

/// Turns byte offsets into the unit that was asked for.
struct Converter {
    /// UTF-16 units before each byte; empty when bytes are asked for.
    units: Vec<u32>,
}

impl Converter {
    fn new(text: &str, offsets: Offsets) -> Self {
        let mut units = Vec::new();
        if offsets == Offsets::Utf16 {
            let mut count = 0;
            for character in text.chars() {
                units.extend(std::iter::repeat_n(count, character.len_utf8()));
                count += character.len_utf16() as u32;
            }
            units.push(count);
        }
        Self { units }
    }

    fn unit(&self, byte: usize) -> usize {
        self.units.get(byte).map_or(byte, |&unit| unit as usize)
    }
}
