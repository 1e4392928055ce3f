//! The tools of a request, which are the same as long as no key that they were made of has another value.
//!
//! In: a context. Out: [`Tools`]: declarations as text, and what they were made of. Never: declares the same tools twice
//! in a row; that costs about as much as a prompt.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::engine::Engine;
use crate::error::Error;
use crate::model::Context;
use crate::recall::{Record, value_at};
use crate::select::Ask;
use crate::tools::Dialect;

/// The tools of a request.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    /// What is declared to the provider, as JSON; empty without tools.
    pub(super) text: Arc<str>,
    pub(super) diagnostics: Arc<[Diagnostic]>,
    dialect: Dialect,
    context: Context,
    record: Arc<Record>,
}

impl Tools {
    pub(super) fn new(
        (engine, ask): (&Engine, &Ask),
        context: &Context,
        dialect: Dialect,
    ) -> Result<Self, Error> {
        let (declared, record) = engine.declare_recorded((context, ask), dialect)?;
        let (context, record) = (context.clone(), record.into());
        // That there are none, and why, is no news here.
        let (text, diagnostics) = match declared.tools.is_empty() {
            true => (String::new(), Vec::new()),
            false => {
                let text = serde_json::to_string(&declared.tools).unwrap_or_default();
                (text, declared.diagnostics)
            }
        };
        let (text, diagnostics) = (text.into(), diagnostics.into());
        Ok(Self { text, diagnostics, dialect, context, record })
    }

    /// Whether another context has the same.
    pub(super) fn hold_in(&self, context: &Context, dialect: Dialect) -> bool {
        let same = |key: &Arc<str>| value_at(&self.context, key) == value_at(context, key);
        !self.record.is_loose && self.dialect == dialect && self.record.keys.iter().all(same)
    }
}
