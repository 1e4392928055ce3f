//! What code answered in a session, and what the answers were made of.
//!
//! In: an answer and the values of the keys that were read for it. Out: the same answer, as long as the values are the
//! same; all of it as JSON and back. Never: calls code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use serde_json::{Map, Value as Json, json};

use super::{End, Record, value_at};
use crate::diagnostic::{Diagnostic, Origin};
use crate::extension::{Output, Reads};
use crate::model::Context;
use crate::trace::CacheClass;

/// The most answers of one kind that are kept.
pub(super) const MAX_ANSWERS: usize = 4096;

/// Everything that code answered and that holds until the session is reset.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    components: BTreeMap<String, Answer<Yielded>>,
    helpers: BTreeMap<String, Answer<Printed>>,
    matchers: BTreeMap<String, Answer<bool>>,
    /// Of the answers that are new since they were taken last.
    bases: Vec<Basis>,
}

/// The files that a component's answer was made of, as its code names them.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    pub(crate) question: String,
    pub(crate) component: String,
    pub(crate) files: BTreeSet<Arc<str>>,
}

/// An answer, and the values that it was made of.
#[derive(Clone, Debug)]
pub(crate) struct Answer<T> {
    pub(crate) said: T,
    /// By dotted path.
    values: BTreeMap<Arc<str>, Result<Json, End>>,
}

/// What a component's code yielded.
#[derive(Clone, Debug)]
pub(crate) struct Yielded {
    pub(crate) output: Option<Output>,
    /// Its own reads, which decide its class.
    pub(crate) reads: Reads,
    /// The digests of the sections that it read; none where there was none.
    pub(crate) earlier: BTreeMap<String, Option<String>>,
    pub(crate) told: Vec<Diagnostic>,
}

/// What a helper's code answered: the value, its class, and which of its declared keys has that class.
#[derive(Clone, Debug)]
pub(crate) struct Printed {
    pub(crate) value: Json,
    pub(crate) class: CacheClass,
    pub(crate) cause: Option<usize>,
}

/// A kind of answer.
pub(crate) trait Told: Clone {
    fn all(kept: &Kept) -> &BTreeMap<String, Answer<Self>>;
    fn all_mut(kept: &mut Kept) -> &mut BTreeMap<String, Answer<Self>>;
    fn to_json(&self) -> Json;
    /// None when it has another shape.
    fn from_json(json: &Json) -> Option<Self>;
}

impl<T> Answer<T> {
    pub(super) fn new(said: T, record: &Record, context: &Context) -> Self {
        let value = |key: &Arc<str>| (Arc::clone(key), value_at(context, key).cloned());
        Self { said, values: record.keys.iter().map(value).collect() }
    }

    /// Whether all values are the same.
    pub(super) fn holds_in(&self, context: &Context) -> bool {
        let same = |(key, value): (&Arc<str>, &Result<Json, End>)| {
            value_at(context, key) == value.as_ref().map_err(|end| *end)
        };
        self.values.iter().all(same)
    }

    /// What it was made of.
    pub(crate) fn record(&self) -> Record {
        Record { keys: self.values.keys().cloned().collect(), is_loose: false }
    }
}

impl Kept {
    /// All answers, as [`Kept::from_json`] reads them.
    pub(crate) fn to_json(&self) -> Json {
        json!({
            "components": written::<Yielded>(self), "helpers": written::<Printed>(self),
            "matchers": written::<bool>(self),
        })
    }

    /// Notes the files that an answer names.
    pub(super) fn basis(&mut self, question: &str, component: &str, output: &Output) {
        let file = |(_, origin): &(Range<usize>, Origin)| match origin {
            Origin::Line { file, .. } => Some(Arc::clone(file)),
            Origin::Engine | Origin::File { .. } | Origin::Item { .. } | Origin::Context(_) => None,
        };
        let files = output.origins.iter().filter_map(file).collect();
        let (question, component) = (question.to_owned(), component.to_owned());
        self.bases.push(Basis { question, component, files });
    }

    /// The files of the answers that were given since this was asked last.
    pub(crate) fn take_bases(&mut self) -> Vec<Basis> {
        std::mem::take(&mut self.bases)
    }

    /// Reads answers; one of another shape is left out, and asked for again.
    pub(crate) fn from_json(json: &Json) -> Self {
        Self {
            components: read(&json["components"]),
            helpers: read(&json["helpers"]),
            matchers: read(&json["matchers"]),
            bases: Vec::new(),
        }
    }
}

fn written<T: Told>(kept: &Kept) -> Json {
    let answers = T::all(kept).iter().map(|(question, answer)| {
        let values = || answer.values.iter();
        let there = |(key, value): (&Arc<str>, &Result<Json, End>)| {
            Some((key.to_string(), value.clone().ok()?))
        };
        let absent = |(key, value): (&Arc<str>, &Result<Json, End>)| {
            Some((key.to_string(), json!(value.as_ref().err()?)))
        };
        let read: Map<String, Json> = values().filter_map(there).collect();
        let absent: Map<String, Json> = values().filter_map(absent).collect();
        let all = json!({ "said": answer.said.to_json(), "read": read, "absent": absent });
        (question.clone(), all)
    });
    answers.collect::<Map<_, _>>().into()
}

fn read<T: Told>(json: &Json) -> BTreeMap<String, Answer<T>> {
    let answers = json.as_object().into_iter().flatten();
    let answer = |(question, answer): (&String, &Json)| {
        let there = answer["read"].as_object()?.iter();
        let there = there.map(|(key, value)| (Arc::from(key.as_str()), Ok(value.clone())));
        let absent = answer["absent"].as_object()?.iter();
        let absent =
            absent.filter_map(|(key, end)| Some((Arc::from(key.as_str()), Err(end.as_u64()?))));
        let values = there.chain(absent).collect();
        Some((question.clone(), Answer { said: T::from_json(&answer["said"])?, values }))
    };
    answers.filter_map(answer).take(MAX_ANSWERS).collect()
}

impl Told for bool {
    fn all(kept: &Kept) -> &BTreeMap<String, Answer<Self>> {
        &kept.matchers
    }

    fn all_mut(kept: &mut Kept) -> &mut BTreeMap<String, Answer<Self>> {
        &mut kept.matchers
    }

    fn to_json(&self) -> Json {
        json!(self)
    }

    fn from_json(json: &Json) -> Option<Self> {
        json.as_bool()
    }
}

impl Told for Printed {
    fn all(kept: &Kept) -> &BTreeMap<String, Answer<Self>> {
        &kept.helpers
    }

    fn all_mut(kept: &mut Kept) -> &mut BTreeMap<String, Answer<Self>> {
        &mut kept.helpers
    }

    fn to_json(&self) -> Json {
        json!({ "value": self.value, "class": self.class.as_str(), "cause": self.cause })
    }

    fn from_json(json: &Json) -> Option<Self> {
        let class = json["class"].as_str().and_then(class_named)?;
        let cause = json["cause"].as_u64().map(|cause| cause as usize);
        Some(Self { value: json.get("value")?.clone(), class, cause })
    }
}

impl Told for Yielded {
    fn all(kept: &Kept) -> &BTreeMap<String, Answer<Self>> {
        &kept.components
    }

    fn all_mut(kept: &mut Kept) -> &mut BTreeMap<String, Answer<Self>> {
        &mut kept.components
    }

    /// What was told is not written: it was told once, and a session that goes on elsewhere need not repeat it.
    fn to_json(&self) -> Json {
        let Reads { keys, widened, .. } = &self.reads;
        let widened = widened.as_ref().map(|(class, reason)| json!([class.as_str(), reason]));
        let output = self.output.as_ref().map(|Output { text, origins }| {
            let origins = origins.iter().map(|(range, origin)| {
                json!({ "start": range.start, "end": range.end, "origin": origin.to_json() })
            });
            json!({ "text": text, "origins": origins.collect::<Vec<_>>() })
        });
        json!({ "output": output, "keys": keys, "sections": self.earlier, "widened": widened })
    }

    fn from_json(json: &Json) -> Option<Self> {
        let keys = json["keys"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let keys = keys.map(str::to_owned).collect();
        let earlier = json["sections"].as_object().into_iter().flatten();
        let earlier = earlier.map(|(id, digest)| (id.clone(), digest.as_str().map(str::to_owned)));
        let earlier: BTreeMap<String, Option<String>> = earlier.collect();
        let widened = json["widened"].as_array().and_then(|pair| {
            let class = class_named(pair.first()?.as_str()?)?;
            Some((class, pair.get(1)?.as_str()?.to_owned()))
        });
        let output = match json.get("output")? {
            Json::Null => None,
            output => Some(Output {
                text: output["text"].as_str()?.into(),
                origins: output["origins"].as_array()?.iter().filter_map(origin).collect(),
            }),
        };
        let reads = Reads::of(keys, earlier.keys().cloned().collect(), widened);
        Some(Self { output, reads, earlier, told: Vec::new() })
    }
}

fn origin(json: &Json) -> Option<(Range<usize>, Origin)> {
    let at = |key: &str| Some(json[key].as_u64()? as usize);
    Some((at("start")?..at("end")?, Origin::from_json(&json["origin"])))
}

fn class_named(name: &str) -> Option<CacheClass> {
    let all = [CacheClass::Static, CacheClass::Session, CacheClass::Volatile];
    all.into_iter().find(|class| class.as_str() == name)
}
