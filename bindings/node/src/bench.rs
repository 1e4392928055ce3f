//! The same work in Rust, timed within the process that times it from JavaScript.
//!
//! In: what the bench works on, and how often. Out: nanoseconds of one round. Never: part of the package.

use std::hint::black_box;
use std::time::Instant;

use napi::Result;
use napi_derive::napi;
use promptweave_bindings::{Engine, Json, Parser, context, parse};

#[allow(dead_code, reason = "the benches in Rust use all of it")]
#[path = "../../../benches/src/replies.rs"]
mod replies;

use crate::error::thrown;
use crate::table;

/// Does nothing with what a chunk is pushed with.
#[napi(catch_unwind)]
pub fn bench_empty(number: u32, chunk: String) -> Result<Option<u32>> {
    black_box((number, chunk));
    Ok(None)
}

/// Reads a context and builds a prompt of it.
#[napi(catch_unwind)]
pub fn bench_build(engine: u32, text: String, rounds: u32) -> Result<f64> {
    let engine = table::of::<Engine>(engine)?;
    timed(rounds, || {
        let context = context(&text).map_err(thrown)?;
        black_box(engine.prompt(&context, Json::Null).map_err(thrown)?);
        Ok(())
    })
}

/// Cuts a reply, chunk by chunk; the time of one chunk.
#[napi(catch_unwind)]
pub fn bench_push(options: String, reply: String, bytes: u32) -> Result<f64> {
    let mut parser = Parser::new(parse(&options).map_err(thrown)?).map_err(thrown)?;
    let mut chunks = reply.as_bytes().chunks(bytes as usize);
    timed(chunks.len() as u32, || {
        let events = parser.push_events(chunks.next().unwrap_or_default()).map_err(thrown)?;
        black_box(events.count());
        Ok(())
    })
}

/// A reply of mixed kinds, or of prose.
#[napi(catch_unwind)]
pub fn bench_reply(is_mixed: bool, bytes: u32) -> String {
    let corpus = if is_mixed { replies::MIXED } else { replies::PROSE };
    corpus.text(bytes as usize)
}

/// What a parser is made with for such replies.
#[napi(catch_unwind)]
pub fn bench_tools() -> String {
    // Names in a list are written as JSON has them.
    let (tools, params) = (replies::tool_names(), replies::param_names());
    format!(r#"{{"tools": {tools:?}, "params": {params:?}, "raw": ["content", "diff"]}}"#)
}

fn timed(rounds: u32, mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    let begun = Instant::now();
    for _ in 0..rounds {
        work()?;
    }
    Ok(begun.elapsed().as_nanos() as f64 / f64::from(rounds))
}
