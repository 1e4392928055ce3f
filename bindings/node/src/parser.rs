//! Parsers of replies.
//!
//! In: chunks of a reply. Out: what they change, in as few bytes as it takes. Never: makes a text that the other half has.

use napi::bindgen_prelude::Either;
use napi::{Env, Result};
use napi_derive::napi;
use promptweave_bindings::{Engine, Event, Parser, write_events};

use crate::error::thrown;
use crate::prompt::options as read;
use crate::table;

/// One more of the text, or of the reasoning, that events were about last: it is the chunk.
const MORE_TEXT: u32 = 0;
/// One more of the parameter that events were about last: it is the chunk.
const MORE_PARAM: u32 = 1;
/// Nothing was taken: the chunk may have a surrogate alone, or the character that stands for one.
const DOUBTFUL: u32 = 2;

/// What begins a text of which the rest is one more of the text, or of the parameter, that events were about last.
const TEXT: char = 't';
const PARAM: char = 'p';

/// The character that stands for what is no text.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// What a chunk changed: nothing, one of the numbers above, a text that begins with one of the letters, or all events as a
/// JSON array. A number costs least; most chunks of a stream come to one.
#[napi]
pub type Told = Option<Either<u32, String>>;

/// A parser, and what its events were about last: a block, and for a parameter its name. `js/` remembers the same.
pub(crate) struct Cutter {
    parser: Parser,
    index: usize,
    param: Option<String>,
}

/// A parser with the tools of an engine's packs, or with those of the standard pack.
#[napi(catch_unwind)]
pub fn parser_new(env: Env, engine: Option<u32>, options: Option<String>) -> Result<u32> {
    let options = read(options)?;
    let parser = match engine {
        Some(engine) => table::of::<Engine>(engine)?.parser(options),
        None => Parser::new(options),
    };
    table::keep(&env, Cutter { parser: parser.map_err(thrown)?, index: usize::MAX, param: None })
}

/// Lets go of a parser.
#[napi(catch_unwind)]
pub fn parser_close(env: Env, parser: u32) -> Result<()> {
    table::close::<Cutter>(&env, parser)
}

/// Takes a chunk.
#[napi(catch_unwind)]
pub fn parser_push(parser: u32, chunk: String) -> Result<Told> {
    let chunk = chunk.as_bytes();
    if chunk.windows(REPLACEMENT.len()).any(|bytes| bytes == REPLACEMENT) {
        return Ok(Some(Either::A(DOUBTFUL)));
    }
    table::with(parser, |cutter: &mut Cutter| cutter.push(chunk, true))?
}

/// Takes a chunk that may end inside a character.
#[napi(catch_unwind)]
pub fn parser_push_bytes(parser: u32, chunk: &[u8]) -> Result<Told> {
    table::with(parser, |cutter: &mut Cutter| cutter.push(chunk, false))?
}

/// Ends the reply: the last events as a JSON array.
#[napi(catch_unwind)]
pub fn parser_finish(parser: u32, reason: Option<String>) -> Result<String> {
    table::with(parser, |cutter: &mut Cutter| {
        let mut out = Vec::new();
        cutter.parser.finish(reason.as_deref(), &mut out).map_err(thrown)?;
        Ok(text(out))
    })?
}

/// The blocks so far as a JSON array.
#[napi(catch_unwind)]
pub fn parser_blocks(parser: u32) -> Result<String> {
    table::with(parser, |cutter: &mut Cutter| {
        let mut out = Vec::new();
        cutter.parser.blocks(&mut out);
        text(out)
    })
}

impl Cutter {
    fn push(&mut self, chunk: &[u8], is_text: bool) -> Result<Told> {
        let typing = self.parser.typing();
        let events = self.parser.push_events(chunk).map_err(thrown)?;
        let mut ahead = events.clone();
        let (first, second) = (ahead.next(), ahead.next());
        let more = match (first, second) {
            (None, _) => return Ok(None),
            (Some(Event::Delta { index, text }), None) if index == self.index => {
                Some((text, MORE_TEXT, TEXT))
            }
            (Some(Event::ParamDelta { index, name, text }), None)
                if index == self.index && self.param.as_deref() == Some(&*name.read()) =>
            {
                Some((text, MORE_PARAM, PARAM))
            }
            _ => None,
        };
        if let Some((text, number, letter)) = more {
            let text = text.read();
            let is_chunk = is_text && text.as_bytes() == chunk;
            let told =
                if is_chunk { Either::A(number) } else { Either::B(format!("{letter}{text}")) };
            return Ok(Some(told));
        }
        for event in events.clone() {
            (self.index, self.param) = about(&event);
        }
        let mut out = Vec::new();
        write_events(events, typing, &mut out);
        Ok(Some(Either::B(text(out))))
    }
}

/// What an event is about.
fn about(event: &Event<'_>) -> (usize, Option<String>) {
    match event {
        Event::ParamOpened { index, name } | Event::ParamDelta { index, name, .. } => {
            (*index, Some(name.read().into_owned()))
        }
        Event::ParamClosed { index, .. }
        | Event::Opened { index, .. }
        | Event::Delta { index, .. }
        | Event::Repaired { index, .. }
        | Event::Closed { index, .. } => (*index, None),
        // An event of a kind that is not known here is about nothing that more can be said of.
        _ => (usize::MAX, None),
    }
}

/// What serde writes is text.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
