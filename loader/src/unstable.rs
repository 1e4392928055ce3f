//! Doors for the benches of this workspace.
//!
//! In: a plugin. Out: parts of its work by themselves. Never: called by a host; any release may change or
//! remove what is here.

use promptweave::Context;

use crate::answer::Outcome;
use crate::frame::{self, CallItem, Encoder, HEADER_BYTES};
use crate::plugin::Plugin;
use crate::table::Item;

/// A call of one component, without an engine around it.
pub struct Call<'a> {
    plugin: &'a Plugin,
    item: &'a Item,
    context: &'a Context,
}

impl<'a> Call<'a> {
    /// The call of the component of that id; none when there is none.
    pub fn new(plugin: &'a Plugin, id: &str, context: &'a Context) -> Option<Self> {
        Some(Self { plugin, item: plugin.component(id)?, context })
    }

    /// Calls it: the bytes of its text.
    ///
    /// # Errors
    /// Why there is no text.
    pub fn run(&self) -> Result<usize, String> {
        match self.plugin.ask(self.item, "", self.context)?.outcome {
            Outcome::Text(text) => Ok(text.len()),
            Outcome::Nothing => Ok(0),
            Outcome::Failed(why) => Err(why),
        }
    }

    /// How many bytes go to a child and come back.
    ///
    /// # Errors
    /// Those of [`Call::run`].
    pub fn sizes(&self) -> Result<(usize, usize), String> {
        let prepared = self.plugin.prepare(self.item, self.context);
        let items = [CallItem { at: self.item.at, args: "", budget_us: 0 }];
        let mut answer = Encoder::default();
        frame::put_answer(
            self.item.at,
            &self.plugin.ask(self.item, "", self.context)?,
            &mut answer,
        );
        Ok((HEADER_BYTES + prepared.with(&items).len(), HEADER_BYTES + answer.0.len()))
    }
}

/// Starts another child of a plugin and ends it; until it has loaded. False when it does not run in one.
pub fn new_child(plugin: &Plugin) -> bool {
    plugin.process().is_some_and(|process| process.starts())
}
