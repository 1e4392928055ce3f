//! Evaluates expressions.
//!
//! In: an expression and the frame it stands in. Out: its value, with the widest class of what it was made from.
//! Never: prints.

use std::borrow::Cow;
use std::sync::{Arc, LazyLock};

use super::error::{IssueKind, Mistake};
use super::evaluate::{Evaluator, Outcome};
use super::expr::{Call, Expr, Function, SECTIONS};
use super::frame::{Frame, Got};
use super::helpers::{self, Builtin};
use super::record::Recorder;
use super::scope::{Found, Val};
use super::token::Span;
use crate::diagnostic::Code;
use crate::trace::CacheClass;

/// What decides about everything that asks for tools.
static TOOLS: LazyLock<Arc<str>> = LazyLock::new(|| "tools".into());

/// The widest class of some values, and the first of them that has it.
#[derive(Clone, Copy)]
pub(super) struct Widest<'f> {
    pub class: CacheClass,
    pub cause: Option<&'f Arc<str>>,
}

impl<'f> Widest<'f> {
    /// Of arguments.
    pub(super) fn of<'g>(values: impl IntoIterator<Item = &'g Got<'f>>) -> Self
    where
        'f: 'g,
    {
        let none = Self { class: CacheClass::Static, cause: None };
        values.into_iter().fold(none, |widest, got| widest.with(got.class, got.cause))
    }

    /// With one more.
    pub(super) fn with(self, class: CacheClass, cause: Option<&'f Arc<str>>) -> Self {
        if class > self.class { Self { class, cause } } else { self }
    }
}

impl<'s, R: Recorder> Evaluator<'s, R> {
    /// The value of a placeholder; a plain word may be the name of an extension's helper.
    pub(super) fn printed<'f>(
        &mut self,
        expr: &'s Expr,
        tag: Span,
        frame: &'f Frame<'f>,
    ) -> Outcome<Got<'f>>
    where
        's: 'f,
    {
        if let Expr::Path(path) = expr
            && path.bare
            && self.scope.supply().has_helper(&path.name)
            && let Some(got) = self.host(&path.name, tag, &[], &[])
        {
            // A helper may print nothing.
            return Ok(if got.value.is_missing() {
                Got { value: Val::Text(""), ..got }
            } else {
                got
            });
        }
        self.eval(expr, frame)
    }

    /// The value of an expression.
    pub(super) fn eval<'f>(&mut self, expr: &'s Expr, frame: &'f Frame<'f>) -> Outcome<Got<'f>>
    where
        's: 'f,
    {
        match expr {
            Expr::Path(path) => Ok(frame.path(path, self.scope)),
            Expr::Local(local) => Ok(frame.local(local)),
            Expr::Literal(json) => {
                Ok(Got::new(Val::Json(Cow::Borrowed(json)), CacheClass::Static, None))
            }
            Expr::Call(call) => self.call(call, frame),
        }
    }

    /// A helper's value; arguments first, from left to right.
    fn call<'f>(&mut self, call: &'s Call, frame: &'f Frame<'f>) -> Outcome<Got<'f>>
    where
        's: 'f,
    {
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            self.step(call.tag)?;
            args.push(self.eval(arg, frame)?);
        }
        self.work(&call.function, &args, call.tag)?;
        match call.function {
            Function::Builtin(builtin) => Ok(self.builtin(builtin, call, args)),
            Function::Host => {
                let mut hash = Vec::with_capacity(call.hash.len());
                for (name, expr) in &call.hash {
                    hash.push((&**name, self.eval(expr, frame)?));
                }
                self.host(&call.name, call.tag, &args, &hash).ok_or_else(|| {
                    let message = format!("there is no helper `{}`", call.name);
                    self.error(Mistake::new(Code::HelperUnknown, message, call.tag))
                })
            }
        }
    }

    /// A built-in helper; those that need the scope are here, the others in `helpers`.
    fn builtin<'f>(&mut self, builtin: Builtin, call: &'s Call, args: Vec<Got<'f>>) -> Got<'f>
    where
        's: 'f,
    {
        let widest = Widest::of(&args);
        let id = || args.first().map(|arg| arg.value.printed()).unwrap_or_default();
        let (value, widest) = match builtin {
            Builtin::HasTool => {
                let (yes, class) = self.scope.supply().has_tool(&id());
                (Val::Json(Cow::Owned(yes.into())), widest.with(class, Some(&TOOLS)))
            }
            Builtin::Tool => {
                let (name, class) = self.scope.supply().tool(&id());
                (name.map_or(Val::Missing, Val::Text), widest.with(class, Some(&TOOLS)))
            }
            Builtin::ToolDocs => return found(self.scope.supply().tool_docs(None), widest, &TOOLS),
            Builtin::ToolDoc => {
                return found(self.scope.supply().tool_docs(Some(&id())), widest, &TOOLS);
            }
            Builtin::Section => {
                let path = [SECTIONS.into(), id().into()];
                let nothing = || Found::new(Val::Missing, CacheClass::Volatile);
                let section = self.scope.lookup(&path).unwrap_or_else(nothing);
                return found(section, widest, &call.name);
            }
            _ => {
                let unknown = args.iter().any(|arg| arg.unknown);
                let values: Vec<_> = args.into_iter().map(|arg| arg.value).collect();
                let value = helpers::call(builtin, &values).unwrap_or_else(|why| {
                    self.issue(IssueKind::Failed(why), &call.name, call.tag);
                    Val::Text("")
                });
                let got = Got::new(plain(value), widest.class, widest.cause);
                return Got { unknown, ..got };
            }
        };
        Got::new(value, widest.class, widest.cause)
    }

    /// Calls a helper of an extension, if there is one of that name; one that fails prints nothing.
    fn host<'f>(
        &mut self,
        name: &'f Arc<str>,
        tag: Span,
        args: &[Got<'f>],
        hash: &[(&str, Got<'f>)],
    ) -> Option<Got<'f>>
    where
        's: 'f,
    {
        let json = |got: &Got<'_>| got.value.to_json();
        let named = hash.iter().map(|(key, got)| ((*key).to_owned(), json(got))).collect();
        let called =
            self.scope.supply().call_helper(name, args.iter().map(json).collect(), named)?;
        let widest = Widest::of(args.iter().chain(hash.iter().map(|(_, got)| got)));
        let widest = widest.with(called.class, called.cause.or(Some(name)));
        let value = called.value.map_or_else(
            |why| {
                self.issue(IssueKind::Failed(why), name, tag);
                Val::Text("")
            },
            |json| Val::Json(Cow::Owned(json)),
        );
        Some(Got::new(value, widest.class, widest.cause))
    }
}

/// What the scope found for a helper.
fn found<'f>(found: Found<'f>, widest: Widest<'f>, cause: &'f Arc<str>) -> Got<'f> {
    let presence = found.presence.max(widest.class);
    let Widest { class, cause } = widest.with(found.class, Some(cause));
    Got { value: found.value, class, presence, cause, unknown: false }
}

/// What comes out of a helper is plain text, with the class of the call.
fn plain(value: Val<'_>) -> Val<'_> {
    match value {
        Val::Section(section) => Val::Text(&section.text),
        value => value,
    }
}
