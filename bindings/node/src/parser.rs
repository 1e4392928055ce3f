//! Parsers of replies.
//!
//! In: chunks of a reply. Out: what they change, in as few bytes as it takes. Never: makes a text that the other half has.

use napi::bindgen_prelude::Either;
use napi::{Env, Result};
use napi_derive::napi;
use promptweave_bindings::{Engine, Event, Parser, check_reason, write_events};

use crate::chunk::Chunk;
use crate::error::thrown;
use crate::prompt::options as read;
use crate::table;

/// What is told in a number: its two lowest bits say what, the others which part of the text that was pushed last. The part
/// begins and ends so many characters before the end of the chunk: ten bits for the begin, ten for the end. All zero is the
/// whole chunk.
///
/// More of the text, or of the reasoning, that events were about last.
const MORE_TEXT: u32 = 0;
/// More of the parameter that events were about last.
const MORE_PARAM: u32 = 1;
/// Nothing was taken: the chunk may have a surrogate alone, or the character that stands for one.
const DOUBTFUL: u32 = 2;
const BITS: u32 = 10;
const LOW: u32 = 2;

/// About as many bytes as the events of a chunk have that are told in full.
const SOME_EVENTS: usize = 512;

/// The most bytes of two chunks among which a part is looked for.
const WINDOW: usize = 256;

/// What begins a text of which the rest is more of the text, or of the parameter, that events were about last.
const TEXT: char = 't';
const PARAM: char = 'p';

/// The character that stands for what is no text, and how it begins.
const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();
const ITS_FIRST: u8 = 0xEF;

/// What a chunk changed: nothing, a number as above, a text that begins with one of the letters, or all events as a JSON
/// array. A number costs least; most chunks of a stream come to one.
#[napi]
pub type Told = Option<Either<u32, String>>;

/// A parser, and what its events were about last: a block, and for a parameter its name. `js/` remembers the same.
pub(crate) struct Cutter {
    parser: Parser,
    index: usize,
    param: Option<String>,
    /// The text that was pushed last and the one before it, as far as they are ASCII and short.
    window: Vec<u8>,
}

/// A parser with the tools of an engine's packs, or with those of the standard pack.
#[napi(catch_unwind)]
pub fn parser_new(env: Env, engine: Option<u32>, options: Option<String>) -> Result<u32> {
    let options = read(options)?;
    let parser = match engine {
        Some(engine) => table::of::<Engine>(engine)?.parser(options),
        None => Parser::new(options),
    };
    let parser = parser.map_err(thrown)?;
    table::keep(&env, Cutter { parser, index: usize::MAX, param: None, window: Vec::new() })
}

/// Lets go of a parser.
#[napi(catch_unwind)]
pub fn parser_close(env: Env, parser: u32) -> Result<()> {
    table::close::<Cutter>(&env, parser)
}

/// Takes a chunk.
#[napi(catch_unwind)]
pub fn parser_push(parser: u32, #[napi(ts_arg_type = "string")] chunk: Chunk) -> Result<Told> {
    let chunk = chunk.bytes();
    let may_be_none = chunk.contains(&ITS_FIRST);
    if may_be_none && chunk.windows(REPLACEMENT.len()).any(|bytes| bytes == REPLACEMENT) {
        return Ok(Some(Either::A(DOUBTFUL)));
    }
    table::with(parser, |cutter: &mut Cutter| cutter.push(chunk, Came::AsText))?
}

/// Takes a chunk that may end inside a character.
#[napi(catch_unwind)]
pub fn parser_push_bytes(parser: u32, chunk: &[u8]) -> Result<Told> {
    table::with(parser, |cutter: &mut Cutter| cutter.push(chunk, Came::AsBytes))?
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

/// Refuses a reason that no model stops for.
#[napi(catch_unwind)]
pub fn reason_check(reason: Option<String>) -> Result<()> {
    check_reason(reason.as_deref()).map_err(thrown)
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

/// How a chunk came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    /// And `js/` has it.
    AsText,
    AsBytes,
}

impl Cutter {
    fn push(&mut self, chunk: &[u8], came: Came) -> Result<Told> {
        let before = self.remember(chunk, came);
        let told = self.told(chunk, came);
        self.window.drain(..before);
        told
    }

    fn told(&mut self, chunk: &[u8], came: Came) -> Result<Told> {
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
        if let Some((text, what, letter)) = more {
            let text = text.read();
            let part = if came == Came::AsText && text.as_bytes() == chunk {
                Some(0)
            } else {
                part(&self.window, text.as_bytes())
            };
            let told = part.map_or_else(
                || Either::B(format!("{letter}{text}")),
                |part| Either::A(part << LOW | what),
            );
            return Ok(Some(told));
        }
        if let Some(last) = events.clone().last() {
            (self.index, self.param) = about(&last);
        }
        let mut out = Vec::with_capacity(SOME_EVENTS);
        write_events(events, typing, &mut out);
        Ok(Some(Either::B(text(out))))
    }

    /// Puts a chunk behind the one before it, and says how much of that is there.
    fn remember(&mut self, chunk: &[u8], came: Came) -> usize {
        let is_kept = came == Came::AsText && chunk.is_ascii() && chunk.len() <= WINDOW / 2;
        if !is_kept {
            self.window.clear();
            return 0;
        }
        let before = self.window.len();
        self.window.extend_from_slice(chunk);
        before
    }
}

/// Where a text stands among the chunks that were pushed last, if it does; what is looked for last was pushed last.
fn part(window: &[u8], text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > window.len() {
        return None;
    }
    let at = window.windows(text.len()).rposition(|part| part == text)?;
    let (from, till) = (window.len() - at, window.len() - at - text.len());
    Some((till as u32) << BITS | from as u32)
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
