//! What can be wrong with a template, and what an evaluation has to tell.
//!
//! In: a code, words and a byte range of a template. Out: values that know their place.
//! Never: holds the text of a prompt or a value.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::token::Span;
use crate::diagnostic::{Code, Diagnostic, Origin, SourceText};

/// A mistake in a source, before the source itself is known.
#[derive(Clone, Debug)]
pub(super) struct Mistake {
    pub code: Code,
    pub message: String,
    pub help: Option<String>,
    pub span: Span,
}

impl Mistake {
    pub(super) fn new(code: Code, message: impl Into<String>, span: Span) -> Self {
        Self { code, message: message.into(), help: None, span }
    }

    pub(super) fn syntax(message: impl Into<String>, span: Span) -> Self {
        Self::new(Code::TemplateSyntax, message, span)
    }

    pub(super) fn refused(message: impl Into<String>, span: Span) -> Self {
        Self::new(Code::TemplateRefused, message, span)
    }

    /// The same with a help line.
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The mistake in its template.
    pub(super) fn within(self, text: &Arc<SourceText>) -> TemplateError {
        let Self { code, message, help, span } = self;
        TemplateError { code, message, help, text: Arc::clone(text), range: span.range() }
    }
}

/// Why a template cannot be used or evaluated.
#[derive(Clone, thiserror::Error)]
#[error("{message}")]
pub(crate) struct TemplateError {
    pub code: Code,
    pub message: String,
    pub help: Option<String>,
    /// The template: the one evaluated, or a partial.
    pub text: Arc<SourceText>,
    /// The bytes of the tag in it.
    pub range: Range<usize>,
}

impl TemplateError {
    /// The same as a diagnostic.
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        let told = Diagnostic::new(self.code, self.message.as_str(), self.origin());
        match &self.help {
            Some(help) => told.help(help.as_str()),
            None if self.code == Code::PlaceholderMissing => {
                told.help("give it in the context, or print it inside `{{#if}}`")
            }
            None => told,
        }
    }

    /// The place of the tag.
    pub(crate) fn origin(&self) -> Origin {
        self.text.origin_of(self.range.clone())
    }
}

impl fmt::Debug for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TemplateError({}, {:?}, {:?})", self.code.as_str(), self.range, self.message)
    }
}

/// Something that an evaluation survived.
#[derive(Clone)]
pub(crate) struct Issue {
    pub kind: IssueKind,
    /// The path or the helper as the template names it.
    pub name: Arc<str>,
    /// The template: the one evaluated, or a partial.
    pub text: Arc<SourceText>,
    /// The bytes of the tag in it.
    pub range: Range<usize>,
}

impl fmt::Debug for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Issue({:?}, {}, {:?})", self.kind, self.name, self.range)
    }
}

/// What happened at an [`Issue`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IssueKind {
    /// A printed placeholder has a name that nothing defines.
    Unknown,
    /// A printed placeholder has a known name without a value.
    Absent,
    /// No effective tool has the role.
    Role,
    /// A helper failed, with its own words; it printed nothing.
    Failed(String),
}
