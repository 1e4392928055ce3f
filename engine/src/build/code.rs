//! Components written in code: their inputs, and the class of what they read.
//!
//! In: a component and the item that it stands for. Out: its text with origins and class, or why there is none.
//! Never: lets a panic through, or a class narrower than what was read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::body::whole;
use super::{Failure, Run, Yield};
use crate::diagnostic::{SourceText, sha256};
use crate::extension::{CodeComponent, Inputs, Output, Reads, item_origin, shielded};
use crate::model::{Component, SkipReason};
use crate::moment::World;
use crate::recall::{Desk, Record, Yielded};
use crate::trace::{CacheClass, Piece, PieceKind, Source, Traced};

/// Whether a session knows what an item would say, whatever the sections before it.
pub(super) fn is_kept(world: World<'_>, component: &Component, item: &str) -> bool {
    let World { context, variant, desk, .. } = world;
    let kept = |desk: &Desk| {
        let question = desk.question(variant, component.id.as_str(), item);
        desk.answer::<Yielded>(&question, context)
    };
    desk.and_then(kept).is_some_and(|kept| kept.said.earlier.is_empty())
}

impl Run<'_, '_> {
    /// Runs an item of an extension.
    pub(super) fn code(
        &mut self,
        component: &Component,
        item: &Arc<str>,
    ) -> Result<Yield, Failure> {
        let World { extensions, context, variant, desk, .. } = self.moment.world;
        let code = extensions.component(item).ok_or_else(|| Failure::no_item(item))?;
        let kept = desk.and_then(|desk| {
            let question = desk.question(variant, component.id.as_str(), item);
            desk.answer::<Yielded>(&question, context)
        });
        let kept = kept.filter(|kept| kept.said.earlier == self.digests(kept.said.earlier.keys()));
        let Yielded { output, reads, told, .. } = match kept {
            Some(kept) => {
                if let Some(desk) = desk {
                    desk.add(&kept.record());
                }
                kept.said
            }
            None => self.ask(component, item, code)?,
        };
        self.told.extend(told);
        self.widened = reads.widened.as_ref().map(|(class, _)| *class);
        let (class, cause) = self.class_of_reads(code, &reads);
        Ok(match output {
            Some(output) => Yield::Text(traced(&output, item, class, cause.as_deref())),
            None => Yield::Nothing(SkipReason::Empty, "it yielded nothing".into(), class),
        })
    }

    /// Runs the code, and keeps what it says where there is a session.
    fn ask(
        &mut self,
        component: &Component,
        item: &Arc<str>,
        code: &CodeComponent,
    ) -> Result<Yielded, Failure> {
        let World { registry, context, variant, desk, .. } = self.moment.world;
        let sections = self.sections;
        let earlier = |id: &str| sections.text(id);
        let inputs = Inputs::new(registry, context, variant, code.reads.as_deref()).after(&earlier);
        let (extension, id) = item.split_once('/').unwrap_or(("", item));
        let output = match self.plan.batch(extension) {
            Some(batch) => shielded(|| batch.component(id, &inputs)),
            None => shielded(|| (code.run)(&inputs)),
        };
        let mut reads = inputs.into_reads();
        let told = reads.told(&format!("component `{}`", component.id), &item_origin(item));
        let output = match output {
            Ok(output) => output,
            Err(why) => {
                self.told.extend(told);
                return Err(Failure::of_item(why, item));
            }
        };
        let record = self.record_of(code, &reads);
        let earlier = if desk.is_some() { self.digests(&reads.sections) } else { BTreeMap::new() };
        let yielded = Yielded { output, reads, earlier, told };
        if let Some(desk) = desk {
            desk.add(&record);
            let question = desk.question(variant, component.id.as_str(), item);
            desk.keep(&question, yielded.clone(), &record, context);
            if let Some(output) = yielded.output.as_ref().filter(|_| !record.is_loose) {
                desk.basis(&question, component.id.as_str(), output);
            }
        }
        Ok(yielded)
    }

    /// What earlier sections say, as digests.
    fn digests<'i>(
        &self,
        ids: impl IntoIterator<Item = &'i String>,
    ) -> BTreeMap<String, Option<String>> {
        let digest = |id: &String| self.sections.text(id).map(|text| sha256(text.as_bytes()));
        ids.into_iter().map(|id| (id.clone(), digest(id))).collect()
    }

    /// The keys that an item read, declared, or that earlier sections read for it.
    fn record_of(&self, code: &CodeComponent, reads: &Reads) -> Record {
        let declared = code.reads.iter().flat_map(|keys| keys.iter().cloned());
        let read = reads.keys.iter().map(|key| key.as_str().into());
        let widened = reads.widened.as_ref().map(|(class, _)| *class);
        let is_loose = widened.max(code.class) == Some(CacheClass::Volatile);
        let mut record = Record { keys: declared.chain(read).collect(), is_loose };
        let earlier = reads.sections.iter().filter_map(|id| self.sections.get(id));
        earlier.for_each(|built| record.add(&built.record));
        record
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
        let reason = || code.reason.clone().unwrap_or_else(|| "its declared class".into());
        let declared = code.class.map(|class| (class, reason()));
        // Of equals the last counts: what was read says more than a class that was declared.
        let all = declared.into_iter().chain(sections).chain(keys).chain(reads.widened.clone());
        let widest = all.max_by_key(|(class, _)| *class);
        widest.map_or((CacheClass::Static, None), |(class, cause)| (class, Some(cause)))
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
