//! Draws diagnostics: with the place they speak of on a terminal, as lines in a pipe, as JSON for tools.
//!
//! In: diagnostics and errors. Out: text. Never: prints it.

use std::fmt::{self, Display, Write};

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};
use promptweave::{Diagnostic, Error, Origin, Severity, SourceFile};
use promptweave_inspect::char_start;
use serde_json::{Value as Json, json};

use crate::table::visible;

/// A line longer than this is not shown as an excerpt.
const MAX_LINE_BYTES: usize = 400;

/// How diagnostics are drawn.
pub(crate) enum Look {
    /// `severity[code] file:line:column: message`, and the help below.
    Plain,
    /// One array.
    Json,
    /// With an excerpt of the file.
    Drawn {
        /// Columns of the terminal.
        width: usize,
        /// Whether it takes colours.
        colours: bool,
    },
}

/// One thing to tell, wherever it comes from.
#[derive(Debug)]
pub(crate) struct Told<'d> {
    code: &'d str,
    severity: Severity,
    message: String,
    origin: Origin,
    help: Option<&'d str>,
}

impl<'d> Told<'d> {
    /// Arguments that ask for what cannot be.
    pub(crate) fn usage(message: &str) -> Self {
        Self::error("usage", message, "`promptweave VERB --help` shows what is possible")
    }

    /// An error of this program itself.
    pub(crate) fn error(code: &'d str, message: &str, help: &'d str) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            origin: Origin::Engine,
            help: Some(help),
        }
    }

    /// The same, said of one of many inputs.
    pub(crate) fn of(self, input: &str) -> Self {
        Self { message: format!("{input}: {}", self.message), ..self }
    }

    fn to_json(&self) -> Json {
        json!({
            "code": self.code, "severity": self.severity.as_str(), "message": self.message,
            "origin": self.origin.to_json(), "help": self.help,
        })
    }

    fn plain(&self, text: &mut String) {
        let _ = write!(text, "{}[{}]", self.severity.as_str(), self.code);
        match &self.origin {
            Origin::Engine => {}
            origin => _ = write!(text, " {origin}"),
        }
        let _ = writeln!(text, ": {}", visible(&self.message));
        if let Some(help) = self.help {
            let _ = writeln!(text, "  help: {}", visible(help));
        }
    }

    /// Whether there is a place to show, on lines that a terminal can hold.
    fn place(&self) -> Option<(&SourceFile, SourceSpan)> {
        let Origin::File { file, span } = &self.origin else { return None };
        let text = Some(file.text()).filter(|text| !text.is_empty())?;
        let start = char_start(text, span.start);
        let end = char_start(text, span.end).max(start);
        let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let last = text[end..].find('\n').map_or(text.len(), |at| end + at);
        // What would act on the terminal is not drawn as it stands.
        let around =
            text[..first].lines().next_back().into_iter().chain(text[last..].lines().take(2));
        let mut shown = text[first..last].lines().chain(around);
        let fits = shown.all(|line| line.len() <= MAX_LINE_BYTES && visible(line) == line);
        // Whole files and long tables are shown by their first line.
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        fits.then(|| (&**file, (start, end.min(line_end) - start).into()))
    }
}

impl<'d> From<&'d Diagnostic> for Told<'d> {
    fn from(told: &'d Diagnostic) -> Self {
        Self {
            code: told.code.as_str(),
            severity: told.severity,
            message: told.message.clone(),
            origin: told.origin.clone(),
            help: told.help.as_deref(),
        }
    }
}

impl<'d> From<&'d Error> for Told<'d> {
    fn from(error: &'d Error) -> Self {
        Self {
            code: error.code(),
            severity: Severity::Error,
            message: error.to_string(),
            origin: error.origin().clone(),
            help: error.help(),
        }
    }
}

/// Draws all of them, in order.
pub(crate) fn draw(told: &[Told<'_>], look: &Look) -> String {
    let mut text = String::new();
    match look {
        Look::Plain => told.iter().for_each(|told| told.plain(&mut text)),
        Look::Json => {
            let all: Json = told.iter().map(Told::to_json).collect();
            let _ = writeln!(text, "{all:#}");
        }
        Look::Drawn { width, colours } => {
            let handler = handler(*width, *colours);
            for told in told {
                match told.place() {
                    Some((file, span)) => {
                        let report = Report { told, file: Named(file), span };
                        let _ = handler.render_report(&mut text, &report);
                    }
                    None => told.plain(&mut text),
                }
            }
        }
    }
    text
}

fn handler(width: usize, colours: bool) -> GraphicalReportHandler {
    let styles = if colours { ThemeStyles::ansi() } else { ThemeStyles::none() };
    let theme = GraphicalTheme { characters: ThemeCharacters::unicode(), styles };
    GraphicalReportHandler::new_themed(theme).with_width(width).with_links(false)
}

/// What the drawing library asks for.
#[derive(Debug)]
struct Report<'r, 'd> {
    told: &'r Told<'d>,
    file: Named<'r>,
    span: SourceSpan,
}

impl Display for Report<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&visible(&self.told.message))
    }
}

impl std::error::Error for Report<'_, '_> {}

impl miette::Diagnostic for Report<'_, '_> {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(self.told.code))
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.told.severity {
            Severity::Note => miette::Severity::Advice,
            Severity::Warning => miette::Severity::Warning,
            Severity::Error => miette::Severity::Error,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.told.help.map(|help| Box::new(visible(help)) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.file)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, self.span))))
    }
}

/// A file, lent to the drawing library with its name and without a copy of its text.
#[derive(Debug)]
struct Named<'f>(&'f SourceFile);

impl SourceCode for Named<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let part = self.0.text().read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            visible(self.0.name()),
            part.data(),
            *part.span(),
            part.line(),
            part.column(),
            part.line_count(),
        )))
    }
}

#[cfg(test)]
mod tests {
    use promptweave::Code;

    use super::*;

    fn sample() -> Vec<Diagnostic> {
        let file = SourceFile::new("house/claude.toml", "a = 1\nordre = []\n");
        vec![
            Diagnostic::new(
                Code::UnknownKey,
                "there is no key `ordre`",
                Origin::file(&file, 6..11),
            )
            .help("did you mean `order`?"),
            Diagnostic::new(Code::ClockMissing, "no date", Origin::Context("date".into())),
        ]
    }

    fn drawn(look: &Look) -> String {
        let sample = sample();
        let told: Vec<Told<'_>> = sample.iter().map(Told::from).collect();
        draw(&told, look)
    }

    #[test]
    fn plain() {
        insta::assert_snapshot!(drawn(&Look::Plain), @"
        error[unknown-key] house/claude.toml:2:1: there is no key `ordre`
          help: did you mean `order`?
        note[clock-missing] context date: no date
        ");
    }

    #[test]
    fn on_a_terminal() {
        insta::assert_snapshot!(drawn(&Look::Drawn { width: 80, colours: false }), @"
        unknown-key

          × there is no key `ordre`
           ╭─[house/claude.toml:2:1]
         1 │ a = 1
         2 │ ordre = []
           · ─────
           ╰────
          help: did you mean `order`?
        note[clock-missing] context date: no date
        ");
    }

    #[test]
    fn json() {
        insta::assert_snapshot!(drawn(&Look::Json), @r#"
        [
          {
            "code": "unknown-key",
            "help": "did you mean `order`?",
            "message": "there is no key `ordre`",
            "origin": {
              "column": 1,
              "file": "house/claude.toml",
              "line": 2
            },
            "severity": "error"
          },
          {
            "code": "clock-missing",
            "help": null,
            "message": "no date",
            "origin": {
              "context": "date"
            },
            "severity": "note"
          }
        ]
        "#);
    }

    #[test]
    fn nothing_acts_on_the_terminal() {
        let file = SourceFile::new("a\u{1b}[31m\nb.toml", "x = 1\ny = \u{1b}[2J\n");
        for (look, span) in [
            (Look::Plain, 0..1),
            (Look::Drawn { width: 80, colours: false }, 0..1),
            (Look::Drawn { width: 80, colours: false }, 6..7),
        ] {
            let told = Diagnostic::new(Code::InvalidValue, "no \u{7}", Origin::file(&file, span));
            let text = draw(&[Told::from(&told.help("a\nb\u{202e}"))], &look);
            assert!(text.contains("a\\u{1b}[31m\\nb.toml") && text.contains("no \\u{7}"), "{text}");
            assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_not_shown() {
        let file = SourceFile::new("big.json", "x".repeat(1 << 20));
        let told = Diagnostic::new(Code::ContextInvalid, "no JSON", Origin::file(&file, 9..9));
        let text = draw(&[Told::from(&told)], &Look::Drawn { width: 80, colours: false });
        assert_eq!(text, "error[context-invalid] big.json:1:10: no JSON\n");
    }
}
