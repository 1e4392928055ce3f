//! `blame`: the prompt line by line, with the origin of each part.

use std::ops::Range;

use clap::Args;
use promptweave::{CacheClass, Origin, Prompt, Span};
use serde_json::{Value as Json, json};

use crate::console::Console;
use crate::failure::Failure;
use crate::paint::{Hue, Paint};
use crate::select::Selectors;
use crate::table::{Table, size};

const EXAMPLES: &str = "\
Examples:
  promptweave blame --model claude-sonnet-4-5 | less
  promptweave blame -c context.json --json";

/// Columns that an origin may take.
const MAX_ORIGIN: usize = 48;

/// Print the prompt line by line with each part's origin and cache class
///
/// A line of several parts takes several rows; those behind the first have a `+` for their number. On a terminal
/// each row has the colour of its class, unless NO_COLOR is set.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Blame {
    #[command(flatten)]
    selectors: Selectors,
}

/// A part of one line with one origin.
struct Fragment {
    line: usize,
    /// Whether it stands at the line's start.
    first: bool,
    range: Range<usize>,
    span: Span,
}

impl Blame {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let prompt = self.selectors.build(console)?.prompt;
        if console.json {
            return console.out_json(&spans(&prompt));
        }
        console.out(painted(&prompt, Paint::of_stdout()))?;
        if console.err_is_terminal() {
            console.say(&legend(&prompt, Paint::of_stderr()));
        }
        Ok(())
    }
}

/// The rows, each in the colour of its class.
fn painted(prompt: &Prompt, paint: Paint) -> String {
    let fragments = fragments(prompt);
    let table = table(prompt, &fragments).text();
    let rows = table.lines().zip(&fragments);
    rows.map(|(row, part)| format!("{}\n", paint.on(Hue::Class(part.span.class), row))).collect()
}

/// What the colours stand for, with the bytes of each class.
fn legend(prompt: &Prompt, paint: Paint) -> String {
    let classes = [CacheClass::Static, CacheClass::Session, CacheClass::Volatile].map(|class| {
        let own = prompt.spans().filter(|span| span.class == class);
        let bytes = own.map(|span| span.range.len()).sum();
        paint.on(Hue::Class(class), &format!("{class} {}", size(bytes)))
    });
    format!("{}\n", classes.join(", "))
}

fn table(prompt: &Prompt, fragments: &[Fragment]) -> Table {
    let mut table = Table::default();
    for Fragment { line, first, range, span } in fragments {
        let number = if *first { line.to_string() } else { "+".into() };
        let id = span.id.as_deref().unwrap_or(span.kind.as_str());
        let text = without_end(&prompt.text()[range.clone()]);
        table.row([
            &shortened(&origin(prompt, span, range).to_string()),
            id,
            span.class.as_str(),
            &format!("{number:>4}|{text}"),
        ]);
    }
    table
}

/// The place of a part of a span: in a file its own, where the file's bytes are the text's.
fn origin(prompt: &Prompt, span: &Span, part: &Range<usize>) -> Origin {
    if let Origin::File { file, span: whole } = &span.origin {
        let start = whole.start + (part.start - span.range.start);
        let own = start..start + part.len();
        if file.text().get(own.clone()) == Some(&prompt.text()[part.clone()]) {
            return Origin::file(file, own);
        }
    }
    span.origin.clone()
}

/// Every span, cut at line ends. A line end belongs to its line.
fn fragments(prompt: &Prompt) -> Vec<Fragment> {
    let text = prompt.text();
    let (mut fragments, mut line, mut first) = (Vec::new(), 1, true);
    for span in prompt.spans() {
        let mut start = span.range.start;
        for part in text[span.range.clone()].split_inclusive('\n') {
            let range = start..start + part.len();
            start = range.end;
            let ends = part.ends_with('\n');
            // A line end alone, behind other parts of its line, shows nothing.
            if first || !part.trim_end_matches(['\r', '\n']).is_empty() {
                fragments.push(Fragment { line, first, range, span: span.clone() });
            }
            (line, first) = (line + usize::from(ends), ends);
        }
    }
    fragments
}

/// The text without its line end.
fn without_end(text: &str) -> &str {
    text.strip_suffix('\n').map_or(text, |text| text.strip_suffix('\r').unwrap_or(text))
}

/// The end of an origin says more than its start.
fn shortened(origin: &str) -> String {
    let length = origin.chars().count();
    if length <= MAX_ORIGIN {
        return origin.into();
    }
    std::iter::once('…').chain(origin.chars().skip(length - MAX_ORIGIN + 1)).collect()
}

fn spans(prompt: &Prompt) -> Json {
    let mut line = 1;
    let spans = prompt.spans().map(|span| {
        let text = &prompt.text()[span.range.clone()];
        let first = line;
        line += text.matches('\n').count();
        json!({
            "line": first, "start": span.range.start, "end": span.range.end,
            "kind": span.kind.as_str(), "id": span.id.as_deref(), "class": span.class.as_str(),
            "origin": span.origin.to_json(), "text": text,
        })
    });
    spans.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_origins_keep_their_end() {
        let long = format!("{}/rules.md:3:1", "x".repeat(100));
        let short = shortened(&long);
        assert!(short.starts_with('…') && short.ends_with("x/rules.md:3:1"), "{short}");
        assert_eq!(short.chars().count(), MAX_ORIGIN);
    }
}
