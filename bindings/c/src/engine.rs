//! Engines.
//!
//! In: options, components. Out: engines, prompts, diagnostics. Never: decides anything itself.

use promptweave_bindings::{Engine, Error, context};

use crate::component::promptweave_component;
use crate::error::{call, free, promptweave_error};
use crate::handle::{give, handle, of};
use crate::prompt::promptweave_prompt;
use crate::text::{give_json, promptweave_str, promptweave_text, writable};

/// Builds prompts from packs and components. Free it with `promptweave_engine_free`.
pub struct promptweave_engine {
    _named: (),
}

handle!(promptweave_engine, Engine, "engine");

/// The version of the library; lent for good.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_version() -> promptweave_str {
    promptweave_str::lent(Some(env!("CARGO_PKG_VERSION")))
}

/// Loads packs and plugins. `options` is a JSON object: `standard` (true), `packs` (folders, or `{name, files}`), `project`,
/// `trust` (`if-trusted`, `always`, `never`), `trust_file`, `models` (texts of TOML by name), `plugins` (`paths`, `data`,
/// `host`, `isolation`, `config`, `workspace`, `home`), `strict` (false). Mistakes in packs are no error but
/// diagnostics of the engine, except with `strict`.
///
/// # Safety
/// `options` is as the header says; `components` are `count` handles, or NULL with 0; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_engine_new(
    options: promptweave_str,
    components: *const *const promptweave_component,
    count: usize,
    out: *mut *mut promptweave_engine,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        // SAFETY: the caller's promise.
        let made = unsafe { made(options, components, count) }?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(made)) };
        Ok(())
    })
}

/// # Safety
/// That of [`promptweave_engine_new`].
unsafe fn made(
    options: promptweave_str,
    components: *const *const promptweave_component,
    count: usize,
) -> Result<Engine, Error> {
    // SAFETY: the caller's promise.
    let options = unsafe { options.options() }?;
    let mut all = Vec::new();
    if count > 0 {
        writable(components.cast_mut())?;
        for at in 0..count {
            // SAFETY: it is not NULL, and the caller vouches for `count` handles.
            let component = unsafe { components.add(at).read() };
            all.push((*of(component)?).clone());
        }
    }
    Engine::new(options, all)
}

/// Frees an engine. Its sessions and prompts live on.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_engine_free(engine: *mut promptweave_engine) {
    free(engine);
}

/// Every mistake of loading: a JSON array of `{code, severity, message, origin, help}`.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_engine_diagnostics(
    engine: *const promptweave_engine,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        // SAFETY: it was found writable.
        unsafe { give_json(&of(engine)?.diagnostics(), out) };
        Ok(())
    })
}

/// The same with what a closer look at all templates, conditions and names shows.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_engine_check(
    engine: *const promptweave_engine,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        // SAFETY: it was found writable.
        unsafe { give_json(&of(engine)?.check()?, out) };
        Ok(())
    })
}

/// Builds the prompt of the variant that matches the context, a JSON object. `ask` is a JSON object: `variant`
/// (`ID`, `ID@VERSION`, `ID@LABEL`), `label`, `tag`, `budget` in tokens.
///
/// # Safety
/// `context` and `ask` are as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_engine_build(
    engine: *const promptweave_engine,
    context_json: promptweave_str,
    ask: promptweave_str,
    out: *mut *mut promptweave_prompt,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let engine = of(engine)?;
        // SAFETY: the caller's promise.
        let (text, ask) = unsafe { (context_json.text("context")?, ask.options()?) };
        let prompt = engine.prompt(&context(text)?, ask)?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(prompt)) };
        Ok(())
    })
}

/// Lets the probes of plugins fill what the context does not say: the filled context, and a JSON array of diagnostics.
///
/// # Safety
/// `context_json` is as the header says; both out-parameters can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_engine_probe(
    engine: *const promptweave_engine,
    context_json: promptweave_str,
    out: *mut *mut promptweave_text,
    out_diagnostics: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        writable(out_diagnostics)?;
        let engine = of(engine)?;
        // SAFETY: the caller's promise.
        let text = unsafe { context_json.text("context") }?;
        let (probed, diagnostics) = engine.probe(&context(text)?)?;
        // SAFETY: both were found writable.
        unsafe {
            give_json(probed.as_json(), out);
            give_json(&diagnostics, out_diagnostics);
        }
        Ok(())
    })
}
