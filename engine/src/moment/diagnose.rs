//! Says as diagnostics what conditions and templates met.
//!
//! In: an [`Issue`], or a condition that failed. Out: a [`Diagnostic`]. Never: the value of anything.

use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic};
use crate::template::{Issue, IssueKind};

/// The diagnostic of an issue; `whose` names what was evaluated, e.g. `` component `rules` ``.
pub(crate) fn diagnose(whose: &str, issue: &Issue) -> Diagnostic {
    let name = &*issue.name;
    let origin = issue.text.origin_of(issue.range.clone());
    match &issue.kind {
        IssueKind::Unknown => {
            let message = format!("{whose} prints `{name}`, which nothing defines");
            Diagnostic::new(Code::PlaceholderMissing, message, origin).help(
                "name a context key, a section or a placeholder, or declare it in `pack.toml`",
            )
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
            Diagnostic::new(Code::HelperFailed, message, origin).help("it printed nothing")
        }
        IssueKind::Role => {
            let message = format!("{whose} asks for a tool of role `{name}`; none has it");
            Diagnostic::new(Code::RoleUnknown, message, origin)
                .help("ask inside `{{#if (tool \"…\")}}`, so that the sentence goes with the tool")
        }
    }
}

/// The diagnostic of a condition that cannot be evaluated.
pub(super) fn condition_failed(condition: &Condition, why: &str) -> Diagnostic {
    let message = format!("the condition failed: {why}");
    Diagnostic::new(Code::ConditionFailed, message, condition.origin().clone())
        .help("it counts as false; `promptweave check` compiles every condition")
}
