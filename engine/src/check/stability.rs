//! Checks how stable what a variant prints is, by what its texts may read.
//!
//! In: a variant in print order. Out: notes about what ends the static head early, multiplies it, or leaves it too short to be
//! cached. Never: knows what a build will read; a text that may read a key counts as one that does.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Check;
use crate::build::CACHE_BOUNDARY;
use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::facts::{Known, Marks};
use crate::model::{
    Body, Case, CaseBody, Component, ComponentId, ToolCalls, ToolId, Variant, default_of,
};
use crate::moment::STANDARD_NAMES;
use crate::template::{Reference, ReferenceKind, Template};
use crate::trace::CacheClass;

/// A value that a text may read.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) name: Arc<str>,
    pub(super) class: CacheClass,
    /// Where it is asked for.
    origin: Origin,
}

/// What stands in a prompt, in print order.
enum Printed<'a> {
    /// A component's section, where its step is written.
    Section(&'a Component, Origin),
    /// A value of the base template itself.
    Value(Read),
    /// The assertion that all before it is static.
    Boundary,
}

/// The tools' list, as templates and cases ask for it.
const TOOLS: &str = "tools";

impl<'a> Check<'a> {
    /// What a variant prints.
    pub(super) fn stability(&mut self, variant: &'a Variant) {
        let printed = self.printed(variant);
        self.volatile_early(variant, &printed);
        self.head_split(variant, &printed);
        self.boundary_broken(variant, &printed);
        self.head_short(variant, &printed);
    }

    /// Something volatile before a section that is static.
    fn volatile_early(&mut self, variant: &Variant, printed: &[Printed<'_>]) {
        let sections = || {
            printed.iter().filter_map(|one| match one {
                Printed::Section(component, origin) => Some((*component, origin)),
                Printed::Value(_) | Printed::Boundary => None,
            })
        };
        let volatile = sections().enumerate().find_map(|(at, (component, origin))| {
            let reads = self.reads(variant, component);
            let read = reads.into_iter().find(|read| read.class == CacheClass::Volatile)?;
            Some((at, component, origin, read))
        });
        let Some((at, early, origin, read)) = volatile else { return };
        let behind = sections().skip(at + 1).map(|(component, _)| component);
        let Some(late) = behind.into_iter().find(|late| self.is_static(variant, late)) else {
            return;
        };
        let message = format!(
            "`{}` reads `{}`, which is volatile, and stands before `{}`, which is static",
            early.id, read.name, late.id
        );
        let told = Diagnostic::new(Code::VolatileEarly, message, origin.clone());
        self.told.push(told.help("move it behind what is static, best to the end"));
    }

    /// Values within the static head that are fixed, but not by the model.
    fn head_split(&mut self, variant: &Variant, printed: &[Printed<'_>]) {
        let of_head = self.head(variant, printed).into_iter();
        let of_head = of_head.flat_map(|one| self.reads_of(variant, one));
        let mut splits: Vec<Read> = of_head.filter(|read| !is_of_model(&read.name)).collect();
        let mut seen = BTreeSet::new();
        splits.retain(|read| seen.insert(Arc::clone(&read.name)));
        for Read { name, origin, .. } in splits {
            let message = format!(
                "the static head depends on `{name}`, so there is one for each of its values"
            );
            let told = Diagnostic::new(Code::HeadSplit, message, origin);
            self.told.push(told.help("move what depends on it behind the static head"));
        }
    }

    /// What is not static before the boundary.
    fn boundary_broken(&mut self, variant: &Variant, printed: &[Printed<'_>]) {
        let boundary = printed.iter().position(|one| matches!(one, Printed::Boundary));
        let before = boundary.map_or(&[][..], |at| &printed[..at]);
        let mut reads = before.iter().flat_map(|one| self.reads_of(variant, one));
        let first = reads.find(|read| read.class > CacheClass::Static);
        if let Some(Read { name, class, origin }) = first {
            let message = format!("`{name}` is {class} and stands before the cache boundary");
            let told = Diagnostic::new(Code::BoundaryBroken, message, origin);
            self.told.push(told.help("move it behind the boundary, or move the boundary up"));
        }
    }

    /// A static head that a model which the variant names does not cache.
    fn head_short(&mut self, variant: &Variant, printed: &[Printed<'_>]) {
        let models = variant.matcher.as_ref().and_then(|matcher| matcher.models.as_ref());
        let bytes = self.head(variant, printed).into_iter().map(|one| match one {
            Printed::Section(component, _) => source_bytes(variant, component),
            Printed::Value(_) | Printed::Boundary => 0,
        });
        let bytes: usize = bytes.sum();
        if bytes == 0 {
            return;
        }
        let bytes = bytes + self.tool_bytes(variant);
        for model in models.into_iter().flat_map(|models| models.named()) {
            let facts = self.model_data.facts_anywhere(None, model);
            let about = facts.estimate(bytes);
            if facts.known != Known::Model || facts.marks == Marks::None || about >= facts.minimum {
                continue;
            }
            let minimum = facts.minimum;
            let message = format!(
                "the static head has about {about} tokens, and `{model}` caches {minimum} or more"
            );
            let told = Diagnostic::new(Code::HeadShort, message, variant.origin.clone());
            self.told.push(
                told.help("nothing is lost but the discount; put more of the text into the head"),
            );
            return;
        }
    }

    /// What stands before the first that may not be static.
    fn head<'p>(&self, variant: &Variant, printed: &'p [Printed<'a>]) -> Vec<&'p Printed<'a>> {
        let stays = |one: &&Printed<'_>| match one {
            Printed::Section(component, _) => self.is_static(variant, component),
            Printed::Value(read) => read.class == CacheClass::Static,
            Printed::Boundary => true,
        };
        printed.iter().take_while(stays).collect()
    }

    /// What a variant prints, in order; what its template does not print is left out.
    fn printed(&self, variant: &'a Variant) -> Vec<Printed<'a>> {
        let section = |id: &ComponentId, origin: &Origin| {
            let is_off = variant.overrides.get(id).is_some_and(|own| !own.enabled);
            let component = self.registry.components.get(id).filter(|_| !is_off)?;
            Some(Printed::Section(component, origin.clone()))
        };
        let Some(template) = &variant.template else {
            let steps = variant.order.iter().filter_map(|step| match step.id.as_str() {
                CACHE_BOUNDARY => Some(Printed::Boundary),
                _ => section(&step.id, &step.origin),
            });
            return steps.collect();
        };
        let mut named: Vec<_> = self.with_partials(template).collect();
        named.sort_by_key(|(own, one)| (!std::ptr::eq(*own, &**template), one.range.start));
        let printed = named.into_iter().filter_map(|(own, one)| {
            if one.kind == ReferenceKind::Helper && &*one.name == CACHE_BOUNDARY {
                return Some(Printed::Boundary);
            }
            let name = one.name.strip_prefix("sections.").unwrap_or(&one.name);
            let step = variant.order.iter().find(|step| step.id.as_str() == name);
            match step.filter(|_| one.kind == ReferenceKind::Path) {
                Some(step) => section(&step.id, &step.origin),
                None => self.read(own, one).map(Printed::Value),
            }
        });
        printed.collect()
    }

    /// Whether a section is the same words in each build; code may read anything.
    fn is_static(&self, variant: &Variant, component: &Component) -> bool {
        let is_code = |body: &Body| matches!(body, Body::From(_) | Body::Value(_));
        let sections =
            |template: &Template| self.with_partials(template).any(|(_, one)| is_section(one));
        !is_code(&component.body)
            && !wordings(variant, component).into_iter().any(sections)
            && self.reads(variant, component).iter().all(|read| read.class == CacheClass::Static)
    }

    /// What stands there may read of the context.
    fn reads_of(&self, variant: &Variant, printed: &Printed<'_>) -> Vec<Read> {
        match printed {
            Printed::Section(component, _) => self.reads(variant, component),
            Printed::Value(read) => vec![read.clone()],
            Printed::Boundary => Vec::new(),
        }
    }

    /// What a component may read of the context, in the wording that a variant has for it.
    pub(super) fn reads(&self, variant: &Variant, component: &Component) -> Vec<Read> {
        let Some(own) = own_body(variant, component) else { return self.own_reads(component) };
        let mut reads = self.conditions(&component.when);
        reads.extend(own.template().into_iter().flat_map(|template| self.within_reads(template)));
        if wordings(variant, component).len() > 1 {
            reads.extend(self.own_reads(component));
        }
        reads
    }

    /// The same in its own wording.
    pub(super) fn own_reads(&self, component: &Component) -> Vec<Read> {
        let mut reads = self.conditions(&component.when);
        let templates = component.body.templates().into_iter();
        reads.extend(templates.flat_map(|template| self.within_reads(template)));
        match &component.body {
            Body::Cases(cases) => {
                for Case { when, tools, .. } in &cases.cases {
                    reads.extend(self.conditions(when));
                    let tools = tools.first();
                    reads.extend(tools.and_then(|_| self.named(TOOLS, component.origin.clone())));
                }
            }
            Body::Value(path) => reads.extend(self.named(path, component.origin.clone())),
            Body::Template(_) | Body::Text(_) | Body::From(_) => {}
        }
        reads
    }

    /// What a template and its partials read of the context.
    pub(super) fn within_reads(&self, template: &Template) -> Vec<Read> {
        let names = self.with_partials(template);
        names.filter_map(|(own, one)| self.read(own, one)).collect()
    }

    pub(super) fn conditions(&self, when: &Option<Condition>) -> Vec<Read> {
        let all = when.iter().flat_map(|when| when.paths().iter().map(move |path| (when, path)));
        all.filter_map(|(when, path)| self.named(path, when.origin().clone())).collect()
    }

    /// What a name of a template reads of the context.
    fn read(&self, template: &Template, reference: &Reference) -> Option<Read> {
        let origin = || template.source().origin_of(reference.range.clone());
        match reference.kind {
            ReferenceKind::Path => self.named(&reference.name, origin()),
            ReferenceKind::Role | ReferenceKind::Tool => self.named(TOOLS, origin()),
            ReferenceKind::Helper if &*reference.name == "tool_docs" => self.named(TOOLS, origin()),
            ReferenceKind::Helper | ReferenceKind::Partial | ReferenceKind::Section => None,
        }
    }

    /// A known key, one below `ctx`, or a name that shows one; nothing else is of the context.
    fn named(&self, name: &str, origin: Origin) -> Option<Read> {
        let standard = STANDARD_NAMES.iter().find(|(known, _)| *known == name);
        let path = standard.map_or(name, |(_, key)| key);
        let steps: Vec<&str> = path.split('.').collect();
        let is_key = default_of(steps[0]).is_some() || steps[0] == "ctx";
        let class = self.registry.class_of_path(&steps);
        is_key.then(|| Read { name: name.into(), class, origin })
    }

    /// Roughly the bytes of the tools that are declared: those of their words.
    fn tool_bytes(&self, variant: &Variant) -> usize {
        if variant.tool_calls != ToolCalls::Native {
            return 0;
        }
        let is_offered = |id: &ToolId| variant.tools.as_ref().is_none_or(|own| own.contains(id));
        let tools = self.registry.tools.iter().filter(|(id, _)| is_offered(id));
        let words = tools.flat_map(|(_, tool)| {
            let own = tool.parameters.iter();
            own.map(|one| PARAMETER_BYTES + len(&one.instruction)).chain([len(&tool.description)])
        });
        words.sum()
    }
}

/// What the schema of a parameter takes beside its words.
const PARAMETER_BYTES: usize = 60;

fn len(template: &Option<Arc<Template>>) -> usize {
    template.as_ref().map_or(0, |template| template.source().text.len())
}

/// The wording of a variant's own, where it has one.
fn own_body<'v>(variant: &'v Variant, component: &Component) -> Option<&'v CaseBody> {
    variant.overrides.get(&component.id)?.body.as_ref()
}

/// The templates that a section may be made of.
fn wordings<'t>(variant: &'t Variant, component: &'t Component) -> Vec<&'t Template> {
    let own = own_body(variant, component);
    let template = own.and_then(CaseBody::template);
    let names_base = |template: &&Template| template.paths().any(|path| path == "base");
    if own.is_some() && !template.iter().any(names_base) {
        return template.into_iter().collect();
    }
    template.into_iter().chain(component.body.templates()).collect()
}

/// The bytes of a section's words as they are written.
fn source_bytes(variant: &Variant, component: &Component) -> usize {
    let text = match (own_body(variant, component), &component.body) {
        (Some(CaseBody::Text(text)), _) | (None, Body::Text(text)) => text.text.len(),
        (Some(CaseBody::Template(_)), Body::Text(text)) => text.text.len(),
        (Some(CaseBody::Template(_)) | None, _) => 0,
    };
    let templates = wordings(variant, component).into_iter();
    text + templates.map(|template| template.source().text.len()).sum::<usize>()
}

fn is_section(reference: &Reference) -> bool {
    reference.kind == ReferenceKind::Section || reference.name.starts_with("sections.")
}

/// Whether a value is the model's, for which there is a cache of its own anyway.
fn is_of_model(name: &str) -> bool {
    let path = name.strip_prefix("ctx.").unwrap_or(name);
    let root = path.split('.').next().unwrap_or(path);
    matches!(root, "model" | "provider" | "variant" | "MODEL_FAMILY")
}
