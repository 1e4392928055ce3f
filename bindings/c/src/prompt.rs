//! Finished prompts.
//!
//! In: a prompt. Out: its text, results, payloads. Never: decides anything itself.

use promptweave_bindings::{Error, Json, Prompt};

use crate::error::{call, free, promptweave_error};
use crate::handle::{handle, of};
use crate::text::{give_json, promptweave_str, promptweave_text, writable};

/// A finished prompt. Free it with `promptweave_prompt_free`.
pub struct promptweave_prompt {
    _named: (),
}

handle!(promptweave_prompt, Prompt, "prompt");

/// Frees a prompt and what it lent.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_prompt_free(prompt: *mut promptweave_prompt) {
    free(prompt);
}

/// The text; lent by the prompt.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_text(
    prompt: *const promptweave_prompt,
    out: *mut promptweave_str,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let text = promptweave_str::lent(Some(of(prompt)?.text()));
        // SAFETY: it was found writable.
        unsafe { out.write(text) };
        Ok(())
    })
}

/// The text of a section, or absent; lent by the prompt.
///
/// # Safety
/// `id` is as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_section(
    prompt: *const promptweave_prompt,
    id: promptweave_str,
    out: *mut promptweave_str,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let prompt = of(prompt)?;
        // SAFETY: the caller's promise.
        let text = promptweave_str::lent(prompt.section(unsafe { id.text("section's id") }?));
        // SAFETY: it was found writable.
        unsafe { out.write(text) };
        Ok(())
    })
}

/// Everything about it, exactly as `promptweave build --format json` prints it, but on one line. `options` is a JSON
/// object: `offsets` (`bytes`, `utf16`).
///
/// # Safety
/// `options` is as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_result(
    prompt: *const promptweave_prompt,
    options: promptweave_str,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    let options = || unsafe { options.options() };
    // SAFETY: the caller's promise.
    unsafe { json(prompt, out, |prompt| prompt.result(options()?)) }
}

/// Its text in runs of one cache scope: a JSON array of `{text, scope}`.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_blocks(
    prompt: *const promptweave_prompt,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    unsafe { json(prompt, out, |prompt| Ok(prompt.blocks())) }
}

/// Its layers with their texts and weights, as `promptweave layers --json` prints them.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_layers(
    prompt: *const promptweave_prompt,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    unsafe { json(prompt, out, |prompt| Ok(prompt.layers())) }
}

/// What was met while building: a JSON array of `{code, severity, message, origin, help}`.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_diagnostics(
    prompt: *const promptweave_prompt,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    unsafe { json(prompt, out, |prompt| Ok(prompt.diagnostics())) }
}

/// The payload for the API of that name (`anthropic`, `vertex`, `bedrock`, `openai-chat`, `openai-responses`,
/// `openai-compatible`, `xai`, `gemini`): `{headers, body}`, with the tools of the context. `options` is a JSON object:
/// `one_hour`, a list of query sources whose entries live for an hour; `wire_scope` (false); `cache_key`. What could not
/// be kept is told in `out_diagnostics`, which may be NULL.
///
/// # Safety
/// `target` and `options` are as the header says; `out` can be written to, `out_diagnostics` too unless it is NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_prompt_deliver(
    prompt: *const promptweave_prompt,
    target: promptweave_str,
    options: promptweave_str,
    out: *mut *mut promptweave_text,
    out_diagnostics: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let prompt = of(prompt)?;
        // SAFETY: the caller's promise.
        let (target, options) = unsafe { (target.text("target")?, options.options()?) };
        let payload = prompt.deliver(target, options)?;
        // SAFETY: it was found writable.
        unsafe { give_json(&payload.json, out) };
        if !out_diagnostics.is_null() {
            // SAFETY: it is not NULL, so the caller vouches for it.
            unsafe { give_json(&payload.diagnostics, out_diagnostics) };
        }
        Ok(())
    })
}

/// Asks a prompt for JSON.
///
/// # Safety
/// `out` is NULL or can be written to.
unsafe fn json(
    prompt: *const promptweave_prompt,
    out: *mut *mut promptweave_text,
    ask: impl FnOnce(&Prompt) -> Result<Json, Error>,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let json = ask(&*of(prompt)?)?;
        // SAFETY: it was found writable.
        unsafe { give_json(&json, out) };
        Ok(())
    })
}
