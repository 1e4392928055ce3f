//! Says as diagnostics what conditions and templates met.
//!
//! In: an [`Issue`], or a condition that failed. Out: a [`Diagnostic`]. Never: the value of anything.

use super::names::STANDARD_NAMES;
use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic, did_you_mean};
use crate::model::{KNOWN_KEYS, class_of, default_of, known_roots};
use crate::template::{Issue, IssueKind};

/// What to do about a name that nothing defines where it stands.
pub(crate) fn how_to_define(name: &str) -> String {
    let steps: Vec<&str> = name.split('.').collect();
    let root = steps[0];
    match default_of(root) {
        Some(_) if class_of(&steps).is_none() => {
            let paths = KNOWN_KEYS.iter().map(|key| key.path);
            did_you_mean(name, paths, || format!("keys of your own are reached as `ctx.{name}`"))
        }
        Some(_) => format!("a base template reaches context keys by `ctx`: write `ctx.{name}`"),
        None => did_you_mean(root, names(), || {
            "name a context key, a section or a placeholder; own keys are `ctx.<key>`".into()
        }),
    }
}

/// What every template can name.
fn names() -> impl Iterator<Item = &'static str> {
    known_roots().chain(STANDARD_NAMES.iter().map(|(name, _)| *name))
}

/// The diagnostic of an issue; `whose` names what was evaluated, e.g. `` component `rules` ``.
pub(crate) fn diagnose(whose: &str, issue: &Issue) -> Diagnostic {
    let name = &*issue.name;
    let origin = issue.text.origin_of(issue.range.clone());
    match &issue.kind {
        IssueKind::Unknown => {
            let message = format!("{whose} prints `{name}`, which nothing defines");
            Diagnostic::new(Code::PlaceholderMissing, message, origin).help(how_to_define(name))
        }
        IssueKind::Absent if matches!(name, "date" | "CURRENT_DATE") => {
            let message = format!("{whose} prints the date, which the host did not give");
            Diagnostic::new(Code::ClockMissing, message, origin).help("give `date` in the context")
        }
        IssueKind::Absent => {
            let message = format!("{whose} prints `{name}`, which is absent");
            Diagnostic::new(Code::ValueMissing, message, origin)
                .help("print it inside `{{#if}}`, or give it a default")
        }
        IssueKind::Failed(why) => {
            let message = format!("{whose}: helper `{name}` failed: {why}");
            Diagnostic::new(Code::HelperFailed, message, origin)
                .help("it printed nothing; look at its arguments")
        }
        IssueKind::Role => {
            let message = format!("{whose} asks for a tool of role `{name}`; none has it");
            Diagnostic::new(Code::RoleUnknown, message, origin)
                .help("ask inside `{{#if (tool \"…\")}}`, so that the sentence goes with the tool")
        }
    }
}

/// Why a condition could not be evaluated: the mistake in its text, else what happened while it ran.
pub(super) fn condition_failed(condition: &Condition, why: &str) -> Vec<Diagnostic> {
    let mistakes = condition.check();
    if !mistakes.is_empty() {
        return mistakes;
    }
    let message = format!("the condition failed: {why}");
    let failed = Diagnostic::new(Code::ConditionFailed, message, condition.origin().clone());
    vec![failed.help("it counts as false; look at the types of the values that it reads")]
}
