//! The result as JSON.
//!
//! In: a finished prompt, [`JsonOptions`], what is told beside it. Out: [`PromptJson`], the result as `promptweave schema result`
//! describes it, its keys in order. Never: shows a value of the context, but for its digest.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value as Json;

use super::shape::{BlockShape, SectionShape, StepShape, VariantShape};
use super::{Hinge, Memory, Prompt, Span, TokenReport};
use crate::diagnostic::{Diagnostic, List, sha256, tree};
use crate::model::Pack;

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

/// The result, as `promptweave schema result` describes it: a serializer writes it without a tree of values.
#[derive(Clone, Debug)]
pub struct PromptJson<'p> {
    prompt: &'p Prompt,
    options: JsonOptions,
    tokens: Option<TokenReport>,
    told: &'p [Diagnostic],
}

impl<'p> PromptJson<'p> {
    pub(super) fn new(prompt: &'p Prompt, options: JsonOptions) -> Self {
        Self { prompt, options, tokens: None, told: &[] }
    }

    /// With `tokens` and `token_method`, and the `tokens` of each section.
    #[must_use]
    pub fn tokens(self, tokens: TokenReport) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// With diagnostics behind those of the prompt.
    #[must_use]
    pub fn telling(self, told: &'p [Diagnostic]) -> Self {
        Self { told, ..self }
    }

    /// The same as a tree of values.
    pub fn to_json(&self) -> Json {
        tree(self)
    }

    fn head<M: SerializeMap>(&self, all: &mut M, at: &Converter) -> Result<(), M::Error> {
        let Self { prompt, options, .. } = self;
        all.serialize_entry("ask", &prompt.ask().to_json())?;
        if !options.without_texts {
            all.serialize_entry("attribution", &prompt.attribution())?;
            all.serialize_entry("blocks", &List(|| prompt.blocks().map(BlockShape::from)))?;
        }
        let context = prompt.context().as_json().to_string();
        all.serialize_entry("context_sha256", &sha256(context.as_bytes()))?;
        let told = || prompt.diagnostics().iter().chain(self.told);
        all.serialize_entry("diagnostics", &List(told))?;
        all.serialize_entry("engine", env!("CARGO_PKG_VERSION"))?;
        let hinge = |hinge: Hinge| Hinge { at: at.unit(hinge.at), ..hinge };
        all.serialize_entry("hinges", &List(|| prompt.hinges().map(hinge)))?;
        all.serialize_entry("packs", &List(|| prompt.packs().iter().map(Pack::to_json)))?;
        let placeholders = prompt.placeholders().iter();
        let placeholders = placeholders.map(|(name, layer)| (&**name, layer.as_str()));
        all.serialize_entry("placeholders", &placeholders.collect::<BTreeMap<_, _>>())?;
        if !options.without_texts {
            all.serialize_entry("prefix", &prompt.prefix())?;
        }
        let head = &prompt.text().as_bytes()[..prompt.static_head()];
        all.serialize_entry("prefix_sha256", &sha256(head))
    }

    fn rest<M: SerializeMap>(&self, all: &mut M, at: &Converter) -> Result<(), M::Error> {
        let Self { prompt, options, tokens, .. } = self;
        all.serialize_entry("sections", &List(|| self.sections(at)))?;
        all.serialize_entry("session", &(prompt.memory() == Memory::Session))?;
        all.serialize_entry("session_head_bytes", &prompt.session_head())?;
        if !options.without_texts {
            let span = |span: Span| Span { range: at.units(&span.range), ..span };
            all.serialize_entry("spans", &List(|| prompt.spans().map(span)))?;
        }
        all.serialize_entry("static_head_bytes", &prompt.static_head())?;
        if !options.without_texts {
            all.serialize_entry("text", prompt.text())?;
        }
        if let Some(tokens) = tokens {
            all.serialize_entry("token_method", &tokens.method.to_string())?;
            all.serialize_entry("tokens", &tokens.total)?;
        }
        all.serialize_entry("tools", &List(|| prompt.tools().iter().map(|id| &**id)))?;
        if !options.without_texts {
            all.serialize_entry("user_context", &prompt.user_context())?;
        }
        all.serialize_entry("variant", &VariantShape::from(*prompt))?;
        all.serialize_entry("walk", &List(|| prompt.walk().iter().map(StepShape::from)))
    }

    /// Those that are there, then those that are not.
    fn sections(&self, at: &Converter) -> impl Iterator<Item = SectionShape<'_>> {
        let Self { prompt, options, tokens, .. } = self;
        let tokens = tokens.iter().flat_map(|report| report.sections.iter().copied().map(Some));
        let tokens = tokens.chain(std::iter::repeat(None));
        let present = prompt.sections().iter().zip(tokens).map(|(section, tokens)| {
            let text = prompt.text().get(section.range.clone());
            let text = text.filter(|_| !options.without_texts);
            SectionShape::included(section, at.units(&section.range), (text, tokens))
        });
        present.chain(prompt.skipped().iter().map(SectionShape::Skipped))
    }
}

impl Serialize for PromptJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let at = Converter::new(self.prompt.text(), self.options.offsets);
        let mut all = to.serialize_map(None)?;
        self.head(&mut all, &at)?;
        self.rest(&mut all, &at)?;
        all.end()
    }
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

    fn units(&self, bytes: &Range<usize>) -> Range<usize> {
        self.unit(bytes.start)..self.unit(bytes.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Code, Origin};
    use crate::engine::Engine;
    use crate::load::MemorySource;
    use crate::model::Context;

    const PACK: [(&str, &str); 7] = [
        ("pack.toml", "format = 1\nname = 'made'\nversion = '1'"),
        ("generic.toml", "order = ['role', 'place', 'rules', 'gone', 'missing']"),
        ("other.toml", "order = ['role']\n[match]\nmodels = ['other*']"),
        ("components/role.md", "You are \u{1f980}."),
        ("components/place.md", "In {{ctx.cwd}}."),
        ("components/rules.md", "Say \"yes\".\n"),
        ("components/gone.toml", "text = 'never'\nwhen = 'false'"),
    ];

    /// A tree of values has its keys in order, so that the same bytes are written either way.
    #[test]
    fn keys_stand_in_order() {
        let engine = Engine::builder().pack(MemorySource::new("made", PACK)).build().unwrap();
        let context = Context::from_json(r#"{ "cwd": "/home", "date": "today" }"#).unwrap();
        let prompt = engine.prompt(&context).unwrap();
        let told = [Diagnostic::new(Code::FileUnreadable, "told", Origin::Context("cwd".into()))];
        assert!(prompt.hinges().count() > 0 && !prompt.skipped().is_empty());
        for (offsets, without_texts) in
            [(Offsets::Bytes, false), (Offsets::Utf16, false), (Offsets::Bytes, true)]
        {
            let json = prompt.json(&JsonOptions { offsets, without_texts });
            let more = json.clone().tokens(engine.token_counter(&prompt).report(&prompt));
            for json in [json, more.telling(&told)] {
                assert_eq!(serde_json::to_string(&json).unwrap(), json.to_json().to_string());
            }
        }
    }

    /// Counts go to the sections that are there, and told later is told last.
    #[test]
    fn what_stands_beside_a_prompt() {
        let engine = Engine::builder().pack(MemorySource::new("made", PACK)).build().unwrap();
        let prompt = engine.prompt(&Context::default()).unwrap();
        let report = engine.token_counter(&prompt).report(&prompt);
        let told = [Diagnostic::new(Code::FileUnreadable, "told", Origin::Engine)];
        let bare = prompt.to_json(&JsonOptions::default());
        let json = prompt.json(&JsonOptions::default()).tokens(report.clone()).telling(&told);
        let mut json = json.to_json();
        let last = json["diagnostics"].as_array_mut().and_then(Vec::pop).unwrap();
        assert_eq!(last, told[0].to_json());
        let mut counted = bare.clone();
        report.add_to(&mut counted);
        assert_eq!(json, counted);
        assert_eq!(bare["tokens"], Json::Null);
    }
}
