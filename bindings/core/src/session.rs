//! A session, whose prompts keep the bytes that providers have cached.
//!
//! In: an engine, contexts. Out: prompts, the session as a text. Never: writes a file.

use std::sync::Arc;

use promptweave::Context;
use serde_json::Value as Json;

use crate::error::Error;
use crate::host;
use crate::input;
use crate::options::{AskOptions, SessionOptions};
use crate::prompt::Prompt;

/// Builds the prompts of one conversation. `Send`, `Sync`, cheap to clone; builds of one session wait for each other.
#[derive(Clone, Debug)]
pub struct Session {
    engine: promptweave::Engine,
    session: Arc<promptweave::Session>,
}

impl Session {
    pub(crate) fn new(
        engine: promptweave::Engine,
        session: promptweave::Session,
        options: &SessionOptions,
    ) -> Self {
        let session = if options.probes { session } else { session.without_probes() };
        Self { engine, session: Arc::new(session) }
    }

    /// Builds the prompt of the variant that matches the context, or hands out the last one when nothing that it was
    /// made of has changed; `ask` has the keys of [`AskOptions`].
    ///
    /// # Errors
    /// Those of [`Engine::prompt`](crate::Engine::prompt).
    pub fn prompt(&self, context: &Context, ask: Json) -> Result<Prompt, Error> {
        host::outside()?;
        let ask: AskOptions = input::options(ask)?;
        let built = self.session.prompt_for(context, &ask.into())?;
        Ok(Prompt::new(&self.engine, context, built, Some(&self.session)))
    }

    /// Forgets everything but the clock, as after `/clear` or `/compact`.
    ///
    /// # Errors
    /// `engine-reentered`.
    pub fn reset(&self) -> Result<(), Error> {
        host::outside()?;
        self.session.reset();
        Ok(())
    }

    /// The same, with a clock that shows what the keys `date` and `time` of [`SessionOptions`] say.
    ///
    /// # Errors
    /// `options-invalid`, `engine-reentered`.
    pub fn reset_at(&self, options: Json) -> Result<(), Error> {
        host::outside()?;
        let options: SessionOptions = input::options(options)?;
        self.session.reset_at(options.clock());
        Ok(())
    }

    /// The session as a text for [`Engine::restore`](crate::Engine::restore), with the files of all packs and the values
    /// of all contexts: keep it as safe as those.
    ///
    /// # Errors
    /// `engine-reentered`.
    pub fn save(&self) -> Result<String, Error> {
        host::outside()?;
        Ok(self.session.save())
    }
}
