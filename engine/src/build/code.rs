//! Components written in code: their inputs, their batches, and the class of what they read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::body::whole;
use super::{Failure, Run, Yield};
use crate::diagnostic::{Code, Diagnostic, SourceText};
use crate::extension::{Batch, Build, CodeComponent, Inputs, Output, Reads, item_origin, shielded};
use crate::model::{Body, Component, SkipReason, Step};
use crate::moment::Moment;
use crate::trace::{CacheClass, Piece, PieceKind, Source, Traced};

/// The batches of one build, by extension; each begins before the first of its components runs.
pub(super) struct Batches<'a> {
    moment: &'a Moment<'a>,
    items: BTreeMap<String, Vec<Arc<str>>>,
    begun: BTreeMap<String, Option<Box<dyn Batch + 'a>>>,
}

impl<'a> Batches<'a> {
    pub(super) fn new(moment: &'a Moment<'a>, steps: &[Step]) -> Self {
        let mut items: BTreeMap<String, Vec<Arc<str>>> = BTreeMap::new();
        for step in steps {
            let component = moment.world.registry.components.get(&step.id);
            let Some(Body::From(item)) = component.map(|component| &component.body) else {
                continue;
            };
            if let Some((extension, id)) = item.split_once('/') {
                items.entry(extension.into()).or_default().push(id.into());
            }
        }
        Self { moment, items, begun: BTreeMap::new() }
    }

    fn of(&mut self, item: &str) -> Option<&mut (dyn Batch + 'a)> {
        let (name, _) = item.split_once('/')?;
        if !self.begun.contains_key(name) {
            let begun = self.begin(name, item);
            self.begun.insert(name.into(), begun);
        }
        self.begun.get_mut(name)?.as_deref_mut()
    }

    fn begin(&self, name: &str, item: &str) -> Option<Box<dyn Batch + 'a>> {
        let extension = self.moment.world.extensions.owner(item)?;
        let components = self.items.get(name).map_or(&[][..], Vec::as_slice);
        let build = Build {
            variant: &self.moment.world.variant.id,
            context: self.moment.world.context,
            components,
        };
        // A `begin` that panics leaves the items to be run one by one, and they are shielded too.
        shielded(|| Ok(extension.begin(&build))).ok().flatten()
    }
}

impl Run<'_, '_> {
    /// Runs an item of an extension.
    pub(super) fn code(
        &mut self,
        component: &Component,
        item: &Arc<str>,
    ) -> Result<Yield, Failure> {
        let moment = self.moment;
        let code = moment.world.extensions.component(item);
        let code = code.ok_or_else(|| Failure::item(item))?;
        let sections = self.sections;
        let earlier = |id: &str| sections.text(id);
        let inputs = Inputs::new(
            moment.world.context,
            moment.world.variant,
            &earlier,
            code.reads.as_deref(),
        );
        let (_, id) = item.split_once('/').unwrap_or(("", item));
        let output = match self.batches.of(item) {
            Some(batch) => shielded(|| batch.component(id, &inputs))?,
            None => shielded(|| (code.run)(&inputs))?,
        };
        let reads = inputs.into_reads();
        self.tell_refused(component, &reads);
        let (class, cause) = self.class_of_reads(code, &reads);
        Ok(match output {
            Some(output) => Yield::Text(traced(&output, item, class, cause.as_deref())),
            None => Yield::Nothing(SkipReason::Empty, "it yielded nothing".into(), class),
        })
    }

    fn class_of_reads(&self, code: &CodeComponent, reads: &Reads) -> (CacheClass, Option<String>) {
        let keys = reads.keys.iter().map(|key| (self.moment.world.class_of_path(key), key.clone()));
        let sections = reads.sections.iter().filter_map(|id| {
            let built = self.sections.get(id)?;
            let class = match &built.outcome {
                super::Outcome::Section { class, .. } => *class,
                super::Outcome::Skipped { .. } => built.presence,
            };
            Some((class.max(built.presence), format!("sections.{id}")))
        });
        let declared = code.class.map(|class| (class, code.reason.clone().unwrap_or_default()));
        let widest = keys.chain(sections).chain(declared).max_by_key(|(class, _)| *class);
        widest.map_or((CacheClass::Static, None), |(class, cause)| (class, Some(cause)))
    }

    fn tell_refused(&mut self, component: &Component, reads: &Reads) {
        for key in &reads.refused {
            let message =
                format!("component `{}` reads `{key}` without declaring it", component.id);
            let told = Diagnostic::new(Code::InputUndeclared, message, component.origin.clone());
            self.told.push(told.help("it got nothing; add the key to what the component reads"));
        }
    }
}

fn traced(output: &Output, item: &str, class: CacheClass, cause: Option<&str>) -> Traced {
    let own = SourceText::new("", item_origin(item));
    if output.origins.is_empty() {
        return whole(&own, &output.text, class, PieceKind::Value, cause);
    }
    let mut traced = whole(&own, "", class, PieceKind::Value, cause);
    traced.pieces.clear();
    traced.text.clone_from(&output.text);
    let mut push = |end: usize, source: u32| {
        traced.pieces.push(Piece { end: end as u32, kind: PieceKind::Value, class, source, at: 0 });
    };
    let (mut at, mut sources) = (0, Vec::new());
    for (range, origin) in &output.origins {
        let fits = range.start >= at && range.end <= output.text.len() && range.start < range.end;
        if !fits
            || !output.text.is_char_boundary(range.start)
            || !output.text.is_char_boundary(range.end)
        {
            continue;
        }
        if range.start > at {
            push(range.start, 0);
        }
        sources.push(Source::new(SourceText::new("", origin.clone())));
        push(range.end, sources.len() as u32);
        at = range.end;
    }
    if at < output.text.len() {
        push(output.text.len(), 0);
    }
    traced.sources.extend(sources);
    traced
}
