//! Sessions.
//!
//! In: an engine, contexts. Out: prompts, the session as a text. Never: decides anything itself.

use promptweave_bindings::{Json, Session, context};

use crate::engine::promptweave_engine;
use crate::error::{call, free, promptweave_error};
use crate::handle::{give, handle, of};
use crate::prompt::promptweave_prompt;
use crate::text::{promptweave_str, promptweave_text, writable};

/// Builds the prompts of one conversation, so that their bytes stay cached. Free it with `promptweave_session_free`.
pub struct promptweave_session {
    _named: (),
}

handle!(promptweave_session, Session, "session");

/// Begins a session. `options` is a JSON object: `date` and `time`, which stand still until the session is reset, and
/// `probes` (true): whether probes of plugins run, once.
///
/// # Safety
/// `options` is as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_session_new(
    engine: *const promptweave_engine,
    options: promptweave_str,
    out: *mut *mut promptweave_session,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        // SAFETY: the caller's promise.
        let options = unsafe { options.options() }?;
        let session = of(engine)?.session(options)?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(session)) };
        Ok(())
    })
}

/// Goes on with a session that `promptweave_session_save` wrote; of `options` only `probes` counts.
///
/// # Safety
/// `saved` and `options` are as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_session_restore(
    engine: *const promptweave_engine,
    saved: promptweave_str,
    options: promptweave_str,
    out: *mut *mut promptweave_session,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        // SAFETY: the caller's promise.
        let (saved, options) = unsafe { (saved.text("saved session")?, options.options()?) };
        let session = of(engine)?.restore(saved, options)?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(session)) };
        Ok(())
    })
}

/// Frees a session. Its prompts live on.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_session_free(session: *mut promptweave_session) {
    free(session);
}

/// Builds a prompt as `promptweave_engine_build` does; what is the same as before is not built again.
///
/// # Safety
/// `context` and `ask` are as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_session_build(
    session: *const promptweave_session,
    context_json: promptweave_str,
    ask: promptweave_str,
    out: *mut *mut promptweave_prompt,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let session = of(session)?;
        // SAFETY: the caller's promise.
        let (text, ask) = unsafe { (context_json.text("context")?, ask.options()?) };
        let prompt = session.prompt(&context(text)?, ask)?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(prompt)) };
        Ok(())
    })
}

/// Forgets everything but the clock, which `options` may set anew by `date` and `time`.
///
/// # Safety
/// `options` is as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_session_reset(
    session: *const promptweave_session,
    options: promptweave_str,
) -> *mut promptweave_error {
    call(|| {
        let session = of(session)?;
        // SAFETY: the caller's promise.
        match unsafe { options.options() }? {
            Json::Null => session.reset(),
            options => session.reset_at(options),
        }
    })
}

/// The session as a text, with the files of all packs and the values of all contexts: keep it as safe as those.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_session_save(
    session: *const promptweave_session,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let saved = of(session)?.save()?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(saved.into())) };
        Ok(())
    })
}
