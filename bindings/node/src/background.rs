//! Builds on a thread of libuv's pool, while JavaScript goes on.
//!
//! In: a builder, a context. Out: the number of a prompt. Never: touches anything of JavaScript there, but for components, which
//! are asked on their own thread.

use napi::{Env, Result, Task};
use promptweave_bindings::{Context, Engine, Error, Json, Prompt, Session, context};

use crate::error::thrown;
use crate::host::{self, Remote};
use crate::prompt::{Built, options};
use crate::table;

/// What builds.
pub(crate) enum Builder {
    Engine(Engine),
    Session(Session),
}

impl Builder {
    fn prompt(&self, context: &Context, ask: Json) -> std::result::Result<Prompt, Error> {
        match self {
            Self::Engine(engine) => engine.prompt(context, ask),
            Self::Session(session) => session.prompt(context, ask),
        }
    }
}

/// One build.
pub struct Build {
    builder: Builder,
    context: String,
    ask: Option<String>,
    call: Option<Remote>,
}

impl Build {
    pub(crate) fn new(
        builder: Builder,
        context: String,
        ask: Option<String>,
        call: Option<Remote>,
    ) -> Self {
        Self { builder, context, ask, call }
    }
}

impl Task for Build {
    type Output = Prompt;
    type JsValue = u32;

    fn compute(&mut self) -> Result<Prompt> {
        let context = context(&self.context).map_err(thrown)?;
        let ask = options(self.ask.take())?;
        host::there(self.call.take(), || self.builder.prompt(&context, ask)).map_err(thrown)
    }

    fn resolve(&mut self, env: Env, prompt: Prompt) -> Result<u32> {
        table::keep(&env, Built(prompt))
    }
}
