//! The effective tools as templates see them, and what their own texts see.

use std::borrow::Cow;
use std::cell::RefCell;

use serde_json::Value as Json;

use super::{Moment, World, failures};
use crate::condition::{Condition, Decision};
use crate::diagnostic::Diagnostic;
use crate::template::{Found, Helper, Missing, Scope, Template, Val};
use crate::tools::{self, Classed, Docs, EffectiveTool, Evaluate};
use crate::trace::CacheClass;

impl Moment<'_> {
    /// The effective tools with their texts.
    pub(crate) fn worded(&self) -> &[EffectiveTool] {
        let worded = self.worded.get_or_init(|| {
            let asking = Asking::new(&self.world);
            let tools = self.tools.word_all(self.world.variant, &asking);
            Worded { tools, told: asking.told.into_inner() }
        });
        &worded.tools
    }

    /// What failed while the tools were worded; nothing as long as nobody asked for that.
    pub(crate) fn told_of_wording(&self) -> &[Diagnostic] {
        self.worded.get().map_or(&[], |worded| &worded.told)
    }

    /// Whether a tool is effective.
    pub(crate) fn has_tool(&self, id: &str) -> (bool, CacheClass) {
        (self.tools.has(id), self.tools.class_of(id))
    }

    /// The name of the tool of a role.
    pub(crate) fn tool(&self, role: &str) -> (Option<&str>, CacheClass) {
        let tool = self.tools.by_role(role).map(|tool| &*tool.id);
        (tool, self.tools.class_of_role(role))
    }

    /// The text of all effective tools, or of one.
    pub(crate) fn tool_docs(&self, id: Option<&str>) -> Found<'_> {
        let Some(id) = id else {
            let docs = self.docs();
            return Found::section(&docs.traced, docs.class, docs.presence);
        };
        let tool = self.worded().iter().find(|tool| &*tool.id == id);
        let class = tool.map_or(self.tools.class_of(id), |tool| tool.class);
        let text = tool.and_then(tools::tool_doc).map(Json::String);
        Found::new(text.map_or(Val::Missing, |text| Val::Json(Cow::Owned(text))), class)
    }

    fn docs(&self) -> &Docs {
        let (own, all) = (self.tools.own_class, self.tools.class);
        self.docs.get_or_init(|| tools::tool_docs(self.worded(), own, all))
    }

    /// What reading, choosing and wording the tools had to tell; of the texts only when they were asked for.
    pub(crate) fn told_of_tools(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let docs = self.docs.get().into_iter().flat_map(|docs| &docs.diagnostics);
        let read = self.described.diagnostics.iter().chain(&self.tools.diagnostics);
        read.chain(self.told_of_wording()).chain(docs).cloned()
    }
}

/// The effective tools with their texts, and what failed on the way.
pub(super) struct Worded {
    tools: Vec<EffectiveTool>,
    told: Vec<Diagnostic>,
}

/// Answers the conditions and templates of tools, and keeps what failed.
pub(super) struct Asking<'a> {
    world: &'a World<'a>,
    pub(super) told: RefCell<Vec<Diagnostic>>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(world: &'a World<'a>) -> Self {
        Self { world, told: RefCell::default() }
    }
}

impl Evaluate for Asking<'_> {
    fn holds(&self, condition: &Condition) -> Classed<bool> {
        let classes = condition.paths().iter().map(|path| self.world.class_of_path(path));
        let class = classes.max().unwrap_or_default();
        let decision = condition.decide(self.world);
        if let Decision::Failed(why) = &decision {
            self.told.borrow_mut().extend(failures(condition, why));
        }
        Classed { value: decision.holds(), class }
    }

    fn text(&self, template: &Template) -> Classed<String> {
        match template.evaluate(self.world, Missing::Keep) {
            Ok(evaluated) => {
                let traced = evaluated.traced;
                let pieces = traced.pieces.iter().map(|piece| piece.class);
                let class = pieces.chain(traced.marks.iter().map(|mark| mark.class)).max();
                Classed { value: traced.text, class: class.unwrap_or_default() }
            }
            Err(error) => {
                let mut told = error.diagnostic();
                told.help.get_or_insert_with(|| "the text is left out of the tool".into());
                self.told.borrow_mut().push(told);
                Classed { value: String::new(), class: CacheClass::Static }
            }
        }
    }
}

/// What the texts of tools see: known context keys and the placeholder layers 1, 2 and 5.
impl Scope for World<'_> {
    fn lookup(&self, path: &[Box<str>]) -> Option<Found<'_>> {
        self.key(path).or_else(|| Some(self.placeholder(path.first()?)?.1))
    }

    fn partial(&self, name: &str) -> Option<&Template> {
        self.registry.partials.get(name).map(AsRef::as_ref)
    }

    fn helper(&self, name: &str) -> Option<&dyn Helper> {
        self.extensions.helper(name).map(|helper| helper as _)
    }

    fn has_tool(&self, _: &str) -> (bool, CacheClass) {
        (false, CacheClass::Static)
    }

    fn tool(&self, _: &str) -> (Option<&str>, CacheClass) {
        (None, CacheClass::Static)
    }

    fn tool_docs(&self, _: Option<&str>) -> Found<'_> {
        Found::new(Val::Missing, CacheClass::Static)
    }
}
