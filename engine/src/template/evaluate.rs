//! Evaluates a tree.
//!
//! In: a tree and a [`Scope`]. Out: text, and what a [`Recorder`] is told about it: every piece, every hinge.
//! Never: shares anything between evaluations; renders a value again; runs longer, deeper or larger than its limits.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;

use super::call::Widest;
use super::error::{Issue, Mistake, TemplateError};
use super::expr::{Expr, PartialName, Test};
use super::frame::{Base, Frame, Got, Locals};
use super::insert::Insert;
use super::record::Recorder;
use super::scope::{Scope, Val, sorted};
use super::token::Span;
use super::tree::{Arm, Block, Node, Partial};
use super::{Missing, Template};
use crate::diagnostic::{Code, SourceText};
use crate::trace::CacheClass;

/// How deep partials may include each other.
const MAX_PARTIALS: usize = 64;

/// Errors are rare and large, results are many and small.
pub(super) type Outcome<T> = Result<T, Box<TemplateError>>;

/// One evaluation.
pub(super) struct Evaluator<'s, R> {
    pub(super) scope: &'s dyn Scope,
    pub(super) missing: Missing,
    pub(super) text: String,
    pub(super) recorder: R,
    pub(super) issues: Vec<Issue>,
    /// Templates and offsets of issues: a loop tells each only once.
    pub(super) told: BTreeSet<(usize, u32)>,
    pub(super) here: Here<'s>,
    /// Of the partials around, outermost first.
    pub(super) indents: Vec<Indent<'s>>,
    /// How stable it is whether a line begins here: values before this place may end lines.
    pub(super) line: CacheClass,
    /// Loops and partials around, in which a tag may be met again.
    pub(super) repeats: usize,
    /// Partials around.
    partials: usize,
    /// Blocks and partials around.
    pub(super) depth: usize,
    /// Work done so far.
    pub(super) steps: usize,
}

/// The template whose nodes are being walked.
#[derive(Clone, Copy)]
pub(super) struct Here<'s> {
    pub text: &'s Arc<SourceText>,
    pub source: u32,
}

/// Blanks that a partial tag puts before the lines of its partial.
#[derive(Clone, Copy)]
pub(super) struct Indent<'s> {
    pub here: Here<'s>,
    pub span: Span,
}

impl<'s, R: Recorder> Evaluator<'s, R> {
    /// Evaluates `template`; gives the text, the recorder and the issues.
    pub(super) fn run(
        template: &'s Template,
        scope: &'s dyn Scope,
        missing: Missing,
    ) -> Outcome<(String, R, Vec<Issue>)> {
        let nodes = template.nodes()?;
        let mut recorder = R::default();
        recorder.begin(template.whence(), nodes.len());
        let here = Here { text: template.source(), source: 0 };
        let mut evaluator = Self {
            scope,
            missing,
            text: String::with_capacity(scope.size_hint() + template.source().text.len()),
            recorder,
            issues: Vec::new(),
            told: BTreeSet::new(),
            here,
            indents: Vec::new(),
            line: CacheClass::Static,
            depth: 0,
            repeats: 0,
            partials: 0,
            steps: 0,
        };
        evaluator.nodes(nodes, &Frame::root(), CacheClass::Static)?;
        Ok((evaluator.text, evaluator.recorder, evaluator.issues))
    }

    /// Nodes in a frame; every byte gets at least `class`.
    fn nodes<'f>(
        &mut self,
        nodes: &'s [Node],
        frame: &'f Frame<'f>,
        class: CacheClass,
    ) -> Outcome<()>
    where
        's: 'f,
    {
        for node in nodes {
            self.step(node.span())?;
            match node {
                Node::Text(span) => self.template_text(*span, class)?,
                Node::Value { expr, tag } => self.value(expr, *tag, frame, class)?,
                Node::Quiet(tag) => self.quiet(*tag, class),
                Node::Boundary(tag) => self.boundary(*tag, class),
                Node::Block(block) => self.block(block, frame, class)?,
                Node::Partial(partial) => self.partial(partial, frame, class)?,
                Node::Insert(insert) => self.insert(insert, frame, class)?,
            }
        }
        Ok(())
    }

    /// A placeholder. Whether it prints at all is a decision, hence a hinge before what it prints.
    fn value<'f>(
        &mut self,
        expr: &'s Expr,
        tag: Span,
        frame: &'f Frame<'f>,
        class: CacheClass,
    ) -> Outcome<()>
    where
        's: 'f,
    {
        let got = self.printed(expr, tag, frame)?;
        self.hinge(got.presence, got.cause, tag);
        self.line = self.line.max(got.class);
        match &got.value {
            Val::Section(section) => self.section(section, tag, got.presence.max(class)),
            value if value.is_missing() => self.nothing(expr, got.unknown, tag, class),
            value => self.value_text(&value.printed(), tag, got.class.max(class)),
        }
    }

    /// A block, with what tidying must know of its tags.
    fn block<'f>(
        &mut self,
        block: &'s Block,
        frame: &'f Frame<'f>,
        class: CacheClass,
    ) -> Outcome<()>
    where
        's: 'f,
    {
        if !block.open_alone {
            self.quiet(block.open, class);
        }
        let start = self.text.len();
        self.deeper(block.open)?;
        self.arms(block, frame, class)?;
        self.depth -= 1;
        // Tidying must know of a tag within a line; where nothing was printed, one piece says it of both.
        if !block.close_alone && (block.open_alone || self.text.len() > start) {
            self.quiet(block.close, class);
        }
        Ok(())
    }

    /// The first arm whose test holds, else the last `else`.
    fn arms<'f>(&mut self, block: &'s Block, frame: &'f Frame<'f>, class: CacheClass) -> Outcome<()>
    where
        's: 'f,
    {
        // What stands behind an arm that was not taken depends on its test too.
        let mut class = class;
        for arm in &block.arms {
            if self.arm(arm, frame, &mut class)? {
                return Ok(());
            }
        }
        self.nodes(&block.otherwise, frame, class)
    }

    /// Prints the body if the test holds; widens `class` by the test.
    fn arm<'f>(
        &mut self,
        arm: &'s Arm,
        frame: &'f Frame<'f>,
        class: &mut CacheClass,
    ) -> Outcome<bool>
    where
        's: 'f,
    {
        match &arm.head.test {
            Test::Always => self.nodes(&arm.body, frame, *class)?,
            Test::If { value, negate, include_zero } => {
                let got = self.eval(value, frame)?;
                let mut decided = Widest::of([]).with(got.presence, got.cause);
                let mut zero_counts = false;
                if let Some(expr) = include_zero {
                    let zero = self.eval(expr, frame)?;
                    decided = decided.with(zero.class, zero.cause);
                    zero_counts = zero.value.is_yes();
                }
                self.hinge(decided.class, decided.cause, arm.tag);
                *class = decided.class.max(*class);
                if got.value.is_true(zero_counts) == *negate {
                    return Ok(false);
                }
                self.nodes(&arm.body, frame, *class)?;
            }
            Test::With(value) => return self.with(arm, value, frame, class),
            Test::Each(value) => return self.each(arm, value, frame, class),
        }
        Ok(true)
    }

    /// The body once, in a frame that begins at the value; loops' locals stay visible.
    fn with<'f>(
        &mut self,
        arm: &'s Arm,
        value: &'s Expr,
        frame: &'f Frame<'f>,
        class: &mut CacheClass,
    ) -> Outcome<bool>
    where
        's: 'f,
    {
        let got = self.eval(value, frame)?;
        self.hinge(got.presence, got.cause, arm.tag);
        *class = got.presence.max(*class);
        if !got.value.is_true(false) {
            return Ok(false);
        }
        let params = arm.head.params.iter().map(|name| (&**name, got.borrowed())).collect();
        let inner = frame.inside(Base::Value(got.borrowed()), frame.locals(), params);
        self.nodes(&arm.body, &inner, *class)?;
        Ok(true)
    }

    /// The body for each element or entry, in a frame that begins there and has the collection's class.
    fn each<'f>(
        &mut self,
        arm: &'s Arm,
        value: &'s Expr,
        frame: &'f Frame<'f>,
        class: &mut CacheClass,
    ) -> Outcome<bool>
    where
        's: 'f,
    {
        let got = self.eval(value, frame)?;
        self.hinge(got.class, got.cause, arm.tag);
        *class = got.class.max(*class);
        let Val::Json(json) = &got.value else { return Ok(false) };
        let rounds = rounds(json);
        let last = rounds.len().saturating_sub(1);
        let of = |value| Got::new(value, got.class, got.cause);
        self.repeats += 1;
        for (index, &(key, item)) in rounds.iter().enumerate() {
            self.step(arm.tag)?;
            let (item, place) =
                (Val::Json(Cow::Borrowed(item)), Val::Json(Cow::Owned(index.into())));
            let (first, last, index) = (index == 0, index == last, Some(index));
            let locals = Locals { index, key, first, last, class: got.class, cause: got.cause };
            let given = [of(item.clone()), of(key.map_or(place, Val::Text))];
            let params = arm.head.params.iter().map(|name| &**name).zip(given).collect();
            let inner = frame.inside(Base::Value(of(item)), locals, params);
            self.nodes(&arm.body, &inner, *class)?;
        }
        self.repeats -= 1;
        Ok(!rounds.is_empty())
    }

    /// Another template in a frame that begins where this one does, or at the context it is given; never a copy.
    fn partial<'f>(
        &mut self,
        partial: &'s Partial,
        frame: &'f Frame<'f>,
        class: CacheClass,
    ) -> Outcome<()>
    where
        's: 'f,
    {
        if !partial.alone {
            self.quiet(partial.tag, class);
        }
        let (template, class) = self.included(partial, frame, class)?;
        let nodes = template.nodes()?;
        let base = match &partial.head.context {
            None => frame.own_base(),
            Some(Expr::Path(path)) if path.segments.is_empty() => frame.base(path),
            Some(expr) => Base::Value(self.eval(expr, frame)?),
        };
        let mut params = Vec::with_capacity(partial.head.hash.len());
        for (name, expr) in &partial.head.hash {
            params.push((&**name, self.eval(expr, frame)?));
        }
        let inner = frame.inside(base, frame.locals(), params);
        self.deeper(partial.tag)?;
        let indents = self.indents.len();
        self.indents.extend(partial.indent.map(|span| Indent { here: self.here, span }));
        self.repeats += 1;
        let start = self.text.len();
        let outer = self.go(template.source());
        self.nodes(nodes, &inner, class)?;
        self.here = outer;
        self.indents.truncate(indents);
        // The last line end of a file is no part of its text, and what follows begins a line all the same.
        if self.text.len() > start && !self.text.ends_with('\n') {
            let class = class.max(self.line);
            partial.line_end.map_or(Ok(()), |span| self.template_text(span, class))?;
        }
        self.repeats -= 1;
        self.partials -= 1;
        self.depth -= 1;
        Ok(())
    }

    /// The template that a partial tag names, and the class of what stands there.
    fn included<'f>(
        &mut self,
        partial: &'s Partial,
        frame: &'f Frame<'f>,
        class: CacheClass,
    ) -> Outcome<(&'s Template, CacheClass)>
    where
        's: 'f,
    {
        let (name, class) = match &partial.head.name {
            PartialName::Fixed(name) => (Cow::Borrowed(&**name), class),
            PartialName::Computed(expr) => {
                let got = self.eval(expr, frame)?;
                self.hinge(got.class, got.cause, partial.tag);
                (Cow::Owned(got.value.printed().into_owned()), got.class.max(class))
            }
        };
        self.partials += 1;
        if self.partials > MAX_PARTIALS {
            let message = format!("partials include each other deeper than {MAX_PARTIALS}");
            return Err(self.error(Mistake::new(Code::TemplateLimit, message, partial.tag)));
        }
        match self.scope.supply().partial(&name) {
            Some(template) => Ok((template, class)),
            None => {
                let message = format!("there is no partial `{name}`");
                Err(self.error(Mistake::new(Code::PartialUnknown, message, partial.tag)))
            }
        }
    }

    /// A section that a patch put here; whether it is blank is a decision.
    fn insert<'f>(
        &mut self,
        insert: &'s Insert,
        frame: &'f Frame<'f>,
        class: CacheClass,
    ) -> Outcome<()>
    where
        's: 'f,
    {
        let outer = self.go(&insert.text);
        let got = self.eval(&insert.value, frame)?;
        self.hinge(got.presence, got.cause, Span::new(0, insert.text.text.len()));
        if got.value.is_true(false) {
            self.nodes(&insert.nodes, frame, got.presence.max(class))?;
        }
        self.here = outer;
        Ok(())
    }

    /// Goes on in another source; gives the one to come back to.
    fn go(&mut self, text: &'s Arc<SourceText>) -> Here<'s> {
        let source = self.recorder.source(text);
        std::mem::replace(&mut self.here, Here { text, source })
    }
}

/// What a loop goes over: keys and values.
fn rounds(json: &Json) -> Vec<(Option<&str>, &Json)> {
    match json {
        Json::Array(items) => items.iter().map(|item| (None, item)).collect(),
        Json::Object(entries) => {
            sorted(entries).into_iter().map(|(key, value)| (Some(key.as_str()), value)).collect()
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
    }
}
