//! What conditions and templates see in one build.
//!
//! In: the registry, the context, the variant, the effective tools. Out: values by name, each with its
//! class. Never: sections; those are known to the floors that build and render.

mod diagnose;
mod helpers;
mod names;
mod tools;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use serde_json::Value as Json;

use diagnose::condition_failed;
pub(crate) use diagnose::{diagnose, how_to_define};
pub use names::Layer;
pub(crate) use names::{STANDARD_NAMES, name_taken};
use tools::ToolTexts;

use crate::condition::{Condition, Decision};
use crate::diagnostic::Diagnostic;
use crate::extension::Extensions;
use crate::model::{Context, Variant};
use crate::recall::{Desk, Record, TOOL_KEYS, apart};
use crate::registry::Registry;
use crate::template::{Found, Val};
use crate::tools::{Described, Docs, EffectiveIds, EffectiveTool, Offer};
use crate::trace::CacheClass;

/// What is known of a build before its tools are.
#[derive(Clone, Copy)]
pub(crate) struct World<'a> {
    pub(crate) registry: &'a Registry,
    pub(crate) extensions: &'a Extensions,
    pub(crate) context: &'a Context,
    pub(crate) variant: &'a Variant,
    /// Where a session writes down what is read.
    pub(crate) desk: Option<&'a Desk>,
}

/// Everything that one build knows before its first section.
pub(crate) struct Moment<'a> {
    pub(crate) world: World<'a>,
    pub(crate) tools: EffectiveIds<'a>,
    texts: ToolTexts<'a>,
    worded: OnceCell<(Vec<EffectiveTool>, Record)>,
    docs: OnceCell<Docs>,
    docs_told: Cell<bool>,
    described: &'a Described<'a>,
    /// What decided which tools there are.
    tools_record: Record,
    was_asked: Cell<bool>,
}

/// What a condition said.
pub(crate) struct Answer {
    pub(crate) holds: bool,
    pub(crate) class: CacheClass,
    /// The widest path that it read.
    pub(crate) cause: Option<Box<str>>,
    /// The key that was missing, when that is why it does not hold.
    pub(crate) missing: Option<String>,
}

impl<'a> Moment<'a> {
    pub(crate) fn new(world: World<'a>, described: &'a Described<'a>) -> Self {
        let World { registry, variant, .. } = world;
        let texts = ToolTexts::new(world);
        let (tools, mut tools_record) = apart(world.desk, || {
            EffectiveIds::choose(&Offer { registry, variant, described }, &texts)
        });
        tools_record.keys.extend(TOOL_KEYS.iter().map(|key| Arc::from(*key)));
        Self { tools, texts, tools_record, ..Self::without_tools(world, described) }
    }

    /// A moment without any tools, for a question that does not name them.
    pub(crate) fn without_tools(world: World<'a>, described: &'a Described<'a>) -> Self {
        let (tools, texts) = (EffectiveIds::default(), ToolTexts::new(world));
        Self {
            world,
            tools,
            texts,
            described,
            worded: OnceCell::new(),
            docs: OnceCell::new(),
            docs_told: Cell::new(false),
            tools_record: Record::default(),
            was_asked: Cell::new(false),
        }
    }

    /// What decided which tools there are.
    pub(crate) fn tools_record(&self) -> &Record {
        &self.tools_record
    }

    /// Notes that somebody asked which tools there are.
    pub(crate) fn reads_tools(&self) {
        self.was_asked.set(true);
        if let Some(desk) = self.world.desk {
            desk.add(&self.tools_record);
        }
    }

    /// Whether somebody asked which tools there are.
    pub(crate) fn was_asked_for_tools(&self) -> bool {
        self.was_asked.get()
    }

    /// Asks a condition; a failure counts as false, with a diagnostic.
    pub(crate) fn ask(&self, condition: &Condition, diagnostics: &mut Vec<Diagnostic>) -> Answer {
        let (class, cause) = self.class_of(condition);
        let (holds, missing) = self.decide(condition, diagnostics);
        Answer { holds, class, cause, missing }
    }

    /// Whether a condition holds, and the key that was missing, when that is why it does not.
    pub(crate) fn decide(
        &self,
        condition: &Condition,
        diagnostics: &mut Vec<Diagnostic>,
    ) -> (bool, Option<String>) {
        self.world.reads(condition);
        if condition.paths().iter().any(|path| &**path == "tools") {
            self.reads_tools();
        }
        match condition.decide(self) {
            Decision::Holds(holds) => (holds, None),
            Decision::Missing(key) => (false, Some(key)),
            Decision::Failed(why) => {
                diagnostics.extend(condition_failed(condition, &why));
                (false, None)
            }
        }
    }

    fn class_of(&self, condition: &Condition) -> (CacheClass, Option<Box<str>>) {
        let mut widest = (CacheClass::Static, None);
        for path in condition.paths() {
            let class = match &**path {
                "tools" => self.tools.class,
                path => self.world.class_of_path(path),
            };
            if class > widest.0 {
                widest = (class, Some(path.clone()));
            }
        }
        widest
    }
}

/// A context value as templates see it; null and nothing are missing.
fn shown(value: Option<&Json>) -> Val<'_> {
    value
        .filter(|value| !value.is_null())
        .map_or(Val::Missing, |value| Val::Json(Cow::Borrowed(value)))
}

/// A value that is known by name alone.
fn found(value: Option<&Json>, class: CacheClass) -> Found<'_> {
    Found::new(shown(value), class)
}
