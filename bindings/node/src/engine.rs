//! Engines.
//!
//! In: options, what components declare, contexts, all as JSON. Out: numbers of engines and prompts, diagnostics as JSON.
//! Never: reads an option.

use napi::bindgen_prelude::AsyncTask;
use napi::{Env, Result};
use napi_derive::napi;
use promptweave_bindings::{Component, Engine, context, parse};

use crate::background::{Build, Builder};
use crate::error::thrown;
use crate::host::{self, Callback, Caller};
use crate::prompt::{Built, options as read};
use crate::table;

/// Loads packs and plugins; `declared` says what each component is.
#[napi(catch_unwind)]
pub fn engine_new(env: Env, options: Option<String>, declared: Vec<String>) -> Result<u32> {
    let components = declared
        .iter()
        .zip(0..)
        .map(|(declared, place)| Component::new(parse(declared)?, Callback(place)));
    let components = components.collect::<std::result::Result<_, _>>().map_err(thrown)?;
    let engine = Engine::new(read(options)?, components).map_err(thrown)?;
    table::keep(&env, engine)
}

/// Lets go of an engine; its sessions and prompts live on.
#[napi(catch_unwind)]
pub fn engine_close(env: Env, engine: u32) -> Result<()> {
    table::close::<Engine>(&env, engine)
}

/// Every mistake of loading, as JSON.
#[napi(catch_unwind)]
pub fn engine_diagnostics(engine: u32) -> Result<String> {
    Ok(table::of::<Engine>(engine)?.diagnostics().to_string())
}

/// The same with what a closer look shows.
#[napi(catch_unwind)]
pub fn engine_check(env: Env, engine: u32, call: Option<Caller<'_>>) -> Result<String> {
    let engine = table::of::<Engine>(engine)?;
    Ok(host::here(&env, call, || engine.check())?.map_err(thrown)?.to_string())
}

/// Builds the prompt of the variant that matches the context.
#[napi(catch_unwind)]
pub fn engine_prompt(
    env: Env,
    engine: u32,
    context: String,
    ask: Option<String>,
    call: Option<Caller<'_>>,
) -> Result<u32> {
    let engine = table::of::<Engine>(engine)?;
    let (context, ask) = (self::context(&context).map_err(thrown)?, read(ask)?);
    let prompt = host::here(&env, call, || engine.prompt(&context, ask))?.map_err(thrown)?;
    table::keep(&env, Built(prompt))
}

/// The same on a thread of libuv's pool.
#[napi(catch_unwind, ts_return_type = "Promise<number>")]
pub fn engine_prompt_async(
    engine: u32,
    context: String,
    ask: Option<String>,
    call: Option<Caller<'_>>,
) -> Result<AsyncTask<Build>> {
    let builder = Builder::Engine(table::of::<Engine>(engine)?);
    Ok(AsyncTask::new(Build::new(builder, context, ask, host::remote(call)?)))
}

/// Lets the probes of plugins fill what the context does not say: the context and diagnostics, each as JSON.
#[napi(catch_unwind)]
pub fn engine_probe(engine: u32, context: String) -> Result<Vec<String>> {
    let engine = table::of::<Engine>(engine)?;
    let context = self::context(&context).map_err(thrown)?;
    let (context, diagnostics) = engine.probe(&context).map_err(thrown)?;
    Ok(vec![context.as_json().to_string(), diagnostics.to_string()])
}
