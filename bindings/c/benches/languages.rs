//! Prints how many times as long as Rust the same work takes through the functions of C.
//!
//! Words on the command line choose rows by name. The exit status is 1 when a goal is missed.
#![allow(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::hint::black_box;
use std::process::ExitCode;
use std::ptr::{null, null_mut};

use ::promptweave_engine::*;
use promptweave_benches::measure::pair;
use promptweave_benches::replies::MIXED;
use promptweave_benches::table::{Goal, Table, times};
use promptweave_bindings::{Engine, Json, Parser, Session, context};

/// As models send them.
const CHUNK: usize = 8;
/// As much as a reply has.
const REPLY: usize = 16 * 1024;

const ABSENT: promptweave_str = promptweave_str { ptr: null(), len: 0 };

fn main() -> ExitCode {
    let mut table = Table::of_arguments();
    let text = asked();
    let rust = Engine::new(Json::Null, Vec::new()).unwrap();
    let c = engine();
    let bytes = rust.prompt(&context(&text).unwrap(), Json::Null).unwrap().text().len();
    table.row(
        &format!("C, build of {} kB / Rust build and JSON parse", bytes / 1000),
        Goal::AtMost(2.0),
        || times(pair(|| built(c, &text), || rust.prompt(&context(&text).unwrap(), Json::Null))),
    );
    let (of_rust, of_c) = (rust.session(Json::Null).unwrap(), session(c));
    table.row("C, unchanged session / Rust session and JSON parse", Goal::AtMost(2.0), || {
        times(pair(|| again(of_c, &text), || unchanged(&of_rust, &text)))
    });
    let reply = MIXED.text(REPLY);
    table.row("C, reply by 8 bytes / Rust parser and its events as JSON", Goal::None, || {
        times(pair(|| pushed(&reply), || pushed_in_rust(&reply)))
    });
    promptweave_session_free(of_c);
    promptweave_engine_free(c);
    table.verdict()
}

fn asked() -> String {
    let rules: String =
        (0..400).map(|at| format!("Rule {at}: keep it short, and say why it is so.\\n")).collect();
    format!(
        r#"{{"model": {{"id": "claude-sonnet-4-5"}}, "cwd": "/project", "os": "linux", "shell": "bash", "home": "/home/u",
            "date": "2026-01-15", "request": {{"append": ["{rules}"]}}}}"#
    )
}

fn lent(text: &str) -> promptweave_str {
    promptweave_str { ptr: text.as_ptr().cast(), len: text.len() }
}

/// Looks whether a call came to something.
fn fine(error: *mut promptweave_error) {
    assert!(error.is_null(), "a call failed");
}

fn engine() -> *mut promptweave_engine {
    let mut engine = null_mut();
    // SAFETY: absent options, no components, and a place for the result.
    fine(unsafe { promptweave_engine_new(ABSENT, null(), 0, &mut engine) });
    engine
}

fn session(engine: *const promptweave_engine) -> *mut promptweave_session {
    let mut session = null_mut();
    // SAFETY: absent options, and a place for the result.
    fine(unsafe { promptweave_session_new(engine, ABSENT, &mut session) });
    session
}

fn built(engine: *const promptweave_engine, context: &str) {
    let mut prompt = null_mut();
    // SAFETY: a text that lives, and a place for the result.
    fine(unsafe { promptweave_engine_build(engine, lent(context), ABSENT, &mut prompt) });
    read(prompt);
}

fn again(session: *const promptweave_session, context: &str) {
    let mut prompt = null_mut();
    // SAFETY: a text that lives, and a place for the result.
    fine(unsafe { promptweave_session_build(session, lent(context), ABSENT, &mut prompt) });
    read(prompt);
}

fn read(prompt: *mut promptweave_prompt) {
    let mut text = ABSENT;
    // SAFETY: a place for the result.
    fine(unsafe { promptweave_prompt_text(prompt, &mut text) });
    black_box(text);
    promptweave_prompt_free(prompt);
}

fn unchanged(session: &Session, text: &str) {
    black_box(session.prompt(&context(text).unwrap(), Json::Null).unwrap().text());
}

fn parser_options() -> String {
    r#"{"specs": {"tools": {"read_file": {"params": {"path": "scalar"}}}}}"#.into()
}

fn pushed(reply: &str) {
    let (mut parser, options) = (null_mut(), parser_options());
    // SAFETY: a text that lives, and a place for the result.
    fine(unsafe { promptweave_parser_new(null(), lent(&options), &mut parser) });
    for chunk in reply.as_bytes().chunks(CHUNK) {
        let mut events = null_mut();
        let chunk = promptweave_str { ptr: chunk.as_ptr().cast(), len: chunk.len() };
        // SAFETY: bytes that live, and a place for the result.
        fine(unsafe { promptweave_parser_push(parser, chunk, &mut events) });
        black_box(promptweave_text_view(events));
        promptweave_text_free(events);
    }
    promptweave_parser_free(parser);
}

fn pushed_in_rust(reply: &str) {
    let mut parser = Parser::new(promptweave_bindings::parse(&parser_options()).unwrap()).unwrap();
    for chunk in reply.as_bytes().chunks(CHUNK) {
        let mut events = Vec::new();
        parser.push(chunk, &mut events).unwrap();
        black_box(events);
    }
}
