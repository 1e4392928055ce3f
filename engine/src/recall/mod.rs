//! What a build reads, and what code answered in a session.
//!
//! In: the paths that values are taken from, as they are read. Out: [`Record`]s, one for each part of a prompt, and
//! answers that hold as long as what they were made of does. Never: decides what is built.

mod kept;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value as Json;

pub(crate) use kept::{Answer, Basis, Kept, Printed, Told, Yielded};

use crate::extension::Output;
use crate::model::{Context, Variant};

/// The context keys that describe tools.
pub(crate) const TOOL_KEYS: &[&str] = &["tools", "capabilities", "mcp.servers"];

/// The context keys that a text was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// Dotted paths; the empty one stands for the whole context.
    pub(crate) keys: BTreeSet<Arc<str>>,
    /// Whether something besides the context may change it before the session is reset.
    pub(crate) is_loose: bool,
}

impl Record {
    /// Takes what another one read.
    pub(crate) fn add(&mut self, other: &Self) {
        self.keys.extend(other.keys.iter().cloned());
        self.is_loose |= other.is_loose;
    }

    /// Whether nothing of it is among these keys, so that it would be the same again.
    pub(crate) fn holds(&self, changed: &BTreeSet<Arc<str>>) -> bool {
        let is_read = |key: &Arc<str>| self.keys.contains(key);
        !self.is_loose && (self.keys.is_empty() || !changed.iter().any(is_read))
    }

    /// Whether it may have been asked which tools there are.
    pub(crate) fn asks_for_tools(&self) -> bool {
        TOOL_KEYS.iter().all(|key| self.keys.contains(*key))
    }
}

/// Where the builds of a session write down what they read.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    record: RefCell<Record>,
    kept: RefCell<Kept>,
    /// Which list of steps runs.
    part: Cell<&'static str>,
}

impl Desk {
    /// A desk with the answers of earlier builds.
    pub(crate) fn new(kept: Kept) -> Self {
        Self { kept: RefCell::new(kept), ..Self::default() }
    }

    /// Begins with a list of steps: an item may be in several, and see other sections in each.
    pub(crate) fn begin(&self, part: &'static str) {
        self.part.set(part);
    }

    /// A question to an item, in the list of steps that runs.
    pub(crate) fn question(&self, variant: &Variant, component: &str, item: &str) -> String {
        variant.question(&format!("{} {component} {item}", self.part.get()))
    }

    /// The answers.
    pub(crate) fn into_kept(self) -> Kept {
        self.kept.into_inner()
    }

    /// Notes a dotted path, `ctx.` in front or not.
    pub(crate) fn read(&self, path: &str) {
        let path = if path == "ctx" { "" } else { path.strip_prefix("ctx.").unwrap_or(path) };
        let keys = &mut self.record.borrow_mut().keys;
        if !keys.contains(path) {
            keys.insert(path.into());
        }
    }

    /// Notes a path in steps. A step that could not be told from two is left out with what is behind it.
    pub(crate) fn read_steps<S: AsRef<str>>(&self, steps: &[S]) {
        let mut plain =
            steps.iter().map(AsRef::as_ref).take_while(|step| !step.contains(['.', '[']));
        let Some(first) = plain.next() else { return self.read("ctx") };
        let Some(second) = plain.next() else { return self.read(first) };
        let path = [first, ".", second].concat();
        self.read(&plain.fold(path, |path, step| path + "." + step));
    }

    /// Notes that something outside of the context was read that may change at any time.
    pub(crate) fn loosen(&self) {
        self.record.borrow_mut().is_loose = true;
    }

    /// Notes what another part read.
    pub(crate) fn add(&self, other: &Record) {
        self.record.borrow_mut().add(other);
    }

    /// Does something whose reads are noted apart from those around it.
    pub(crate) fn apart<T>(&self, work: impl FnOnce() -> T) -> (T, Record) {
        let around = self.record.take();
        let done = work();
        (done, self.record.replace(around))
    }

    /// What code answered to this question before, when all that the answer was made of is the same.
    pub(crate) fn answer<T: Told>(&self, question: &str, context: &Context) -> Option<Answer<T>> {
        let kept = self.kept.borrow();
        let answer = T::all(&kept).get(question)?;
        answer.holds_in(context).then(|| answer.clone())
    }

    /// Notes the files that a component's answer names.
    pub(crate) fn basis(&self, question: &str, component: &str, output: &Output) {
        self.kept.borrow_mut().basis(question, component, output);
    }

    /// Keeps what code answered to a question; not what may change at any time.
    pub(crate) fn keep<T: Told>(&self, question: &str, said: T, record: &Record, at: &Context) {
        let all = &mut *self.kept.borrow_mut();
        let all = T::all_mut(all);
        if !record.is_loose && (all.len() < kept::MAX_ANSWERS || all.contains_key(question)) {
            all.insert(question.into(), Answer::new(said, record, at));
        }
    }
}

/// Does something whose reads are noted apart, where they are noted at all.
pub(crate) fn apart<T>(desk: Option<&Desk>, work: impl FnOnce() -> T) -> (T, Record) {
    match desk {
        Some(desk) => desk.apart(work),
        None => (work(), Record::default()),
    }
}

/// Where a path ended that leads to no value: after so many steps, at a value of such a kind. Conditions tell these apart.
pub(crate) type End = u64;

/// The value at a recorded path; null counts as one.
pub(crate) fn value_at<'c>(context: &'c Context, path: &str) -> Result<&'c Json, End> {
    let mut value = context.as_json();
    let steps = path.split('.').enumerate().filter(|_| !path.is_empty());
    for (at, step) in steps {
        let kind = match value {
            Json::Null => 0,
            Json::Object(_) => 1,
            Json::Array(_) => 2,
            Json::Bool(_) | Json::Number(_) | Json::String(_) => 3,
        };
        value = crate::model::step_into(value, step).ok_or(4 * at as End + kind)?;
    }
    Ok(value)
}
