//! What a session does to a prompt that it hands out again.
//!
//! In: a finished prompt. Out: the same for another context, with other sections, with more to tell. Never: copies a
//! text that nobody else holds.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::Prompt;
use super::question::{Memory, Question};
use crate::blocks::Caching;
use crate::diagnostic::Diagnostic;
use crate::model::Context;
use crate::select::Ask;
use crate::trace::{CacheClass, Traced};

impl Prompt {
    /// The same, as an answer to this: what a context says about caching changes no text, so that no build reads it.
    pub(crate) fn asked(mut self, context: &Context, ask: &Ask, memory: Memory) -> Self {
        let (context, ask, caching) = (context.clone(), ask.clone(), Caching::of(context));
        self.question = Arc::new(Question { context, ask, memory, caching: caching.into() });
        self
    }

    /// Says that it answers this context too, which says the same about caching.
    pub(crate) fn asked_again(&mut self, context: &Context) {
        Arc::make_mut(&mut self.question).context = context.clone();
    }

    /// The same, with more to tell.
    pub(crate) fn telling(mut self, told: Vec<Diagnostic>) -> Self {
        if !told.is_empty() {
            self.diagnostics = told.into_iter().chain(self.diagnostics.iter().cloned()).collect();
        }
        self
    }

    /// Changes the text, which is copied only where somebody else holds this prompt.
    pub(crate) fn edit(&mut self, edit: impl FnOnce(&mut Traced)) {
        edit(Arc::make_mut(&mut self.traced));
    }

    /// Says that a section stands in the `place` of its old text, with a text of so many bytes, its class, and how long
    /// its component took.
    pub(crate) fn replaced(
        &mut self,
        place: &Range<usize>,
        (len, class, took): (usize, CacheClass, Duration),
    ) {
        let moved =
            |at: usize| if at >= place.end { at - place.end + place.start + len } else { at };
        for section in Arc::make_mut(&mut self.sections) {
            if section.range == *place {
                (section.class, section.took) = (class, took);
            }
            section.range = moved(section.range.start)..moved(section.range.end);
        }
    }

    /// Tells something else.
    pub(crate) fn set_told(&mut self, told: Vec<Diagnostic>) {
        if !(told.is_empty() && self.diagnostics.is_empty()) {
            self.diagnostics = told.into();
        }
    }
}
