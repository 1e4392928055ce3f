//! Evaluates a prepared condition.
//!
//! In: a [`Program`] and [`Names`]. Out: a [`Decision`].
//! Never: puts a value into a message; they end in diagnostics, which hold none.

use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use cel::common::types::CelBool;
use cel::common::value::CowVal;
use cel::context::VariableResolver;
use cel::{Context, ExecutionError};
use serde_json::Value;

use super::prepare::Program;
use super::value::{ENV, Pattern, convert};
use super::{Decision, Names};

/// Asks `names` for the roots that the program reads, then evaluates it.
pub(super) fn decide(program: &Program, names: &dyn Names) -> Decision {
    let values = program.roots.iter().map(|root| names.value(root)).collect();
    let scope = Scope { program, values };
    let mut context = Context::with_env(Arc::clone(&ENV));
    context.set_variable_resolver(&scope);
    let evaluate = || cel::Value::resolve_val(&program.tree, &context).map(|value| boolean(&value));
    // Only trees that the crate's own parser made get here and its evaluator is total on them, but one
    // missed case of a dependency must cost a section, not the host.
    match panic::catch_unwind(AssertUnwindSafe(evaluate)) {
        Ok(Ok(Ok(holds))) => Decision::Holds(holds),
        Ok(Ok(Err(other))) => {
            Decision::Failed(format!("it is neither true nor false, but {other}"))
        }
        Ok(Err(error)) => scope.failure(&error),
        Err(_) => Decision::Failed("the evaluator panicked".to_owned()),
    }
}

/// The truth of a result, or the name of its type.
fn boolean(value: &CowVal) -> Result<bool, String> {
    match value.downcast_ref::<CelBool>() {
        Some(holds) => Ok(*holds.inner()),
        None => Err(format!("`{}`", value.get_type().name())),
    }
}

/// The names of one evaluation.
struct Scope<'n> {
    program: &'n Program,
    /// Of the program's roots, in their order.
    values: Vec<Option<Cow<'n, Value>>>,
}

impl Scope<'_> {
    fn root(&self, name: &str) -> Option<&Value> {
        let roots = &self.program.roots;
        let at = roots.iter().position(|root| **root == *name)?;
        self.values[at].as_deref()
    }

    /// The value at a dotted path, else the part of the path that leads to nothing.
    fn walk<'p>(&self, path: &'p str) -> Result<&Value, &'p str> {
        let mut end = path.find('.').unwrap_or(path.len());
        let mut value = self.root(&path[..end]).ok_or(&path[..end])?;
        while end < path.len() {
            let start = end + 1;
            end = path[start..].find('.').map_or(path.len(), |at| start + at);
            value = value.get(&path[start..end]).ok_or(&path[..end])?;
        }
        Ok(value)
    }

    fn failure(&self, error: &ExecutionError) -> Decision {
        match error {
            ExecutionError::NoSuchKey(key) => Decision::Missing(self.missing(key)),
            ExecutionError::IndexOutOfBounds(_) => {
                Decision::Missing("an item of a list".to_owned())
            }
            other => Decision::Failed(explain(other)),
        }
    }

    /// The whole path of a key that was not found, where the condition spells it.
    fn missing(&self, key: &str) -> String {
        let ends_with_key = |path: &&str| path.rsplit('.').next() == Some(key);
        let absent = self.program.paths().iter().filter_map(|path| self.walk(path).err());
        absent.into_iter().find(ends_with_key).unwrap_or(key).to_owned()
    }
}

impl VariableResolver for Scope<'_> {
    /// Also resolves dotted paths: the crate asks for the longest name first.
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if let Some(number) = Pattern::number(name) {
            return self.program.patterns.get(number).map(|pattern| CowVal::Borrowed(pattern));
        }
        self.walk(name).ok().map(convert)
    }
}

/// An error in our words, without the values that it holds.
fn explain(error: &ExecutionError) -> String {
    match error {
        ExecutionError::UndeclaredReference(name) => format!("there is no name `{name}`"),
        ExecutionError::NoSuchOverload(overload) => {
            let types = overload.argument_types().join(", ");
            format!("`{}` does not take ({types})", operator(overload.function()))
        }
        ExecutionError::UnsupportedBinaryOperator(name, left, right) => {
            format!("`{name}` does not take ({}, {})", left.type_of(), right.type_of())
        }
        ExecutionError::UnexpectedType { want, .. } => format!("a value is not of type `{want}`"),
        ExecutionError::FunctionError { function, .. } => {
            format!("`{function}` cannot convert its argument")
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "a division by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is out of range".to_owned(),
        ExecutionError::DuplicateKey(_) => "a map has the same key twice".to_owned(),
        ExecutionError::UnsupportedKeyType(_) => {
            "a key is neither text, number nor bool".to_owned()
        }
        _ => "it cannot be evaluated with these values".to_owned(),
    }
}

/// The sign of an operator, e.g. `>` for `_>_`.
fn operator(name: &str) -> &str {
    match name.trim_matches(['_', '@']) {
        "[_]" => "[]",
        "." => ".",
        sign => sign,
    }
}
