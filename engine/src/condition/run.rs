//! Evaluates a prepared condition.
//!
//! In: a [`Program`] and [`Names`]. Out: a [`Decision`].
//! Never: puts a value into a message; messages end in diagnostics, which hold none.

use std::borrow::Cow;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cel::common::types::CelBool;
use cel::common::value::CowVal;
use cel::context::VariableResolver;
use cel::{Context, ExecutionError};
use serde_json::Value;

use super::functions::{ENV, Pattern};
use super::json::convert;
use super::prepare::Program;
use super::{Decision, Names};
use crate::weight::weight;

/// How much of the context a condition looks through, counted at each look at a name, in bytes: a comprehension
/// over one list may look at another in every round.
const MAX_WORK: usize = 256 * 1024 * 1024;

/// Asks `names` for the roots that the program reads, then evaluates it.
pub(super) fn decide(program: &Program, names: &dyn Names) -> Decision {
    let values = program.roots.iter().map(|root| names.value(root)).collect();
    let scope = Scope { program, values, left: AtomicUsize::new(MAX_WORK) };
    let mut context = Context::with_env(Arc::clone(&ENV));
    context.set_variable_resolver(&scope);
    let evaluate = || cel::Value::resolve_val(&program.tree, &context).map(|value| truth(&value));
    // The evaluator is total on the trees that get here, as far as reading and fuzzing it can tell. A case
    // that was missed must cost one condition, not the host.
    match panic::catch_unwind(AssertUnwindSafe(evaluate)) {
        Ok(Ok(decision)) => decision,
        Ok(Err(error)) => scope.failure(&error),
        Err(_) => Decision::Failed("the evaluator panicked".to_owned()),
    }
}

fn truth(result: &CowVal) -> Decision {
    match result.downcast_ref::<CelBool>() {
        Some(holds) => Decision::Holds(*holds.inner()),
        None => {
            let kind = result.get_type().name();
            Decision::Failed(format!("it is neither true nor false, but of type `{kind}`"))
        }
    }
}

/// The names of one evaluation.
struct Scope<'n> {
    program: &'n Program,
    /// Of the program's roots, in their order.
    values: Vec<Option<Cow<'n, Value>>>,
    /// What it may still look through.
    left: AtomicUsize,
}

impl VariableResolver for Scope<'_> {
    /// The crate asks for the longest dotted path first, so no map on the way is made a CEL value.
    fn resolve<'b>(&'b self, name: &str) -> Option<CowVal<'b, 'b>> {
        if let Some(number) = Pattern::number(name) {
            let pattern = self.program.patterns.get(number)?;
            return Some(CowVal::Borrowed(pattern));
        }
        let value = self.walk(name).ok()?;
        let left = self.left.load(Ordering::Relaxed);
        let left = left.saturating_sub(weight(value, left));
        self.left.store(left, Ordering::Relaxed);
        (left > 0).then(|| convert(value))
    }
}

impl Scope<'_> {
    fn root(&self, name: &str) -> Option<&Value> {
        let at = self.program.roots.iter().position(|root| **root == *name)?;
        self.values[at].as_deref()
    }

    /// The value at a dotted path, else the first part of the path that leads to none.
    fn walk<'p>(&self, path: &'p str) -> Result<&Value, &'p str> {
        let mut ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        let mut end = ends.next().unwrap_or_default();
        let mut value = self.root(&path[..end]).ok_or(&path[..end])?;
        for next in ends {
            value = value.get(&path[end + 1..next]).ok_or(&path[..next])?;
            end = next;
        }
        Ok(value)
    }

    fn failure(&self, error: &ExecutionError) -> Decision {
        if self.left.load(Ordering::Relaxed) == 0 {
            return Decision::Failed(
                "it has too much to look through with these values".to_owned(),
            );
        }
        match error {
            ExecutionError::NoSuchKey(key) => Decision::Missing(self.missing(key)),
            ExecutionError::IndexOutOfBounds(_) => {
                Decision::Missing("an item of a list".to_owned())
            }
            // A host may write null for what it does not have; nothing is below it.
            ExecutionError::NoSuchOverload(select)
                if select.function() == "_._"
                    && select.argument_types().first().is_some_and(|it| it == "null_type") =>
            {
                Decision::Missing(self.absent().next().unwrap_or("a key of null").to_owned())
            }
            other => Decision::Failed(explain(other)),
        }
    }

    /// The paths that lead nowhere, each up to where it ends.
    fn absent(&self) -> impl Iterator<Item = &str> {
        self.program.paths().iter().filter_map(|path| self.walk(path).err())
    }

    /// The whole path of a key that was not found, where the condition spells it.
    fn missing(&self, key: &str) -> String {
        let found = self.absent().find(|path| path.rsplit('.').next() == Some(key));
        found.unwrap_or(key).to_owned()
    }
}

/// An error in our words, without the values that it holds.
fn explain(error: &ExecutionError) -> String {
    match error {
        ExecutionError::UndeclaredReference(name) => format!("there is no name `{name}`"),
        ExecutionError::NoSuchOverload(overload) => {
            let types = overload.argument_types().join(", ");
            format!("`{}` does not take ({types})", sign(overload.function()))
        }
        ExecutionError::UnsupportedBinaryOperator(name, left, right) => {
            format!("`{}` does not take ({}, {})", sign(name), left.type_of(), right.type_of())
        }
        ExecutionError::UnexpectedType { want, .. } => format!("a value is not of type `{want}`"),
        ExecutionError::FunctionError { function, .. } => {
            format!("`{function}` cannot convert its argument")
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
            "a number is divided by zero".to_owned()
        }
        ExecutionError::Overflow(..) => "a number is out of range".to_owned(),
        ExecutionError::DuplicateKey(_) => "a map has the same key twice".to_owned(),
        _ => "it cannot be evaluated with these values".to_owned(),
    }
}

/// How an operator or function is written, e.g. `>` for `_>_`.
fn sign(name: &str) -> &str {
    match name.trim_matches(['_', '@']) {
        "add" => "+",
        "sub" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "[_]" => "[]",
        sign => sign,
    }
}
