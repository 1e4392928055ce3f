//! Doors for the benches of this workspace.
//!
//! In: an engine and a context, or a template. Out: parts of a build by themselves.
//! Never: called by a host; any release may change or remove what is here.

use std::sync::Arc;

use crate::build::{self, Sections};
use crate::diagnostic::{Origin, SourceText};
use crate::engine::Engine;
use crate::error::Error;
use crate::model::Context;
use crate::moment::Moment;
use crate::render;
use crate::request::Request;
use crate::template::Template;

/// A build whose sections are ready to be put into the base template.
pub struct Ready<'a> {
    moment: &'a Moment<'a>,
    sections: &'a Sections,
}

impl Ready<'_> {
    /// Builds the sections and hands them to `use_it`.
    ///
    /// # Errors
    /// Those of [`Engine::select`].
    pub fn with<T>(
        engine: &Engine,
        context: &Context,
        use_it: impl FnOnce(Ready<'_>) -> T,
    ) -> Result<T, Error> {
        engine.with_moment(context, |moment| {
            let sections = build::build(moment, &moment.world.variant.order, None);
            use_it(Ready { moment, sections: &sections })
        })
    }

    /// The finished text with its spans and hinges, as a build makes it.
    ///
    /// # Errors
    /// `placeholder-missing` when the variant says `missing = "error"`.
    pub fn rendered(&self) -> Result<impl Sized, Error> {
        let (ending, request) = (&Sections::default(), &Request::default());
        render::render(self.moment, &render::Ready { sections: self.sections, ending, request })
    }

    /// The base template's text with its spans and hinges, untidied; none when there is no base template.
    pub fn traced(&self) -> Option<impl Sized> {
        render::fill_traced(self.moment, self.sections)
    }

    /// The same text alone.
    pub fn text(&self) -> Option<String> {
        render::fill_text(self.moment, self.sections)
    }
}

/// Parses a template; how many mistakes it has.
pub fn parse_template(text: &str) -> usize {
    let source: Arc<SourceText> = SourceText::new(text, Origin::Engine);
    Template::new(source).check().len()
}
