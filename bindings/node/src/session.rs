//! Sessions.
//!
//! In: the number of an engine, options and contexts as JSON. Out: numbers of sessions and prompts. Never: reads a context
//! again that is the one from before.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result};
use napi_derive::napi;
use promptweave_bindings::{Context, Engine, Prompt, Session, context as parsed};

use crate::background::{Build, Builder};
use crate::error::thrown;
use crate::host::{self, Caller};
use crate::prompt::{Built, options as read};
use crate::table;

/// A session, with its last prompt and what that was made for.
#[derive(Clone)]
pub(crate) struct Talk {
    session: Session,
    last: Option<(Context, Prompt)>,
}

fn keep(env: &Env, session: Session) -> Result<u32> {
    table::keep(env, Talk { session, last: None })
}

/// Begins a session.
#[napi(catch_unwind)]
pub fn session_new(env: Env, engine: u32, options: Option<String>) -> Result<u32> {
    let engine = table::of::<Engine>(engine)?;
    keep(&env, engine.session(read(options)?).map_err(thrown)?)
}

/// Goes on with a session that was saved.
#[napi(catch_unwind)]
pub fn session_restore(
    env: Env,
    engine: u32,
    saved: String,
    options: Option<String>,
) -> Result<u32> {
    let engine = table::of::<Engine>(engine)?;
    keep(&env, engine.restore(&saved, read(options)?).map_err(thrown)?)
}

/// Lets go of a session; its prompts live on.
#[napi(catch_unwind)]
pub fn session_close(env: Env, session: u32) -> Result<()> {
    table::close::<Talk>(&env, session)
}

/// Builds the prompt of the variant that matches the context. Without a context that of the call before counts; null says
/// that the prompt is that of the call before.
#[napi(catch_unwind)]
pub fn session_prompt(
    env: Env,
    session: u32,
    context: Option<String>,
    ask: Option<String>,
    call: Option<Caller<'_>>,
) -> Result<Option<u32>> {
    let Talk { session: talk, last } = table::of(session)?;
    let (context, before) = match (context, last) {
        (None, Some((context, prompt))) => (context, Some(prompt)),
        (context, _) => (parsed(&context.unwrap_or_default()).map_err(thrown)?, None),
    };
    let ask = read(ask)?;
    let prompt = host::here(&env, call, || talk.prompt(&context, ask))?.map_err(thrown)?;
    if before.is_some_and(|before| before.is(&prompt)) {
        return Ok(None);
    }
    let last = Some((context, prompt.clone()));
    // A component may have closed the session meanwhile.
    let _ = table::with(session, |talk: &mut Talk| talk.last = last);
    table::keep(&env, Built(prompt)).map(Some)
}

/// The same on a thread of libuv's pool.
#[napi(catch_unwind, ts_return_type = "Promise<number>")]
pub fn session_prompt_async(
    session: u32,
    context: String,
    ask: Option<String>,
    call: Option<Caller<'_>>,
) -> Result<AsyncTask<Build>> {
    let builder = Builder::Session(session_of(session)?);
    Ok(AsyncTask::new(Build::new(builder, context, ask, host::remote(call)?)))
}

/// Forgets everything but the clock.
#[napi(catch_unwind)]
pub fn session_reset(session: u32) -> Result<()> {
    session_of(session)?.reset().map_err(thrown)
}

/// The same, with a clock that shows what the options say.
#[napi(catch_unwind)]
pub fn session_reset_at(session: u32, options: Option<String>) -> Result<()> {
    session_of(session)?.reset_at(read(options)?).map_err(thrown)
}

/// The session as a text.
#[napi(catch_unwind)]
pub fn session_save(session: u32) -> Result<String> {
    session_of(session)?.save().map_err(thrown)
}

fn session_of(session: u32) -> Result<Session> {
    table::with(session, |talk: &mut Talk| talk.session.clone())
}
