//! Why a component has no section.
//!
//! In: what failed. Out: a [`Failure`], and what it tells. Never: the text of anything.

use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic, Origin};
use crate::model::Component;
use crate::template::TemplateError;

/// Why a component has no section.
pub(super) struct Failure {
    pub(super) code: Code,
    /// A sentence without the component's name.
    pub(super) why: String,
    /// The item whose code failed.
    pub(super) item: Option<Arc<str>>,
    /// The place, where it is known better than that of the component.
    pub(super) at: Option<Origin>,
    pub(super) help: Option<String>,
}

impl Failure {
    /// What is over its limit.
    pub(super) fn too_large(what: &str, limit: usize) -> Self {
        let why = format!("{what} larger than {} MiB", limit >> 20);
        Self { code: Code::SectionTooLarge, why, item: None, at: None, help: None }
    }

    /// The component comes from an item that nobody supplies.
    pub(super) fn no_item(item: &str) -> Self {
        let why = format!("comes from `{item}`, which no extension supplies");
        let help = Some("load the extension that supplies it".into());
        Self { code: Code::ItemUnknown, why, item: None, at: None, help }
    }

    /// The code of an item failed.
    pub(super) fn of_item(why: String, item: &Arc<str>) -> Self {
        let item = Some(Arc::clone(item));
        Self { code: Code::ComponentFailed, why, item, at: None, help: None }
    }

    pub(super) fn told(&self, component: &Component) -> Diagnostic {
        let Self { code, why, item, at, help } = self;
        let failed = match (code, item, &component.origin) {
            (Code::ItemUnknown, ..) => String::new(),
            // The place is that of a file, which does not say whose code it was.
            (_, Some(item), Origin::File { .. }) => format!(" failed in `{item}`:"),
            _ => " failed:".into(),
        };
        let message = format!("component `{}`{failed} {why}", component.id);
        let help = help.as_ref().map_or_else(
            || "its section is missing; the others are not affected".into(),
            |help| format!("{help}; until then its section is missing"),
        );
        Diagnostic::new(*code, message, at.as_ref().unwrap_or(&component.origin).clone()).help(help)
    }
}

impl From<TemplateError> for Failure {
    fn from(error: TemplateError) -> Self {
        let code = match error.code {
            Code::SectionTooLarge => Code::SectionTooLarge,
            _ => Code::ComponentFailed,
        };
        Self { code, at: Some(error.origin()), why: error.message, item: None, help: error.help }
    }
}
