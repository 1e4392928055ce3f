//! Prints a prompt with everything it knows about itself, for snapshots.
//!
//! In: a prompt, an error or diagnostics. Out: text, the same on every machine. Never: prints times.

use std::fmt::Write;

use promptweave::{Diagnostic, Error, Prompt};

/// The text, then its sections, spans, hinges, heads and diagnostics.
///
/// # Panics
/// When [`whole::check`](crate::whole::check) finds that something does not hold.
pub fn prompt(prompt: &Prompt) -> String {
    crate::whole::check(prompt);
    let mut out = String::new();
    let variant = prompt.variant();
    part(&mut out, "variant", [format!("{}@{}: {}", variant.id, variant.version, prompt.why())]);
    part(
        &mut out,
        "asked",
        prompt.walk().iter().map(|asked| {
            format!(
                "{} {} {}: {}",
                if asked.matched { "+" } else { "-" },
                asked.variant.id,
                asked.reason,
                asked.detail
            )
        }),
    );
    part(&mut out, "text", [prompt.text()]);
    heads(&mut out, prompt);
    sections(&mut out, prompt);
    part(
        &mut out,
        "layers",
        prompt.placeholders().iter().map(|(name, layer)| format!("{name} {}", layer.as_str())),
    );
    part(
        &mut out,
        "spans",
        prompt.spans().map(|span| {
            let id = span.id.as_deref().unwrap_or("-");
            format!("{:?} {} {id} {} {}", span.range, span.kind.as_str(), span.class, span.origin)
        }),
    );
    part(
        &mut out,
        "hinges",
        prompt
            .hinges()
            .map(|hinge| format!("{} {} {} {}", hinge.at, hinge.class, hinge.cause, hinge.origin)),
    );
    part(&mut out, "tools", prompt.tools());
    part(&mut out, "user context", prompt.user_context());
    part(&mut out, "diagnostics", [diagnostics(prompt.diagnostics())]);
    out
}

/// The text, then its heads, sections, skipped components and diagnostics: what a reviewer reads.
///
/// # Panics
/// When [`whole::check`](crate::whole::check) finds that something does not hold.
pub fn text(prompt: &Prompt) -> String {
    crate::whole::check(prompt);
    let mut out = format!("{}\n", prompt.text());
    heads(&mut out, prompt);
    sections(&mut out, prompt);
    part(&mut out, "diagnostics", [diagnostics(prompt.diagnostics())]);
    out
}

/// Each on one line, with its help below.
pub fn diagnostics(all: &[Diagnostic]) -> String {
    let mut out = String::new();
    for told in all {
        let help = told.help.as_deref().unwrap_or("-");
        let _ = writeln!(out, "{told}\n    help: {help}");
    }
    out.truncate(out.trim_end().len());
    out
}

/// An error, with what it answers.
pub fn error(error: &Error) -> String {
    let help = error.help().unwrap_or("-");
    format!("error[{}] {}: {error}\n    help: {help}\n", error.code(), error.origin())
}

fn heads(out: &mut String, prompt: &Prompt) {
    let (fixed, session) = (prompt.static_head(), prompt.session_head());
    part(
        out,
        "heads",
        [format!("static {fixed}, session {session}, of {} bytes", prompt.text().len())],
    );
}

fn sections(out: &mut String, prompt: &Prompt) {
    part(
        out,
        "sections",
        prompt.sections().iter().map(|section| {
            format!("{} {:?} {} {}", section.id, section.range, section.class, section.origin)
        }),
    );
    part(
        out,
        "skipped",
        prompt.skipped().iter().map(|skipped| {
            format!("{} {}: {}", skipped.id, skipped.reason.as_str(), skipped.detail)
        }),
    );
}

/// A headed part; nothing at all when there is nothing in it.
fn part<T: AsRef<str>>(out: &mut String, head: &str, lines: impl IntoIterator<Item = T>) {
    let lines: Vec<T> = lines.into_iter().filter(|line| !line.as_ref().is_empty()).collect();
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "--- {head}");
    for line in lines {
        let _ = writeln!(out, "{}", line.as_ref());
    }
}
