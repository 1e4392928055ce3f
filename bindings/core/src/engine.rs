//! An engine, made of options and of the host's components.
//!
//! In: options, contexts. Out: prompts, sessions, parsers, diagnostics. Never: reads the environment.

use promptweave::{Context, EngineBuilder, MemorySource};
use serde_json::Value as Json;

use crate::error::{Error, told};
use crate::host::{self, Component};
use crate::input;
use crate::options::{AskOptions, EngineOptions, PackOptions, SessionOptions};
use crate::parser::Parser;
use crate::plugins;
use crate::prompt::Prompt;
use crate::session::Session;

/// Builds prompts. `Send`, `Sync`, cheap to clone; immutable: a reload makes a new one.
#[derive(Clone, Debug)]
pub struct Engine(promptweave::Engine);

impl Engine {
    /// Loads packs and plugins; `options` has the keys of [`EngineOptions`].
    ///
    /// # Errors
    /// `options-invalid`; with `strict` the first warning. Otherwise [`Engine::diagnostics`] lists the mistakes.
    pub fn new(options: Json, components: Vec<Component>) -> Result<Self, Error> {
        host::outside()?;
        let options: EngineOptions = input::options(options)?;
        let mut builder = packs(&options);
        if let Some(wanted) = &options.plugins {
            let bare = packs(&EngineOptions { strict: false, ..options.clone() }).build()?;
            builder = plugins::started(wanted, &bare).add_to(builder);
        }
        if !components.is_empty() {
            builder = builder.extension(host::items(components));
        }
        Ok(Self(builder.build()?))
    }

    /// Every mistake of loading: a JSON array of diagnostics.
    pub fn diagnostics(&self) -> Json {
        told(self.0.diagnostics())
    }

    /// Every mistake of loading, and what a closer look shows: a JSON array of diagnostics, each once.
    ///
    /// # Errors
    /// `engine-reentered`.
    pub fn check(&self) -> Result<Json, Error> {
        host::outside()?;
        Ok(told(&self.0.review()))
    }

    /// Builds the prompt of the variant that matches the context; `ask` has the keys of [`AskOptions`].
    ///
    /// # Errors
    /// `no-variant`, `unknown-variant`, `unknown-version`, `options-invalid`, `engine-reentered`; with `strict` the
    /// first warning.
    pub fn prompt(&self, context: &Context, ask: Json) -> Result<Prompt, Error> {
        host::outside()?;
        let ask: AskOptions = input::options(ask)?;
        let built = self.0.prompt_for(context, &ask.into())?;
        Ok(Prompt::new(&self.0, context, built, None))
    }

    /// Lets the probes of plugins fill what the context does not say; with diagnostics of those that failed.
    ///
    /// # Errors
    /// `engine-reentered`.
    pub fn probe(&self, context: &Context) -> Result<(Context, Json), Error> {
        host::outside()?;
        let (context, diagnostics) = self.0.probe(context);
        Ok((context, told(&diagnostics)))
    }

    /// Begins a session; `options` has the keys of [`SessionOptions`].
    ///
    /// # Errors
    /// `options-invalid`, `engine-reentered`.
    pub fn session(&self, options: Json) -> Result<Session, Error> {
        host::outside()?;
        let options: SessionOptions = input::options(options)?;
        Ok(Session::new(self.0.clone(), self.0.session(options.clock()), &options))
    }

    /// Goes on with a session that [`Session::save`] wrote; of `options` only `probes` counts.
    ///
    /// # Errors
    /// `session-invalid`, `options-invalid`, `engine-reentered`.
    pub fn restore(&self, saved: &str, options: Json) -> Result<Session, Error> {
        host::outside()?;
        input::limited(saved.len())?;
        let options: SessionOptions = input::options(options)?;
        Ok(Session::new(self.0.clone(), self.0.restore(saved)?, &options))
    }

    /// A parser for replies, by default with the tools of this engine's packs; `options` has the keys of
    /// [`ParserOptions`](crate::ParserOptions).
    ///
    /// # Errors
    /// `options-invalid`, `tools-invalid`, `dialect-unknown`.
    pub fn parser(&self, options: Json) -> Result<Parser, Error> {
        Parser::of(self.0.registry(), options)
    }
}

/// An engine of packs alone, before it is built.
fn packs(options: &EngineOptions) -> EngineBuilder {
    let mut builder = promptweave::Engine::builder().strict(options.strict);
    if options.standard {
        builder = builder.pack(promptweave_variants::standard());
    }
    for pack in &options.packs {
        builder = match pack {
            PackOptions::Folder(folder) => builder.pack_dir(folder),
            PackOptions::Memory { name, files } => {
                builder.pack(MemorySource::new(name, files.clone()))
            }
        };
    }
    if let Some(file) = &options.trust_file {
        builder = builder.trust_file(file);
    }
    if let Some(project) = &options.project {
        builder = builder.project(project, options.trust.into());
    }
    let models = options.models.iter();
    models.fold(builder, |builder, (name, text)| builder.model_data(name, text))
}
