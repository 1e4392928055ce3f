//! The effective tools as templates see them, and what their own texts see.

use std::borrow::Cow;
use std::cell::RefCell;

use serde_json::{Map, Value as Json};

use super::diagnose::{condition_failed, diagnose};
use super::helpers::Helpers;
use super::{Moment, World};
use crate::condition::{Condition, Decision};
use crate::diagnostic::Diagnostic;
use crate::recall::apart;
use crate::template::{Called, Found, Scope, Supply, Template, Val};
use crate::tools::{self, Classed, Docs, EffectiveTool, Evaluate};
use crate::trace::CacheClass;

impl Moment<'_> {
    /// The effective tools with their texts.
    pub(crate) fn worded(&self) -> &[EffectiveTool] {
        let word = || self.tools.word_all(self.world.variant, &self.texts);
        let (worded, record) = self.worded.get_or_init(|| apart(self.world.desk, word));
        self.reads_tools();
        if let Some(desk) = self.world.desk {
            desk.add(record);
        }
        worded
    }

    fn docs(&self) -> &Docs {
        let (own, all) = (self.tools.own_class, self.tools.class);
        let worded = self.worded();
        self.docs.get_or_init(|| tools::tool_docs(worded, own, all))
    }

    /// What reading, choosing and wording the tools met, of the texts only when they were asked for; then what
    /// helpers reported.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut all = self.chosen();
        all.extend(self.drain());
        all
    }

    /// What reading and choosing the tools met.
    pub(crate) fn chosen(&self) -> Vec<Diagnostic> {
        self.described.diagnostics.iter().chain(&self.tools.diagnostics).cloned().collect()
    }

    /// What the texts of tools and helpers met since this was asked last.
    pub(crate) fn drain(&self) -> Vec<Diagnostic> {
        let docs = self.docs.get().filter(|_| !self.docs_told.get());
        self.docs_told.set(docs.is_some() || self.docs_told.get());
        let mut all: Vec<_> =
            docs.into_iter().flat_map(|docs| &docs.diagnostics).cloned().collect();
        all.append(&mut self.texts.diagnostics.borrow_mut());
        all.extend(self.texts.helpers.drain());
        all
    }
}

impl Supply for Moment<'_> {
    fn partial(&self, name: &str) -> Option<&Template> {
        self.texts.partial(name)
    }

    fn has_helper(&self, name: &str) -> bool {
        self.world.extensions.helper(name).is_some()
    }

    fn call_helper(
        &self,
        name: &str,
        args: Vec<Json>,
        named: Map<String, Json>,
    ) -> Option<Called<'_>> {
        self.texts.call_helper(name, args, named)
    }

    fn has_tool(&self, id: &str) -> (bool, CacheClass) {
        self.reads_tools();
        (self.tools.has(id), self.tools.class_of(id))
    }

    fn tool(&self, role: &str) -> (Option<&str>, CacheClass) {
        self.reads_tools();
        let tool = self.tools.by_role(role).map(|tool| &*tool.id);
        (tool, self.tools.class_of_role(role))
    }

    fn tool_docs(&self, id: Option<&str>) -> Found<'_> {
        let Some(id) = id else {
            let docs = self.docs();
            return Found::section(&docs.traced, docs.class, docs.presence);
        };
        let tool = self.worded().iter().find(|tool| &*tool.id == id);
        let class = tool.map_or(self.tools.class_of(id), |tool| tool.class);
        let text = tool.and_then(tools::tool_doc).map(Json::String);
        Found::new(text.map_or(Val::Missing, |text| Val::Json(Cow::Owned(text))), class)
    }
}

/// Evaluates the conditions and texts of tools, and keeps their diagnostics.
pub(super) struct ToolTexts<'a> {
    world: World<'a>,
    helpers: Helpers<'a>,
    diagnostics: RefCell<Vec<Diagnostic>>,
}

impl<'a> ToolTexts<'a> {
    pub(super) fn new(world: World<'a>) -> Self {
        Self { world, helpers: Helpers::new(world), diagnostics: RefCell::default() }
    }
}

impl Evaluate for ToolTexts<'_> {
    fn holds(&self, condition: &Condition) -> Classed<bool> {
        self.world.reads(condition);
        let classes = condition.paths().iter().map(|path| self.world.class_of_path(path));
        let class = classes.max().unwrap_or_default();
        let decision = condition.decide(&self.world);
        if let Decision::Failed(why) = &decision {
            self.diagnostics.borrow_mut().extend(condition_failed(condition, why));
        }
        Classed { value: decision.holds(), class }
    }

    fn text(&self, template: &Template) -> Classed<String> {
        let mut diagnostics = self.diagnostics.borrow_mut();
        match template.evaluate(self, self.world.variant.missing) {
            Ok(evaluated) => {
                let issues = evaluated.issues.iter();
                diagnostics.extend(issues.map(|issue| diagnose("a tool's text", issue)));
                let traced = evaluated.traced;
                let pieces = traced.pieces.iter().map(|piece| piece.class);
                let class = pieces.chain(traced.marks.iter().map(|mark| mark.class)).max();
                Classed { value: traced.text, class: class.unwrap_or_default() }
            }
            Err(error) => {
                diagnostics.push(error.diagnostic());
                Classed { value: String::new(), class: CacheClass::Static }
            }
        }
    }
}

/// What the texts of tools see: known context keys and the placeholder layers 1, 2 and 5.
impl Scope for ToolTexts<'_> {
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>> {
        self.world.key(path).or_else(|| Some(self.world.placeholder(path.first()?)?.1))
    }

    fn supply(&self) -> &dyn Supply {
        self
    }
}

/// No tools: these are their own texts.
impl Supply for ToolTexts<'_> {
    fn partial(&self, name: &str) -> Option<&Template> {
        self.world.registry.partials.get(name).map(AsRef::as_ref)
    }

    fn has_helper(&self, name: &str) -> bool {
        self.world.extensions.helper(name).is_some()
    }

    fn call_helper(
        &self,
        name: &str,
        args: Vec<Json>,
        named: Map<String, Json>,
    ) -> Option<Called<'_>> {
        self.helpers.call(name, args, named)
    }
}
