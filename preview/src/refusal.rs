//! What the engine and its neighbours refuse, as problems.
//!
//! In: errors. Out: [`Problem`]s with the status that fits. Never: the text of a prompt.

use std::fmt::Display;

use axum::http::StatusCode;
use promptweave::{Diagnostic, Error, Origin, Severity};
use promptweave_inspect::{Misplaced, SpecsProblem};
use promptweave_loopback::Problem;

/// The engine has no prompt to give for what was asked.
pub(crate) fn of_engine(error: &Error) -> Problem {
    let problem = invalid(error.code(), error);
    let problem = match error.origin() {
        Origin::Engine => problem,
        origin => problem.at(origin.to_json()),
    };
    error.help().into_iter().fold(problem, |problem, help| problem.help(help))
}

/// The first warning, where warnings are errors.
pub(crate) fn of_warning<'d>(
    told: impl IntoIterator<Item = &'d Diagnostic>,
) -> Result<(), Problem> {
    match told.into_iter().find(|one| one.severity > Severity::Note) {
        None => Ok(()),
        Some(one) => {
            let problem = invalid(one.code.as_str(), &one.message).at(one.origin.to_json());
            Err(one.help.iter().fold(problem, |problem, help| problem.help(help.as_str())))
        }
    }
}

/// A value has no place in the context.
pub(crate) fn of_place(error: Misplaced) -> Problem {
    match error {
        Misplaced::Path(why) => invalid("request-invalid", why),
        Misplaced::Context(error) => of_engine(&error.into()),
    }
}

/// There are no tools to cut a reply by.
pub(crate) fn of_specs(error: &SpecsProblem) -> Problem {
    let code = match error {
        SpecsProblem::NoVariant(_) => "unknown-variant",
        SpecsProblem::NoTag(_) => "request-invalid",
    };
    invalid(code, error)
}

/// What was asked for is understood and not there.
pub(crate) fn invalid(code: &'static str, detail: impl Display) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail.to_string())
}

/// The path leads to nothing.
pub(crate) fn not_found(detail: impl Display) -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "not-found", detail.to_string())
}
