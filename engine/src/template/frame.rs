//! Where names are looked up: frames of `each`, `with` and partials, each inside the one before.
//!
//! In: a path or a local name. Out: a value with its class and the name of what decides it.
//! Never: owns what it is entered with; a frame lives on the stack of the evaluator.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value as Json;

use super::expr::{Local, LocalName, Path};
use super::scope::{Scope, Val};
use crate::trace::CacheClass;

/// A value and what is known about it.
#[derive(Clone, Debug)]
pub(super) struct Got<'f> {
    pub value: Val<'f>,
    pub class: CacheClass,
    /// The class of whether it is there.
    pub presence: CacheClass,
    /// The root name that it comes from; none of literals.
    pub cause: Option<&'f Arc<str>>,
    /// Whether the name is not even known.
    pub unknown: bool,
}

impl<'f> Got<'f> {
    /// A value that is there or not by the same class.
    pub(super) fn new(value: Val<'f>, class: CacheClass, cause: Option<&'f Arc<str>>) -> Self {
        Self { value, class, presence: class, cause, unknown: false }
    }

    /// What a name stands for that nothing defines.
    fn unknown(class: CacheClass, cause: Option<&'f Arc<str>>) -> Self {
        Self { unknown: true, ..Self::new(Val::Missing, class, cause) }
    }

    /// The same, borrowed for a shorter time.
    pub(super) fn borrowed(&self) -> Got<'_> {
        Got { value: self.value.borrowed(), ..*self }
    }

    /// What stands some steps further in.
    fn descend(self, steps: &[Box<str>]) -> Self {
        if steps.is_empty() {
            return self;
        }
        let value = match self.value {
            Val::Json(Cow::Borrowed(json)) => {
                walk(json, steps).map_or(Val::Missing, |found| Val::Json(Cow::Borrowed(found)))
            }
            Val::Json(Cow::Owned(json)) => walk(&json, steps)
                .map_or(Val::Missing, |found| Val::Json(Cow::Owned(found.clone()))),
            Val::Missing | Val::Text(_) | Val::Section(_) => Val::Missing,
        };
        Self { value, ..self }
    }
}

/// A list wants a number, an object a key; anything else has no inside.
fn walk<'j>(json: &'j Json, steps: &[Box<str>]) -> Option<&'j Json> {
    steps.iter().try_fold(json, |json, step| match json {
        Json::Array(items) => items.get(step.parse::<usize>().ok()?),
        Json::Object(entries) => entries.get(&**step),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
    })
}

/// What paths of a frame begin at.
#[derive(Clone, Debug)]
pub(super) enum Base<'f> {
    /// The scope; it has no value of its own.
    Root,
    Value(Got<'f>),
}

/// `@index` and its like; a collection's class and cause hold for them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Locals<'f> {
    pub index: Option<usize>,
    pub key: Option<&'f str>,
    pub first: bool,
    pub last: bool,
    pub class: CacheClass,
    pub cause: Option<&'f Arc<str>>,
}

/// Where names begin, and what is known there beside them.
#[derive(Debug)]
pub(super) struct Frame<'f> {
    outer: Option<&'f Frame<'f>>,
    base: Base<'f>,
    locals: Locals<'f>,
    params: Vec<(&'f str, Got<'f>)>,
    /// Whether this frame or one around it has parameters.
    any_params: bool,
}

impl<'f> Frame<'f> {
    /// The frame of a template that no other template includes.
    pub(super) fn root() -> Self {
        let (locals, params) = (Locals::default(), Vec::new());
        Self { outer: None, base: Base::Root, locals, params, any_params: false }
    }

    /// A frame inside this one.
    pub(super) fn inside(
        &'f self,
        base: Base<'f>,
        locals: Locals<'f>,
        params: Vec<(&'f str, Got<'f>)>,
    ) -> Self {
        let any_params = self.any_params || !params.is_empty();
        Self { outer: Some(self), base, locals, params, any_params }
    }

    /// Of this frame; `with` and partials take them over.
    pub(super) fn locals(&self) -> Locals<'f> {
        self.locals
    }

    /// The value of a path.
    pub(super) fn path(&'f self, path: &'f Path, scope: &'f dyn Scope) -> Got<'f> {
        if self.any_params
            && !path.root
            && let Some((first, rest)) = path.segments.split_first()
            && let Some(param) = self.param(first)
        {
            return param.borrowed().descend(rest);
        }
        match self.base(path) {
            Base::Value(got) => got.descend(&path.segments),
            Base::Root => look_up(path, scope),
        }
    }

    /// What a path begins at; with too many `../` this frame.
    pub(super) fn base(&'f self, path: &Path) -> Base<'f> {
        if path.root {
            return Base::Root;
        }
        match &self.out(path.up).unwrap_or(self).base {
            Base::Root => Base::Root,
            Base::Value(got) => Base::Value(got.borrowed()),
        }
    }

    /// What the frame itself begins at.
    pub(super) fn own_base(&'f self) -> Base<'f> {
        match &self.base {
            Base::Root => Base::Root,
            Base::Value(got) => Base::Value(got.borrowed()),
        }
    }

    /// The value of `@index` and its like.
    pub(super) fn local(&'f self, local: &'f Local) -> Got<'f> {
        let Some(frame) = self.out(local.up) else { return Got::unknown(CacheClass::Static, None) };
        let Locals { index, key, first, last, class, cause } = frame.locals;
        let value = match (local.name, index) {
            (LocalName::Index, Some(index)) => Val::Json(Cow::Owned(index.into())),
            (LocalName::Key, Some(_)) => key.map_or(Val::Missing, Val::Text),
            (LocalName::First, Some(_)) => Val::Json(Cow::Owned(first.into())),
            (LocalName::Last, Some(_)) => Val::Json(Cow::Owned(last.into())),
            (LocalName::Unknown, _) | (_, None) => return Got::unknown(CacheClass::Static, None),
        };
        Got::new(value, class, cause)
    }

    /// The frame that many frames further out.
    fn out(&'f self, up: usize) -> Option<&'f Frame<'f>> {
        let mut frame = self;
        for _ in 0..up {
            frame = frame.outer?;
        }
        Some(frame)
    }

    /// The innermost parameter of that name.
    fn param(&'f self, name: &str) -> Option<&'f Got<'f>> {
        let mut frame = Some(self);
        while let Some(here) = frame.filter(|frame| frame.any_params) {
            if let Some((_, got)) = here.params.iter().find(|(param, _)| *param == name) {
                return Some(got);
            }
            frame = here.outer;
        }
        None
    }
}

/// A name of the scope; one that nothing defines may be there in the next build, hence volatile.
fn look_up<'f>(path: &'f Path, scope: &'f dyn Scope) -> Got<'f> {
    // `this` at the root would read everything, and so have the class of everything.
    if path.segments.is_empty() {
        return Got::unknown(CacheClass::Static, None);
    }
    let Some(found) = scope.lookup(&path.segments) else {
        return Got::unknown(CacheClass::Volatile, Some(&path.name));
    };
    let cause = found.cause.or(Some(&path.name));
    let (value, class, presence) = (found.value, found.class, found.presence);
    let got = Got { value, class, presence, cause, unknown: false };
    match path.segments.get(found.steps..) {
        None | Some([]) => got,
        Some(rest) => got.descend(rest),
    }
}
