//! Chooses the variant for a context.
//!
//! In: a [`Registry`], a [`Context`] and what was asked for. Out: a [`Selection`]: the variant, its
//! effective tools, and who was asked before it. Never: reads files, renders text, calls a component.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::sync::{Arc, LazyLock};

use serde_json::{Value as Json, json};

use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::error::Error;
use crate::extension::{Extensions, Inputs, shielded};
use crate::model::{Context, Matcher, NamedMatcher, Subject, Variant};
use crate::moment::{Moment, World};
use crate::recall::{Desk, Record};
use crate::registry::Registry;
use crate::tools::Described;

/// What the host asks for instead of, or besides, matching.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ask {
    /// A variant: `ID`, `ID@VERSION` or `ID@LABEL`.
    pub variant: Option<String>,
    /// The version that carries this label, of the variant that matches.
    pub label: Option<String>,
    /// Only variants with this tag are asked.
    pub tag: Option<String>,
    /// How many tokens the prompt may have; before the context's `request.budget`.
    pub budget: Option<usize>,
}

impl Ask {
    /// `{variant, label, tag, budget}`.
    pub(crate) fn to_json(&self) -> Json {
        let Self { variant, label, tag, budget } = self;
        json!({ "variant": variant, "label": label, "tag": tag, "budget": budget })
    }

    /// Reads what [`Ask::to_json`] wrote; what has another shape is left out.
    pub(crate) fn from_json(json: &Json) -> Self {
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let budget = json["budget"].as_u64().map(|most| most as usize);
        Self { variant: text("variant"), label: text("label"), tag: text("tag"), budget }
    }
}

/// The variant that was chosen, and why.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Selection {
    /// The variant.
    pub variant: Arc<Variant>,
    /// Why it was chosen, as a sentence.
    pub why: String,
    /// Who was asked, in order; the chosen one is the last.
    pub walk: Vec<Asked>,
    /// What was said on the way: a label that does not exist, a matcher that failed.
    pub diagnostics: Vec<Diagnostic>,
}

/// One variant that was asked, and what its matcher said.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Asked {
    /// The variant.
    pub variant: Arc<Variant>,
    /// Whether it claimed the context.
    pub matched: bool,
    /// The key that decided: `models`, `providers`, `matchers`, `when`, or `all`.
    pub reason: &'static str,
    /// What decided, as a sentence.
    pub detail: Cow<'static, str>,
}

/// The fallback's id.
pub(crate) const FALLBACK: &str = "generic";

/// Who can be chosen, and for what.
#[derive(Clone, Copy)]
pub(crate) struct Field<'a, 'c> {
    pub(crate) registry: &'a Registry,
    pub(crate) extensions: &'a Extensions,
    /// Those of [`candidates`].
    pub(crate) candidates: &'a [Arc<Variant>],
    pub(crate) context: &'c Context,
    /// The tools that the context describes, once somebody asks for them.
    pub(crate) described: &'a OnceCell<Described<'c>>,
    /// Where a session writes down what is read, and keeps what matchers said.
    pub(crate) desk: Option<&'a Desk>,
}

/// Chooses the variant.
///
/// # Errors
/// `no-variant` when nothing matches and there is no `generic`; `unknown-variant`, `unknown-version`.
#[tracing::instrument(level = "debug", skip_all)]
pub(crate) fn select(field: &Field<'_, '_>, ask: &Ask) -> Result<Selection, Error> {
    let mut walk = Walk::new(field);
    let (variant, why) = match &ask.variant {
        Some(name) => (named(field.registry, name)?, format!("it was asked for as `{name}`")),
        None => walk.first_match(ask.tag.as_deref())?,
    };
    let variant = match &ask.label {
        Some(label) => labelled(field.registry, variant, label, &mut walk.diagnostics),
        None => variant,
    };
    Ok(Selection { variant, why, walk: walk.asked, diagnostics: walk.diagnostics })
}

/// The current versions that have a matcher, in the order in which they are asked: by priority, then
/// later packs first, then by id.
pub(crate) fn candidates(registry: &Registry) -> Vec<Arc<Variant>> {
    let current = registry.variants.keys().filter_map(|id| registry.current(id.as_str()));
    let mut candidates: Vec<_> =
        current.filter(|variant| variant.matcher.is_some()).cloned().collect();
    let priority =
        |variant: &Variant| variant.matcher.as_ref().map_or(0, |matcher| matcher.priority);
    candidates.sort_by(|a, b| {
        let key = |variant: &Arc<Variant>| (Reverse(priority(variant)), Reverse(variant.rank));
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
    candidates
}

fn named(registry: &Registry, name: &str) -> Result<Arc<Variant>, Error> {
    let (id, version) =
        name.split_once('@').map_or((name, None), |(id, version)| (id, Some(version)));
    let versions = registry.variants.get(id).ok_or_else(|| {
        let known: Vec<&str> = registry.variants.keys().map(|id| id.as_str()).collect();
        let listed = || format!("known are: {}", known.join(", "));
        let help = did_you_mean(id, known.iter().copied(), listed);
        Error::new("unknown-variant", format!("there is no variant `{id}`"), help)
    })?;
    let number = match version {
        None => Some(versions.current),
        Some(version) => versions.number(version),
    };
    number.and_then(|number| versions.by_number.get(&number)).cloned().ok_or_else(|| {
        let version = version.unwrap_or_default();
        let numbers = versions.by_number.keys().map(u32::to_string);
        let known: Vec<String> =
            numbers.chain(versions.labels.keys().map(ToString::to_string)).collect();
        let help = format!("its versions and labels are: {}", known.join(", "));
        Error::new("unknown-version", format!("variant `{id}` has no version `{version}`"), help)
    })
}

fn labelled(
    registry: &Registry,
    variant: Arc<Variant>,
    label: &str,
    diagnostics: &mut Vec<Diagnostic>,
) -> Arc<Variant> {
    let versions = registry.variants.get(&variant.id);
    let number = versions.and_then(|versions| versions.number(label));
    if let Some(found) = versions.zip(number).and_then(|(all, number)| all.by_number.get(&number)) {
        return Arc::clone(found);
    }
    let message = format!("variant `{}` has no version labelled `{label}`", variant.id);
    let help = format!("version {} was used; name labels in `pack.toml`", variant.version);
    let origin = variant.origin.clone();
    diagnostics.push(Diagnostic::new(Code::LabelFallback, message, origin).help(help));
    variant
}

/// Asks one candidate after another.
struct Walk<'a, 'c> {
    field: &'a Field<'a, 'c>,
    model: Subject,
    provider: Subject,
    asked: Vec<Asked>,
    diagnostics: Vec<Diagnostic>,
}

/// Why a candidate does not claim the context: the key that decided, and what it said.
struct Refusal {
    reason: &'static str,
    detail: Cow<'static, str>,
}

impl<'a, 'c> Walk<'a, 'c> {
    fn new(field: &'a Field<'a, 'c>) -> Self {
        let text = |path| {
            if let Some(desk) = field.desk {
                desk.read(path);
            }
            field.context.text(path).unwrap_or_default()
        };
        let (model, provider) = (text("model.id"), text("provider.id"));
        let (model, provider) = (Subject::model(model), Subject::provider(provider));
        Self { field, model, provider, asked: Vec::new(), diagnostics: Vec::new() }
    }

    fn first_match(&mut self, tag: Option<&str>) -> Result<(Arc<Variant>, String), Error> {
        let carries =
            |variant: &Variant| tag.is_none_or(|tag| variant.tags.iter().any(|own| &**own == tag));
        for variant in self.field.candidates.iter().filter(|variant| carries(variant)) {
            let Some(matcher) = &variant.matcher else { continue };
            let refusal = self.refusal(variant, matcher);
            let matched = refusal.is_none();
            let Refusal { reason, detail } = refusal
                .unwrap_or_else(|| Refusal { reason: "all", detail: describe(matcher).into() });
            let why = matched.then(|| detail.to_string());
            self.asked.push(Asked { variant: Arc::clone(variant), matched, reason, detail });
            if let Some(why) = why {
                return Ok((Arc::clone(variant), why));
            }
        }
        let fallback = self.field.registry.current(FALLBACK).filter(|variant| carries(variant));
        let fallback = fallback.ok_or_else(|| self.nothing(tag))?;
        Ok((Arc::clone(fallback), "no other variant claimed the context".into()))
    }

    /// The first key that says no, cheapest first; none when all hold.
    fn refusal(&mut self, variant: &Variant, matcher: &Matcher) -> Option<Refusal> {
        for (reason, patterns, id) in [
            ("models", &matcher.models, &self.model),
            ("providers", &matcher.providers, &self.provider),
        ] {
            let verdict = patterns.as_ref().map(|patterns| patterns.matches(id));
            if let Some(verdict) = verdict.filter(|verdict| !verdict.holds()) {
                return Some(Refusal { reason, detail: verdict.describe() });
            }
        }
        if let Some(condition) = &matcher.when {
            let moment = moment(self.field, variant, condition);
            let (holds, missing) = moment.decide(condition, &mut self.diagnostics);
            if !holds {
                let missing = missing.map(|key| format!(", `{key}` is absent"));
                let missing = missing.as_deref().unwrap_or_default();
                let detail = ["`", condition.text(), "`", missing].concat().into();
                return Some(Refusal { reason: "when", detail });
            }
        }
        let detail = matcher.matchers.iter().find_map(|named| self.ask_code(variant, named))?;
        Some(Refusal { reason: "matchers", detail: detail.into() })
    }

    /// Why a matcher of an extension says no; none when it says yes.
    fn ask_code(&mut self, variant: &Variant, named: &NamedMatcher) -> Option<String> {
        let NamedMatcher { name, origin } = named;
        let Some(matcher) = self.field.extensions.matcher(name) else {
            let message = format!(
                "variant `{}` asks matcher `{name}`, which no extension supplies",
                variant.id
            );
            let diagnostic = Diagnostic::new(Code::MatcherUnknown, message, origin.clone());
            self.diagnostics.push(
                diagnostic.help("load the extension that has it; until then the answer is no"),
            );
            return Some(format!("`{name}` does not exist"));
        };
        let Field { registry, context, desk, .. } = *self.field;
        let question = self.question(variant, name);
        // A matcher is asked once in a session for each variant and model: the prompt must not turn into another one.
        if let Some(kept) = desk.and_then(|desk| desk.answer::<bool>(&question, context)) {
            return (!kept.said).then(|| format!("`{name}` said no when the session began"));
        }
        let inputs = Inputs::new(registry, context, variant, matcher.code.reads.as_deref());
        let answer = shielded(|| (matcher.code.run)(&inputs));
        if let (Some(desk), Ok(said)) = (desk, &answer) {
            desk.keep(&question, *said, &Record::default(), context);
        }
        let told = inputs.into_reads().told(&format!("matcher `{name}`"), &matcher.origin);
        self.diagnostics.extend(told);
        match answer {
            Ok(true) => None,
            Ok(false) => Some(format!("`{name}` said no")),
            Err(why) => {
                if let Some(desk) = desk {
                    desk.loosen();
                }
                let message = format!("matcher `{name}` of variant `{}` failed: {why}", variant.id);
                let diagnostic = Diagnostic::new(Code::MatcherFailed, message, origin.clone());
                self.diagnostics
                    .push(diagnostic.help("its answer counts as no; mend the extension"));
                Some(format!("`{name}` failed"))
            }
        }
    }

    fn question(&self, variant: &Variant, matcher: &str) -> String {
        let text = |path| self.field.context.text(path).unwrap_or_default();
        let asked = format!("{matcher} {:?} {:?}", text("model.id"), text("provider.id"));
        variant.question(&asked)
    }

    fn nothing(&self, tag: Option<&str>) -> Error {
        let model = self.field.context.text("model.id");
        let claimed = model.map_or("this context".into(), |model| format!("model `{model}`"));
        let answers = self.asked.iter().map(|asked| {
            format!("`{}` said no by {} ({})", asked.variant.id, asked.reason, asked.detail)
        });
        let answers: Vec<String> = answers.collect();
        let answers =
            if answers.is_empty() { "nobody was asked".into() } else { answers.join("; ") };
        let tagged = tag.map(|tag| format!(" tagged `{tag}`")).unwrap_or_default();
        let fallback = match self.field.registry.current(FALLBACK) {
            Some(_) => format!("`{FALLBACK}` does not carry the tag"),
            None => format!("there is no `{FALLBACK}`"),
        };
        let message = format!("no variant{tagged} claims {claimed}, and {fallback}: {answers}");
        let help = "load a pack with a variant `generic`, or ask for one by name";
        Error::new("no-variant", message, help)
    }
}

fn describe(matcher: &Matcher) -> String {
    let mut keys = Vec::new();
    keys.extend(matcher.models.as_ref().map(|_| "models"));
    keys.extend(matcher.providers.as_ref().map(|_| "providers"));
    keys.extend(matcher.when.as_ref().map(|_| "when"));
    keys.extend((!matcher.matchers.is_empty()).then_some("matchers"));
    match keys.as_slice() {
        [] => "its `[match]` asks for nothing".into(),
        ["when"] => "its condition holds".into(),
        keys => format!("its {} hold", keys.join(", ")),
    }
}

/// What a context without tools describes.
static NOTHING: LazyLock<Described<'static>> = LazyLock::new(Described::default);

/// The candidate's moment; its tools are chosen only for a condition that names them.
fn moment<'a, 'c: 'a>(
    field: &Field<'a, 'c>,
    variant: &'a Variant,
    condition: &Condition,
) -> Moment<'a> {
    let Field { registry, extensions, context, described, desk, .. } = *field;
    let world = World { registry, extensions, context, variant, desk };
    if condition.paths().iter().any(|path| &**path == "tools") {
        return Moment::new(world, described.get_or_init(|| Described::read(context)));
    }
    Moment::without_tools(world, &NOTHING)
}
