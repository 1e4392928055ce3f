//! Reads what stands in one tag.
//!
//! In: a tag of the source. Out: expressions, heads of blocks and partials, and the names they use.
//! Never: passes on a type of the `handlebars` crate.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use handlebars::Path as Parsed;
use handlebars::template::{
    BlockParam, DecoratorTemplate, HelperTemplate, Parameter, Subexpression, TemplateElement,
};

use super::error::Mistake;
use super::expr::{
    Call, Expr, Function, Head, Local, LocalName, PartialHead, PartialName, Path, SECTIONS, Test,
    steps,
};
use super::grammar::{block_name, is_plain_path, parse, unreadable};
use super::helpers::{self, Builtin};
use super::reference::{Reference, ReferenceKind};
use super::token::{Span, Tag, is_symbol};

/// Reads tags in the order of the source and keeps track of the frames around them.
pub(super) struct Reader<'s> {
    source: &'s str,
    names: BTreeSet<Arc<str>>,
    frames: usize,
    params: Vec<Box<str>>,
    pub references: Vec<Reference>,
}

/// A state of the reader to come back to when a block ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    frames: usize,
    params: usize,
}

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        let (names, params, references) = (BTreeSet::new(), Vec::new(), Vec::new());
        Self { source, names, frames: 0, params, references }
    }

    /// Enters the body of a block.
    pub(super) fn enter(&mut self, head: &Head) -> Outside {
        let outside = Outside { frames: self.frames, params: self.params.len() };
        self.frames += usize::from(head.test.opens_frame());
        self.params.extend(head.params.iter().cloned());
        outside
    }

    /// Leaves the body of a block.
    pub(super) fn leave(&mut self, outside: Outside) {
        self.frames = outside.frames;
        self.params.truncate(outside.params);
    }

    /// A tag that prints a value.
    pub(super) fn value(&mut self, tag: &Tag) -> Result<Expr, Mistake> {
        let body = tag.body.of(self.source);
        if is_plain_path(body) {
            return self.path_or_helper(body, tag.span);
        }
        if body.starts_with(['~', '!', '#', '/', '>', '&', '*', '^', '{']) {
            return Err(unreadable("unexpected sigil", body, tag.span));
        }
        match parse(&format!("{{{{{body}}}}}"), body, tag.span)? {
            TemplateElement::Expression(helper) => self.helper(*helper, tag.span),
            _ => Err(unreadable("it is no expression", body, tag.span)),
        }
    }

    /// A tag that opens a block, also `{{else if x}}` and raw ones.
    pub(super) fn head(&mut self, tag: &Tag) -> Result<Head, Mistake> {
        let body = tag.body.of(self.source);
        let name = block_name(body);
        match parse(&format!("{{{{#{body}}}}}{{{{/{name}}}}}"), body, tag.span)? {
            TemplateElement::HelperBlock(block) => self.block(*block, tag.span),
            _ => Err(unreadable("it opens no block", body, tag.span)),
        }
    }

    /// A tag that includes a partial.
    pub(super) fn partial(&mut self, tag: &Tag) -> Result<PartialHead, Mistake> {
        let body = tag.body.of(self.source);
        match parse(&format!("{{{{> {body}}}}}"), body, tag.span)? {
            TemplateElement::PartialExpression(partial) => self.partial_head(*partial, tag.span),
            _ => Err(unreadable("it names no partial", body, tag.span)),
        }
    }

    /// A parsed expression: a path, a call, or a call in parentheses.
    fn helper(&mut self, helper: HelperTemplate, tag: Span) -> Result<Expr, Mistake> {
        let bare = helper.params.is_empty() && helper.hash.is_empty();
        match helper.name {
            Parameter::Path(Parsed::Relative((_, written))) if bare => {
                self.path_or_helper(&written, tag)
            }
            Parameter::Name(name) if !bare => self.call(&name, helper.params, helper.hash, tag),
            name => self.expr(name, tag),
        }
    }

    /// A tag of one word: a built-in helper, else a path that may name an extension's helper.
    fn path_or_helper(&mut self, written: &str, tag: Span) -> Result<Expr, Mistake> {
        if helpers::is_block(written) {
            let mistake = Mistake::syntax(format!("`{written}` is used without its block"), tag);
            return Err(
                mistake.help(format!("write `{{{{#{written} ...}}}}...{{{{/{written}}}}}`"))
            );
        }
        if helpers::builtin(written).is_some() {
            return self.call(written, Vec::new(), [], tag);
        }
        let mut path = self.path(written, tag);
        path.bare = matches!(&*path.segments, [only] if &**only == written);
        Ok(Expr::Path(path))
    }

    /// An argument, or what a tag prints.
    fn expr(&mut self, parameter: Parameter, tag: Span) -> Result<Expr, Mistake> {
        match parameter {
            Parameter::Path(Parsed::Relative((_, written))) => {
                Ok(Expr::Path(self.path(&written, tag)))
            }
            Parameter::Path(Parsed::Local((up, name, written))) => {
                let name = match &*name {
                    "index" => LocalName::Index,
                    "key" => LocalName::Key,
                    "first" => LocalName::First,
                    "last" => LocalName::Last,
                    _ => LocalName::Unknown,
                };
                Ok(Expr::Local(Local { up, name, written: self.intern(&written) }))
            }
            Parameter::Literal(json) => Ok(Expr::Literal(json)),
            Parameter::Subexpression(inner) => self.subexpression(inner, tag),
            _ => Err(Mistake::syntax("the tag holds something that is no value", tag)),
        }
    }

    /// `(helper ...)`
    fn subexpression(&mut self, inner: Subexpression, tag: Span) -> Result<Expr, Mistake> {
        let TemplateElement::Expression(helper) = *inner.element else {
            return Err(Mistake::syntax("parentheses hold no call", tag));
        };
        let name = helper.name.as_name().unwrap_or_default().to_owned();
        match self.call(&name, helper.params, helper.hash, tag)? {
            Expr::Call(call) if call.function == Function::Builtin(Builtin::CacheBoundary) => {
                Err(Mistake::refused("`cache_boundary` has no value", tag)
                    .help("write it as a tag of its own: `{{cache_boundary}}`"))
            }
            expr => Ok(expr),
        }
    }

    /// A call. Arguments of built-in helpers are counted here; other helpers' names are for the caller to check.
    fn call(
        &mut self,
        name: &str,
        args: Vec<Parameter>,
        hash: impl IntoIterator<Item = (String, Parameter)>,
        tag: Span,
    ) -> Result<Expr, Mistake> {
        let args =
            args.into_iter().map(|arg| self.expr(arg, tag)).collect::<Result<Vec<_>, _>>()?;
        let hash = self.hash(hash, tag)?;
        let reference = self.refer(ReferenceKind::Helper, name, tag);
        if helpers::is_block(name) {
            let mistake = Mistake::refused(format!("`{name}` is a block, not a helper"), tag);
            return Err(mistake.help(format!("write `{{{{#{name} ...}}}}...{{{{/{name}}}}}`")));
        }
        let Some(builtin) = helpers::builtin(name) else {
            let call = Call { function: Function::Host, name: reference, args, hash, tag };
            return Ok(Expr::Call(Box::new(call)));
        };
        builtin.accept(args.len(), hash.is_empty()).map_err(|why| Mistake::syntax(why, tag))?;
        if let (Some(kind), Some(Expr::Literal(literal))) = (builtin.names(), args.first())
            && let Some(id) = literal.as_str()
        {
            self.refer(kind, id, tag);
            if builtin == Builtin::Section {
                return Ok(Expr::Path(self.section(id, tag)));
            }
        }
        let function = Function::Builtin(builtin);
        Ok(Expr::Call(Box::new(Call { function, name: reference, args, hash, tag })))
    }

    /// `section "id"` is the path `@root.sections.id`.
    fn section(&mut self, id: &str, tag: Span) -> Path {
        let name = self.refer(ReferenceKind::Path, &format!("{SECTIONS}.{id}"), tag);
        let segments = [SECTIONS.into(), id.into()].into();
        Path { up: 0, root: true, bare: false, global: true, segments, name }
    }

    /// Named arguments, sorted: the crate keeps them in random order.
    fn hash(
        &mut self,
        hash: impl IntoIterator<Item = (String, Parameter)>,
        tag: Span,
    ) -> Result<Vec<(Box<str>, Expr)>, Mistake> {
        let mut sorted: Vec<_> = hash.into_iter().collect();
        sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
        sorted
            .into_iter()
            .map(|(key, value)| Ok((key.into_boxed_str(), self.expr(value, tag)?)))
            .collect()
    }

    /// A parsed opening tag.
    fn block(&mut self, block: HelperTemplate, tag: Span) -> Result<Head, Mistake> {
        let name = block.name.as_name().unwrap_or_default().to_owned();
        let params = match block.block_param {
            Some(BlockParam::Single(Parameter::Name(one))) => vec![one.into()],
            Some(BlockParam::Pair((Parameter::Name(one), Parameter::Name(two)))) => {
                vec![one.into(), two.into()]
            }
            _ => Vec::new(),
        };
        let most = match &*name {
            "each" => 2,
            "with" => 1,
            _ => 0,
        };
        if params.len() > most {
            let message = format!("`{name}` has too many block parameters");
            return Err(Mistake::syntax(message, tag)
                .help("`each` gives the item and its index or key, `with` its value"));
        }
        let test = self.test(&name, block.params, block.hash, tag)?;
        Ok(Head { test, params })
    }

    /// What the block asks. A helper that says yes or no may open one: `{{#eq a b}}` is `{{#if (eq a b)}}`.
    fn test(
        &mut self,
        name: &str,
        args: Vec<Parameter>,
        hash: impl IntoIterator<Item = (String, Parameter)>,
        tag: Span,
    ) -> Result<Test, Mistake> {
        if helpers::builtin(name).is_some_and(Builtin::decides) {
            let value = self.call(name, args, hash, tag)?;
            return Ok(Test::If { value, negate: false, include_zero: None });
        }
        if !helpers::is_block(name) {
            let mistake = Mistake::refused(format!("`{name}` is not a block"), tag);
            return Err(mistake.help("blocks are `if`, `unless`, `each` and `with`"));
        }
        let mut args = args.into_iter();
        let mut hash = self.hash(hash, tag)?;
        let value = args.next().map(|arg| self.expr(arg, tag)).transpose()?;
        let include_zero = hash.pop_if(|(key, _)| &**key == "includeZero").map(|(_, expr)| expr);
        if args.next().is_some() || value.is_none() == (name != "raw") {
            let count = if name == "raw" { "no argument" } else { "1 argument" };
            return Err(Mistake::syntax(format!("`{name}` takes {count}"), tag)
                .help("put parentheses around a call: `{{#if (eq a b)}}`"));
        }
        if !hash.is_empty() || (include_zero.is_some() && !matches!(name, "if" | "unless")) {
            return Err(Mistake::syntax(format!("`{name}` has no such named argument"), tag)
                .help("only `if` and `unless` have one: `includeZero=true`"));
        }
        let Some(value) = value else { return Ok(Test::Always) };
        Ok(match name {
            "each" => Test::Each(value),
            "with" => Test::With(value),
            _ => Test::If { value, negate: name == "unless", include_zero },
        })
    }

    /// A parsed partial tag; quotes and brackets around the name are not part of it.
    fn partial_head(
        &mut self,
        partial: DecoratorTemplate,
        tag: Span,
    ) -> Result<PartialHead, Mistake> {
        let written = partial.name.as_name().unwrap_or_default();
        let unquoted = written.trim_matches('\'').trim_start_matches('[').trim_end_matches(']');
        if unquoted.starts_with('@') {
            return Err(Mistake::refused("this dialect has no partial blocks", tag)
                .help("pass text as a named argument: `{{> name text=value}}`"));
        }
        let name = match partial.name {
            Parameter::Subexpression(inner) => {
                PartialName::Computed(self.subexpression(inner, tag)?)
            }
            _ => PartialName::Fixed(self.refer(ReferenceKind::Partial, unquoted, tag)),
        };
        let mut args = partial.params.into_iter();
        let context = args.next().map(|arg| self.expr(arg, tag)).transpose()?;
        if args.next().is_some() {
            return Err(Mistake::syntax("a partial takes at most one context", tag)
                .help("name further arguments: `{{> partial key=value}}`"));
        }
        let hash = self.hash(partial.hash, tag)?;
        Ok(PartialHead { name, context, hash })
    }

    /// A path, listed when it begins at the root.
    fn path(&mut self, written: &str, tag: Span) -> Path {
        let steps = steps(written);
        let of_param = steps.segments.first().is_some_and(|first| self.params.contains(first));
        let at_root = steps.up <= self.frames && steps.up == self.frames;
        let global = !steps.segments.is_empty() && (steps.root || (!of_param && at_root));
        let name =
            if steps.segments.is_empty() { written.into() } else { steps.segments.join(".") };
        let name = self.intern(&name);
        if global {
            let range = self.locate(written, tag);
            self.references.push(Reference {
                kind: ReferenceKind::Path,
                name: Arc::clone(&name),
                range,
            });
        }
        let segments = steps.segments.into();
        Path { up: steps.up, root: steps.root, bare: false, global, segments, name }
    }

    /// Lists a name.
    fn refer(&mut self, kind: ReferenceKind, name: &str, tag: Span) -> Arc<str> {
        let (name, range) = (self.intern(name), self.locate(name, tag));
        self.references.push(Reference { kind, name: Arc::clone(&name), range });
        name
    }

    /// One allocation for equal names.
    fn intern(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    /// Where `written` stands as a word of its own within the tag.
    fn locate(&self, written: &str, tag: Span) -> Range<usize> {
        let (text, start) = (tag.of(self.source), tag.start as usize);
        let inside = |byte: Option<&u8>| byte.is_some_and(|&byte| is_symbol(byte) || byte == b'.');
        let bytes = text.as_bytes();
        text.match_indices(written)
            .map(|(at, _)| at..at + written.len())
            .find(|range| {
                let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
                !written.is_empty() && !inside(before) && !inside(bytes.get(range.end))
            })
            .map_or(tag.range(), |range| start + range.start..start + range.end)
    }
}
