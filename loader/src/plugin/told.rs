//! An answer of a plugin, told to the engine.

use std::ops::Range;

use promptweave::{CacheClass, Code, Diagnostic, Inputs, Origin, Output, Severity};

use crate::answer::{self, Answer, Outcome, Report};
use crate::table::Item;

/// Passes on what an answer says beside its outcome.
pub(super) fn tell(plugin: &str, item: &Item, answer: &Answer, inputs: &Inputs<'_>) {
    reports(plugin, item, answer).into_iter().for_each(|told| inputs.report(told));
    if let Some(reason) = &answer.volatile {
        inputs.widen(CacheClass::Volatile, reason);
    }
}

/// What was reported, and what was read without being declared.
pub(super) fn reports(plugin: &str, item: &Item, answer: &Answer) -> Vec<Diagnostic> {
    let reported = answer.reports.iter().map(|report| diagnostic(plugin, report));
    let undeclared = answer.undeclared.iter().map(|key| {
        let message =
            format!("{} `{plugin}/{}` reads `{key}` without declaring it", item.kind, item.id);
        Diagnostic::new(Code::InputUndeclared, message, Origin::Engine)
            .help("it got nothing; its author has to add the key to those it declares")
    });
    reported.chain(undeclared).collect()
}

/// Logs the same, while a plugin is loaded and there is no prompt whose diagnostics could take it.
pub(super) fn log(item: &Item, answer: &Answer) {
    for Report { severity, code, message, .. } in &answer.reports {
        crate::log::line(&item.id, *severity, &format!("{code}: {message}"));
    }
    for key in &answer.undeclared {
        let message = format!("it reads `{key}` without declaring it");
        crate::log::line(&item.id, crate::log::WARNING, &message);
    }
}

/// The section of a component's answer.
pub(super) fn output(answer: Answer) -> Result<Option<Output>, String> {
    match answer.outcome {
        Outcome::Nothing => Ok(None),
        Outcome::Failed(why) => Err(why),
        Outcome::Text(text) => {
            let origins = origins(&text, &answer.origins);
            Ok(Some(Output { text, origins }))
        }
    }
}

fn diagnostic(plugin: &str, report: &Report) -> Diagnostic {
    let Report { severity, code, message, help } = report;
    let told = Diagnostic::new(Code::PluginReport, format!("{code}: {message}"), Origin::Engine);
    let severity = match severity {
        1 => Severity::Error,
        2 => Severity::Warning,
        _ => Severity::Note,
    };
    let told = Diagnostic { severity, ..told };
    match help.is_empty() {
        true => told.help(format!("the plugin `{plugin}` says so, and gives no advice")),
        false => told.help(help),
    }
}

/// The ranges of the text with their files, in order and without overlap: of two notes on one byte the later counts.
fn origins(text: &str, notes: &[answer::Origin]) -> Vec<(Range<usize>, Origin)> {
    let mut known: Vec<(Range<usize>, Origin)> = Vec::new();
    for note in notes {
        let (start, end) = (note.start as usize, (note.end as usize).min(text.len()));
        if start >= end || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            continue;
        }
        let origin = Origin::Line { file: note.path.as_str().into(), line: note.line };
        known = cut(known, &(start..end));
        known.push((start..end, origin));
    }
    known.sort_by_key(|(range, _)| range.start);
    known
}

/// What is left of the ranges outside of one.
fn cut(known: Vec<(Range<usize>, Origin)>, out: &Range<usize>) -> Vec<(Range<usize>, Origin)> {
    let parts = known.into_iter().flat_map(|(range, origin)| {
        let before = range.start..range.end.min(out.start);
        let behind = range.start.max(out.end)..range.end;
        [(before, origin.clone()), (behind, origin)]
    });
    parts.filter(|(range, _)| range.start < range.end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_notes_win() {
        let note =
            |start, end, path: &str| answer::Origin { start, end, path: path.into(), line: 1 };
        let notes = [note(0, 9, "a"), note(3, 5, "b"), note(5, 6, "c"), note(20, 30, "d")];
        let shown: Vec<String> = origins("0123456789", &notes)
            .into_iter()
            .map(|(range, origin)| format!("{range:?} {origin}"))
            .collect();
        assert_eq!(shown, ["0..3 a:1", "3..5 b:1", "5..6 c:1", "6..9 a:1"]);
    }
}
