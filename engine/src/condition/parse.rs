//! Parses the text of a condition.
//!
//! In: a text that the scan let through. Out: the crate's tree and where its nodes stand, or a [`Flaw`].
//! Never: shows the crate's own messages, which list the names of its grammar.

use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};

use cel::IdedExpr;
use cel::common::ast::SourceInfo;
use cel::parser::ParseErrors;

use super::Flaw;
use super::functions::ENV;
use super::scan::MAX_NESTING;
use crate::diagnostic::Code;

/// Parses a text.
pub(super) fn parse(text: &str) -> Result<(IdedExpr, SourceInfo), Flaw> {
    // The generated parser unwraps what its grammar promises. Fuzzing found no text that breaks a promise,
    // but a condition comes from a file that anyone may have written.
    let parse = || {
        let parser = ENV.parser().max_recursion_depth(MAX_NESTING as u16);
        parser.parse_with_source_info(text)
    };
    panic::catch_unwind(AssertUnwindSafe(parse))
        .map_err(|_| not_cel(0..text.len(), "the parser panicked"))?
        .map_err(|errors| first_error(text, &errors))
}

/// The first thing that the parser could not read; what it reports after that is mostly noise.
fn first_error(text: &str, errors: &ParseErrors) -> Flaw {
    let syntax = errors.errors.iter().find(|error| error.msg.starts_with("Syntax error: "));
    let Some(error) = syntax.or(errors.errors.first()) else {
        return not_cel(0..text.len(), "it cannot be read");
    };
    let at = offset(text, error.pos);
    let token = first_token(&text[at..]);
    let said = error.msg.strip_prefix("Syntax error: ").unwrap_or(&error.msg);
    let said = said.split_once(" expecting ").map_or(said, |(said, _)| said);
    let reason = match said {
        _ if said.starts_with("missing ") => said.replace('\'', "`"),
        _ if token.is_empty() => "it ends too early".to_owned(),
        _ if error.msg == said => said.replace('\'', "`"),
        _ => format!("unexpected `{token}`"),
    };
    not_cel(at..at + token.len(), &reason)
}

/// The flaw of a text that is not CEL.
pub(super) fn not_cel(at: Range<usize>, reason: &str) -> Flaw {
    let help = match reason {
        "unexpected `=`" => "`==` compares",
        "unexpected `&`" | "unexpected `and`" => "`&&` joins two conditions that must hold",
        "unexpected `|`" | "unexpected `or`" => "`||` joins two conditions of which one must hold",
        _ => "conditions are CEL: `native_tools && !('compact' in flags)`",
    };
    Flaw::new(Code::ConditionSyntax, at, format!("the condition is not CEL: {reason}"), help)
}

/// The word or character that a text begins with.
fn first_token(text: &str) -> &str {
    let word = text.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
    let one = text.chars().next().map_or(0, char::len_utf8);
    &text[..word.unwrap_or(text.len()).max(one)]
}

/// The byte of a line and column, both from 1; the parser counts characters.
fn offset(text: &str, (line, column): (isize, isize)) -> usize {
    let (lines, chars) = (usize::try_from(line - 1), usize::try_from(column - 1));
    let lines = text.split_inclusive('\n').take(lines.unwrap_or_default());
    let start: usize = lines.map(str::len).sum();
    let mut chars = text[start..].char_indices().skip(chars.unwrap_or_default());
    chars.next().map_or(text.len(), |(at, _)| start + at)
}
