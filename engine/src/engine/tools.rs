//! Declares tools to providers.
//!
//! In: a context, what is asked for, the form of one provider. Out: [`Declared`].
//! Never: declares a tool whose calls come as text.

use std::cell::OnceCell;

use serde_json::Value as Json;

use super::Engine;
use crate::diagnostic::{Code, Diagnostic};
use crate::error::Error;
use crate::model::{Context, ToolCalls, Variant};
use crate::moment::Moment;
use crate::recall::{Desk, Kept, Record};
use crate::select::Ask;
use crate::tools::{self, Declared, Described, Dialect};

/// Whether tools are declared at all.
const NATIVE_TOOLS: &str = "native_tools";

impl Engine {
    /// The effective tools of `context`, declared in the form that one provider takes. None when
    /// `native_tools` is false or the variant has its tools called in text; a note says so.
    ///
    /// # Errors
    /// Those of [`Engine::select`].
    pub fn declare_tools(
        &self,
        context: &Context,
        ask: &Ask,
        dialect: Dialect,
    ) -> Result<Declared, Error> {
        self.declare((context, ask), dialect, None)
    }

    /// The same with the context keys that were read for it.
    pub(crate) fn declare_recorded(
        &self,
        asked: (&Context, &Ask),
        dialect: Dialect,
    ) -> Result<(Declared, Record), Error> {
        let desk = Desk::new(Kept::default());
        let (declared, record) = desk.apart(|| self.declare(asked, dialect, Some(&desk)));
        Ok((declared?, record))
    }

    fn declare(
        &self,
        (context, ask): (&Context, &Ask),
        dialect: Dialect,
        desk: Option<&Desk>,
    ) -> Result<Declared, Error> {
        let (context, _) = self.0.registry.complete(context);
        let (described, read) = (OnceCell::new(), || Described::read(&context));
        let selection = self.choose((&context, ask), &described, desk)?;
        let variant = &selection.variant;
        if let Some(desk) = desk {
            desk.read(NATIVE_TOOLS);
        }
        let native = context.get(NATIVE_TOOLS).and_then(Json::as_bool).unwrap_or(true);
        if !native || variant.tool_calls != ToolCalls::Native {
            return Ok(Declared { diagnostics: vec![in_text(variant)], ..Declared::default() });
        }
        let world = self.world(&context, variant, desk);
        let moment = Moment::new(world, described.get_or_init(read));
        let mut declared = tools::declare(moment.worded(), dialect);
        declared.diagnostics.splice(0..0, moment.diagnostics());
        Ok(declared)
    }
}

/// The note that no tool is declared.
fn in_text(variant: &Variant) -> Diagnostic {
    let message = format!("variant `{}` has no tools declared in this context", variant.id);
    Diagnostic::new(Code::ToolsInText, message, variant.origin.clone())
        .help("set `native_tools` to true, and choose a variant with `tool_calls = \"native\"`")
}
