//! Parsers of replies.
//!
//! In: bytes as they arrive. Out: events, blocks. Never: decides anything itself.

use std::sync::{Mutex, TryLockError};

use promptweave_bindings::{Error, Misuse, Parser};

use crate::engine::promptweave_engine;
use crate::error::{call, free, promptweave_error};
use crate::handle::{give, handle, of};
use crate::text::{promptweave_str, promptweave_text, writable};

/// Cuts one reply into text, reasoning and tool calls. Free it with `promptweave_parser_free`.
pub struct promptweave_parser {
    _named: (),
}

handle!(promptweave_parser, Mutex<Parser>, "parser");

/// Makes a parser for one reply. `engine` says which tools there are; NULL stands for the standard pack. `options` is a JSON
/// object: `mode` (`robust`, `exact`), `dialect` (`auto`, a name, or a table in TOML), `specs`, `tools`, `params`, `raw`,
/// `variant`, `typed`, `fenced_calls`, `starts_in_reasoning`, `call_ends_reasoning`, `tag_suffix`.
///
/// # Safety
/// `options` is as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_parser_new(
    engine: *const promptweave_engine,
    options: promptweave_str,
    out: *mut *mut promptweave_parser,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        // SAFETY: the caller's promise.
        let options = unsafe { options.options() }?;
        let parser =
            if engine.is_null() { Parser::new(options) } else { of(engine)?.parser(options) }?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(Mutex::new(parser))) };
        Ok(())
    })
}

/// Frees a parser.
#[unsafe(no_mangle)]
pub extern "C" fn promptweave_parser_free(parser: *mut promptweave_parser) {
    free(parser);
}

/// Takes a chunk, which may end inside a character: a JSON array of events, one object each, as
/// `promptweave parse --events` prints them. Only a call that `closed` with `"end":"text"` is complete and may run.
///
/// # Safety
/// `chunk` is as the header says, but need not be UTF-8; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_parser_push(
    parser: *const promptweave_parser,
    chunk: promptweave_str,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    let chunk = || unsafe { chunk.bytes() };
    // SAFETY: the caller's promise.
    unsafe { write(parser, out, |parser, json| parser.push(chunk()?, json)) }
}

/// Ends the reply: a JSON array of the last events. `reason` is why the model stopped, as its provider says; absent, the
/// blocks stay as of the last byte.
///
/// # Safety
/// `reason` is as the header says; `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_parser_finish(
    parser: *const promptweave_parser,
    reason: promptweave_str,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    let reason = || unsafe { reason.optional() };
    // SAFETY: the caller's promise.
    unsafe { write(parser, out, |parser, json| parser.finish(reason()?, json)) }
}

/// The blocks so far: a JSON array, as `promptweave parse --final` prints it.
///
/// # Safety
/// `out` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn promptweave_parser_blocks(
    parser: *const promptweave_parser,
    out: *mut *mut promptweave_text,
) -> *mut promptweave_error {
    // SAFETY: the caller's promise.
    unsafe {
        write(parser, out, |parser, json| {
            parser.blocks(json);
            Ok(())
        })
    }
}

/// Writes what a parser has to say as a text that the caller owns.
///
/// # Safety
/// `out` is NULL or can be written to.
unsafe fn write(
    parser: *const promptweave_parser,
    out: *mut *mut promptweave_text,
    ask: impl FnOnce(&mut Parser, &mut Vec<u8>) -> Result<(), Error>,
) -> *mut promptweave_error {
    call(|| {
        writable(out)?;
        let parser = of(parser)?;
        let mut parser = match parser.try_lock() {
            Ok(parser) => parser,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(elsewhere()),
        };
        let mut json = Vec::new();
        ask(&mut parser, &mut json)?;
        let text = String::from_utf8(json).map_err(|error| {
            Error::new(Misuse::Panicked, error.to_string(), "please report the reply")
        })?;
        // SAFETY: it was found writable.
        unsafe { out.write(give(text.into())) };
        Ok(())
    })
}

fn elsewhere() -> Error {
    let help = "let one thread at a time use it, or make a parser for each reply";
    Error::new(Misuse::ThreadWrong, "the parser is in use on another thread", help)
}
