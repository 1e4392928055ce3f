//! Words about conditions that fail and placeholders without a value.
//!
//! In: what an evaluation met. Out: diagnostics. Never: the value of anything.

use crate::condition::Condition;
use crate::diagnostic::{Code, Diagnostic};
use crate::template::{Issue, IssueKind};

/// A word about a placeholder.
pub(crate) fn told(whose: &str, issue: &Issue) -> Diagnostic {
    let name = &*issue.name;
    let origin = issue.text.origin_of(issue.range.clone());
    match &issue.kind {
        IssueKind::Unknown => {
            let message = format!("{whose} prints `{}`, which nothing defines", name);
            Diagnostic::new(Code::PlaceholderMissing, message, origin).help(
                "name a context key, a section or a placeholder, or declare it in `pack.toml`",
            )
        }
        IssueKind::Absent if matches!(name, "date" | "CURRENT_DATE") => {
            let message = format!("{whose} prints the date, which the host did not give");
            Diagnostic::new(Code::ClockMissing, message, origin).help("give `date` in the context")
        }
        IssueKind::Absent => {
            let message = format!("{whose} prints `{}`, which is absent", name);
            Diagnostic::new(Code::ValueMissing, message, origin)
                .help("print it inside `{{#if}}`, or give it a default")
        }
        IssueKind::Failed(why) => {
            let message = format!("{whose}: helper `{name}` failed: {why}");
            Diagnostic::new(Code::HelperFailed, message, origin).help("it printed nothing")
        }
        IssueKind::Role => {
            let message = format!("{whose} asks for a tool of role `{}`; none has it", name);
            Diagnostic::new(Code::RoleUnknown, message, origin)
                .help("ask inside `{{#if (tool \"…\")}}`, so that the sentence goes with the tool")
        }
    }
}

/// A word about a condition that cannot be evaluated.
pub(super) fn failed(condition: &Condition, why: &str) -> Diagnostic {
    let message = format!("the condition failed: {why}");
    Diagnostic::new(Code::ConditionFailed, message, condition.origin().clone())
        .help("it counts as false; `promptweave check` compiles every condition")
}
