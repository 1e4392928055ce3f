//! How an evaluation writes, counts and complains.
//!
//! In: text, tags and classes. Out: bytes with their pieces, hinges, issues and errors.
//! Never: decides what is printed.

use std::sync::Arc;

use serde_json::Value as Json;

use super::error::{Issue, IssueKind, Mistake, TemplateError};
use super::evaluate::{Evaluator, Outcome};
use super::expr::{Call, Expr, Function};
use super::frame::Got;
use super::helpers::Builtin;
use super::record::Recorder;
use super::token::Span;
use super::{MAX_OUTPUT_BYTES, Missing};
use crate::diagnostic::Code;
use crate::trace::{CacheClass, Mark, MarkKind, Piece, PieceKind, Traced};

/// How deep blocks and partials may nest together.
const MAX_DEPTH: usize = 256;
/// How many parts of templates, rounds of loops and arguments are evaluated.
const MAX_STEPS: usize = 1_000_000;
/// How many bytes a helper goes through in one step.
const STEP_BYTES: usize = 64;

impl<R: Recorder> Evaluator<'_, R> {
    /// Text of the template. In an indented partial every line that is not empty begins with the blanks.
    pub(super) fn template_text(&mut self, span: Span, class: CacheClass) -> Outcome<()> {
        let (source, mut at) = (self.here.text, span.start);
        if self.indents.is_empty() {
            return self.write(span.of(&source.text), PieceKind::Template, class, at);
        }
        for line in span.of(&source.text).split_inclusive('\n') {
            self.indent(line, class)?;
            self.write(line, PieceKind::Template, class, at)?;
            at += line.len() as u32;
        }
        Ok(())
    }

    /// A value's text. Blanks go before it where it begins a line, never inside.
    pub(super) fn value_text(&mut self, text: &str, tag: Span, class: CacheClass) -> Outcome<()> {
        self.indent(text, class)?;
        self.write(text, PieceKind::Value, class, tag.start)
    }

    /// A finished section in a frame of that class; its own pieces know their classes.
    pub(super) fn section(
        &mut self,
        section: &Traced,
        tag: Span,
        class: CacheClass,
    ) -> Outcome<()> {
        if section.text.is_empty() {
            self.quiet(tag, class);
            return Ok(());
        }
        self.indent(&section.text, class)?;
        let start = self.text.len() as u32;
        self.append(&section.text, tag)?;
        self.recorder.splice(section, start, class, self.repeats > 0);
        Ok(())
    }

    /// A placeholder without a value.
    pub(super) fn nothing(
        &mut self,
        expr: &Expr,
        unknown: bool,
        tag: Span,
        class: CacheClass,
    ) -> Outcome<()> {
        let Some((kind, name)) = absence(expr, unknown) else {
            self.quiet(tag, class);
            return Ok(());
        };
        match self.missing {
            Missing::Keep => {
                let written = tag.of(&self.here.text.text);
                self.indent(written, class)?;
                self.write(written, PieceKind::Template, class, tag.start)
            }
            Missing::Empty => {
                self.issue(kind, name, tag);
                self.quiet(tag, class);
                Ok(())
            }
            Missing::Error => {
                let message = format!("`{name}` has no value");
                Err(self.error(Mistake::new(Code::PlaceholderMissing, message, tag)))
            }
        }
    }

    /// A tag that prints nothing; tidying must know that it stood there.
    pub(super) fn quiet(&mut self, tag: Span, class: CacheClass) {
        self.piece(PieceKind::Value, class, tag.start);
    }

    /// `{{cache_boundary}}`: a mark and nothing else.
    pub(super) fn boundary(&mut self, tag: Span, class: CacheClass) {
        self.recorder.mark(self.mark(MarkKind::Boundary, CacheClass::Static, tag), None);
        self.quiet(tag, class);
    }

    /// A place where something of that class decided what stands there.
    pub(super) fn hinge(&mut self, class: CacheClass, cause: Option<&Arc<str>>, tag: Span) {
        if class > CacheClass::Static {
            self.line = self.line.max(class);
            self.recorder.mark(self.mark(MarkKind::Hinge, class, tag), cause);
        }
    }

    /// A mark at the end of the text so far.
    fn mark(&self, kind: MarkKind, class: CacheClass, tag: Span) -> Mark {
        let (at, source) = (self.text.len() as u32, self.here.source);
        Mark { kind, at, class, source, site: tag.start, cause: 0 }
    }

    /// Notes an issue, once for each tag.
    pub(super) fn issue(&mut self, kind: IssueKind, name: &str, tag: Span) {
        if self.told.insert((Arc::as_ptr(self.here.text).addr(), tag.start)) {
            let (name, text) = (name.into(), Arc::clone(self.here.text));
            self.issues.push(Issue { kind, name, text, range: tag.range() });
        }
    }

    /// An error in the template that is being walked.
    pub(super) fn error(&self, mistake: Mistake) -> Box<TemplateError> {
        Box::new(mistake.within(self.here.text))
    }

    /// Counts one part of the work.
    pub(super) fn step(&mut self, tag: Span) -> Outcome<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            let message = format!("the template takes more than {MAX_STEPS} steps");
            return Err(self.error(Mistake::new(Code::TemplateLimit, message, tag)));
        }
        Ok(())
    }

    /// Counts what a helper has to go through: a loop over a large value in a large value would not end.
    pub(super) fn work(&mut self, function: &Function, args: &[Got<'_>], tag: Span) -> Outcome<()> {
        let most = (MAX_STEPS - self.steps) * STEP_BYTES;
        let weights = |args: &[Got<'_>]| args.iter().map(|arg| arg.value.weight(most)).sum();
        let weight: usize = match function {
            Function::Host => weights(args),
            // Two values are compared as far as the smaller one reaches.
            Function::Builtin(Builtin::Eq | Builtin::Ne) => {
                args.iter().map(|arg| arg.value.weight(most)).min().unwrap_or_default()
            }
            Function::Builtin(builtin) => {
                let range = builtin.goes_through();
                weights(args.get(range).unwrap_or_default())
            }
        };
        self.steps += weight / STEP_BYTES;
        self.step(tag)
    }

    /// Counts one level of blocks and partials.
    pub(super) fn deeper(&mut self, tag: Span) -> Outcome<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("blocks and partials nest deeper than {MAX_DEPTH}");
            return Err(self.error(Mistake::new(Code::TemplateLimit, message, tag)));
        }
        Ok(())
    }

    /// Writes the blanks of the partial tags around, where `text` begins a line and does not end it at once.
    fn indent(&mut self, text: &str, class: CacheClass) -> Outcome<()> {
        let begins = self.text.is_empty() || self.text.ends_with('\n');
        if self.indents.is_empty() || !begins || text.is_empty() || text.starts_with(['\n', '\r']) {
            return Ok(());
        }
        let class = class.max(self.line);
        for at in 0..self.indents.len() {
            let indent = self.indents[at];
            let inner = std::mem::replace(&mut self.here, indent.here);
            let blanks = indent.span.of(&indent.here.text.text);
            self.write(blanks, PieceKind::Template, class, indent.span.start)?;
            self.here = inner;
        }
        Ok(())
    }

    /// Bytes and their piece.
    fn write(&mut self, text: &str, kind: PieceKind, class: CacheClass, at: u32) -> Outcome<()> {
        self.append(text, Span { start: at, end: at })?;
        if kind == PieceKind::Template && !text.is_empty() {
            self.line = class;
        }
        self.piece(kind, class, at);
        Ok(())
    }

    /// Bytes, within the limit.
    fn append(&mut self, text: &str, tag: Span) -> Outcome<()> {
        if self.text.len() + text.len() > MAX_OUTPUT_BYTES {
            let message = format!("the text is larger than {} MiB", MAX_OUTPUT_BYTES >> 20);
            return Err(self.error(Mistake::new(Code::SectionTooLarge, message, tag)));
        }
        self.text.push_str(text);
        Ok(())
    }

    /// A piece from the end of the one before to the end of the text.
    fn piece(&mut self, kind: PieceKind, class: CacheClass, at: u32) {
        let (end, source) = (self.text.len() as u32, self.here.source);
        self.recorder.piece(Piece { end, kind, class, source, at });
    }
}

/// What is missing when an expression prints nothing, and the name to tell; none when that is all right.
fn absence(expr: &Expr, unknown: bool) -> Option<(IssueKind, &str)> {
    let kind = if unknown { IssueKind::Unknown } else { IssueKind::Absent };
    match expr {
        Expr::Path(path) => Some((kind, &path.name)),
        Expr::Local(local) => Some((kind, &local.written)),
        Expr::Literal(_) => None,
        Expr::Call(call) => match call.function {
            Function::Builtin(Builtin::Tool) => Some((IssueKind::Role, subject(call))),
            Function::Builtin(Builtin::ToolDocs) | Function::Host => None,
            Function::Builtin(_) => Some((kind, subject(call))),
        },
    }
}

/// What a call is about: the path or the text that comes first, else its name.
fn subject(call: &Call) -> &str {
    match call.args.first() {
        Some(Expr::Path(path)) => &path.name,
        Some(Expr::Local(local)) => &local.written,
        Some(Expr::Literal(Json::String(text))) => text,
        Some(Expr::Call(inner)) => subject(inner),
        Some(Expr::Literal(_)) | None => &call.name,
    }
}
