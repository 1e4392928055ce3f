//! A parser of replies.
//!
//! In: bytes as they arrive. Out: events and blocks as JSON. Never: runs a call.

use promptweave::Registry;
use promptweave_inspect::{Choice, Cut, Mode, SpecsProblem, UnknownDialect, dialect, stop_reason};
use promptweave_reply::{Dialect, Events, Specs, StopReason, Typed, Typing};
use serde_json::Value as Json;

use crate::error::{Error, Misuse};
use crate::input;
use crate::options::{ParserMode, ParserOptions};

/// Cuts one reply into text, reasoning and tool calls. `Send`; make a new one for each reply.
#[derive(Debug)]
pub struct Parser {
    parser: promptweave_reply::Parser,
    typing: Typing,
}

impl Parser {
    /// A parser with the tools of the standard pack, unless `options` names others; it has the keys of
    /// [`ParserOptions`].
    ///
    /// # Errors
    /// `options-invalid`, `tools-invalid`, `dialect-unknown`.
    pub fn new(options: Json) -> Result<Self, Error> {
        let (cut, choice, typing) = read(options)?;
        let standard = promptweave::Engine::builder().pack(promptweave_variants::standard());
        // What needs no pack loads none.
        let packs = if choice.is_of_packs() { standard } else { promptweave::Engine::builder() };
        Self::made(cut, (choice, packs.build()?.registry()), typing)
    }

    /// The same with the tools of these packs.
    pub(crate) fn of(registry: &Registry, options: Json) -> Result<Self, Error> {
        let (cut, choice, typing) = read(options)?;
        Self::made(cut, (choice, registry), typing)
    }

    fn made(
        mut cut: Cut,
        (choice, registry): (Choice, &Registry),
        typing: Typing,
    ) -> Result<Self, Error> {
        let chosen = choice.choose(registry).map_err(|problem| of_specs(&problem))?;
        if let (None, Some(name)) = (&cut.dialect, &chosen.dialect) {
            cut.dialect = Some(dialect(name).map_err(|error| unknown(&error))?);
        }
        let parser = cut.parser(&chosen).map_err(|problem| of_specs(&problem))?;
        Ok(Self { parser, typing })
    }

    /// Takes a chunk, which may end inside a character, and writes the events behind `out` as one JSON array. Costs what
    /// the chunk costs. After [`Parser::finish`] nothing is taken any more.
    ///
    /// # Errors
    /// `input-too-large`.
    pub fn push(&mut self, chunk: &[u8], out: &mut Vec<u8>) -> Result<(), Error> {
        input::limited(chunk.len())?;
        write_events(self.parser.push(chunk), self.typing, out);
        Ok(())
    }

    /// The same with the events themselves, for bindings that make their own objects of them.
    ///
    /// # Errors
    /// `input-too-large`.
    pub fn push_events(&mut self, chunk: &[u8]) -> Result<Events<'_>, Error> {
        input::limited(chunk.len())?;
        Ok(self.parser.push(chunk))
    }

    /// Ends the reply and writes the last events behind `out` as one JSON array. `reason` is why the model stopped, as
    /// its provider says; without one the blocks stay as of the last byte.
    ///
    /// # Errors
    /// `stop-reason-unknown`.
    pub fn finish(&mut self, reason: Option<&str>, out: &mut Vec<u8>) -> Result<(), Error> {
        write_events(self.parser.finish(named(reason)?), self.typing, out);
        Ok(())
    }

    /// The same with the events themselves.
    ///
    /// # Errors
    /// `stop-reason-unknown`.
    pub fn finish_events(&mut self, reason: Option<&str>) -> Result<Events<'_>, Error> {
        Ok(self.parser.finish(named(reason)?))
    }

    /// The events of the last push or of the end as JSON values, for bindings that make objects of them when they are read.
    pub fn told(&self) -> impl Iterator<Item = Json> {
        self.parser.events().map(|event| value(&Typed(&event, self.typing)))
    }

    /// The blocks so far as JSON values.
    pub fn told_blocks(&self) -> impl Iterator<Item = Json> {
        self.parser.blocks().map(|block| value(&Typed(&block, self.typing)))
    }

    /// Writes the blocks so far behind `out` as one JSON array, as `promptweave parse --final` prints them.
    pub fn blocks(&self, out: &mut Vec<u8>) {
        array(self.parser.blocks(), out, |block, out| json(out, &Typed(&block, self.typing)));
    }

    /// How values are typed.
    pub fn typing(&self) -> Typing {
        self.typing
    }
}

/// Writes events behind `out` as one JSON array, as `promptweave parse --events` prints them.
pub fn write_events(events: Events<'_>, typing: Typing, out: &mut Vec<u8>) {
    array(events, out, |event, out| json(out, &Typed(&event, typing)));
}

fn array<T>(items: impl Iterator<Item = T>, out: &mut Vec<u8>, one: impl Fn(T, &mut Vec<u8>)) {
    out.push(b'[');
    for (at, item) in items.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        one(item, out);
    }
    out.push(b']');
}

/// Keys are texts, so that nothing fails.
fn value(value: &impl serde::Serialize) -> Json {
    serde_json::to_value(value).unwrap_or_default()
}

fn json(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    let start = out.len();
    // Writing to memory does not fail, and keys are texts.
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

/// Refuses a reason that no model stops for, before a reply is ended.
///
/// # Errors
/// `stop-reason-unknown`.
pub fn check_reason(reason: Option<&str>) -> Result<(), Error> {
    named(reason).map(drop)
}

fn named(reason: Option<&str>) -> Result<StopReason, Error> {
    stop_reason(reason).map_err(|error| {
        Error::new(
            Misuse::StopReasonUnknown,
            error.to_string(),
            "leave it out where it is not known",
        )
    })
}

fn read(options: Json) -> Result<(Cut, Choice, Typing), Error> {
    let options: ParserOptions = input::options(options)?;
    let specs = options.specs.as_ref().map(tools).transpose()?;
    let cut = Cut {
        mode: match options.mode {
            ParserMode::Robust => Mode::Robust,
            ParserMode::Exact => Mode::Exact,
        },
        dialect: options.dialect.as_deref().map(dialect_of).transpose()?,
        fenced_calls: options.fenced_calls,
        starts_in_reasoning: options.starts_in_reasoning,
        call_ends_reasoning: options.call_ends_reasoning,
        tag_suffix: options.tag_suffix,
    };
    let ParserOptions { tools, params, raw, variant, typed, .. } = options;
    let typing = if typed { Typing::BySchema } else { Typing::AsWritten };
    Ok((cut, Choice { specs, tools, params, raw, variant }, typing))
}

fn tools(specs: &Json) -> Result<Vec<promptweave_reply::ToolSpec>, Error> {
    Specs::read_tools(&specs.to_string()).map_err(|error| {
        let help = "give {\"tools\": {…}} or the list of tools that the provider got";
        Error::new(Misuse::ToolsInvalid, format!("these are no tools: {error}"), help)
    })
}

/// A name, or a table: no name has a line end.
fn dialect_of(text: &str) -> Result<Dialect, Error> {
    if !text.contains('\n') {
        return dialect(text).map_err(|error| unknown(&error));
    }
    Dialect::from_toml(text).map_err(|error| {
        let message = format!("this is no table of a dialect: {error}");
        Error::new(Misuse::DialectUnknown, message, "`docs/replies.md` describes it")
    })
}

fn unknown(error: &UnknownDialect) -> Error {
    Error::new(Misuse::DialectUnknown, error.to_string(), "or give the text of a dialect's table")
}

fn of_specs(problem: &SpecsProblem) -> Error {
    Error::new(Misuse::ToolsInvalid, problem.to_string(), "name tools and variants that there are")
}
