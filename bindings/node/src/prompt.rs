//! Prompts.
//!
//! In: the number of a prompt, options. Out: its text, results as JSON. Never: makes what nobody asks for.

use napi::{Env, JsString, Result};
use napi_derive::napi;
use promptweave_bindings::{Json, Prompt, parse};

use crate::error::thrown;
use crate::table;

/// A prompt.
#[derive(Clone)]
pub(crate) struct Built(pub(crate) Prompt);

fn prompt(number: u32) -> Result<Prompt> {
    table::with(number, |built: &mut Built| built.0.clone())
}

/// Reads options; without any there are the defaults.
pub(crate) fn options(text: Option<String>) -> Result<Json> {
    text.map_or(Ok(Json::Null), |text| parse(&text).map_err(thrown))
}

/// Lets go of a prompt.
#[napi(catch_unwind)]
pub fn prompt_close(env: Env, prompt: u32) -> Result<()> {
    table::close::<Built>(&env, prompt)
}

/// Its text.
#[napi(catch_unwind)]
pub fn prompt_text(env: &Env, prompt: u32) -> Result<JsString<'_>> {
    env.create_string(self::prompt(prompt)?.text())
}

/// The id of the variant that it was made of.
#[napi(catch_unwind)]
pub fn prompt_variant(prompt: u32) -> Result<String> {
    Ok(self::prompt(prompt)?.variant().to_owned())
}

/// The text of a section; null when it is not there.
#[napi(catch_unwind)]
pub fn prompt_section(prompt: u32, id: String) -> Result<Option<String>> {
    Ok(self::prompt(prompt)?.section(&id).map(str::to_owned))
}

/// The sections that are there: the id and the text of each.
#[napi(catch_unwind)]
pub fn prompt_sections(prompt: u32) -> Result<Vec<Vec<String>>> {
    let prompt = self::prompt(prompt)?;
    Ok(prompt.sections().map(|(id, text)| vec![id.to_owned(), text.to_owned()]).collect())
}

/// Everything about it, as JSON.
#[napi(catch_unwind)]
pub fn prompt_result(prompt: u32, options: Option<String>) -> Result<String> {
    let result = self::prompt(prompt)?.result(self::options(options)?);
    Ok(result.map_err(thrown)?.to_string())
}

/// Its text in runs of one cache scope, as JSON.
#[napi(catch_unwind)]
pub fn prompt_blocks(prompt: u32) -> Result<String> {
    Ok(self::prompt(prompt)?.blocks().to_string())
}

/// Its layers, as JSON.
#[napi(catch_unwind)]
pub fn prompt_layers(prompt: u32) -> Result<String> {
    Ok(self::prompt(prompt)?.layers().to_string())
}

/// What was met while building, as JSON.
#[napi(catch_unwind)]
pub fn prompt_diagnostics(prompt: u32) -> Result<String> {
    Ok(self::prompt(prompt)?.diagnostics().to_string())
}

/// The payload for an API and what could not be kept, each as JSON.
#[napi(catch_unwind)]
pub fn prompt_deliver(prompt: u32, target: String, options: Option<String>) -> Result<Vec<String>> {
    let payload = self::prompt(prompt)?.deliver(&target, self::options(options)?);
    let payload = payload.map_err(thrown)?;
    Ok(vec![payload.json.to_string(), payload.diagnostics.to_string()])
}
