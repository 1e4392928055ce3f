//! `parse`: cuts a reply into text, reasoning and tool calls.

mod specs;

use std::io::Read;
use std::path::Path;

use clap::{Args, ValueEnum};
use promptweave_inspect::{self as inspect, Cut, stop_reason};
use promptweave_reply::{Block, Dialect, Event, Parser, Typed, Typing};
use serde::Serialize;

use crate::console::Console;
use crate::failure::Failure;
use crate::files;
use specs::SpecFlags;

const EXAMPLES: &str = "\
Examples:
  promptweave parse < reply.txt
  promptweave parse --events --variant small < reply.txt
  promptweave parse --dialect qwen3-coder --specs tools.json --stop-reason end_turn < reply.txt
  promptweave parse --mode exact --tools read_file --params path,content < reply.txt

Only a call with \"end\": \"text\" is complete and may run.";

/// How much of standard input is looked at together; less if less has come.
const CHUNK_BYTES: usize = 64 * 1024;

/// Cut the reply on standard input into text, reasoning and tool calls
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Parse {
    /// How
    #[arg(long, value_enum, default_value_t)]
    mode: Mode,
    /// How calls are written: auto, the name of a dialect, or the path of a dialect's table (.toml) [default: the
    /// variant's, else auto]
    #[arg(long, value_name = "NAME|FILE")]
    dialect: Option<String>,
    /// Print an event a line as the reply arrives
    #[arg(long, conflicts_with = "final_blocks")]
    events: bool,
    /// Print the list of blocks at the end, which is what happens without --events
    #[arg(long = "final")]
    final_blocks: bool,
    /// Why the model stopped, as its provider says; without it the blocks are those as of the last byte
    #[arg(long, value_name = "REASON")]
    stop_reason: Option<String>,
    /// Give values the type that the tool's schema states
    #[arg(long)]
    typed: bool,
    /// Accept a call in a code fence that holds nothing else
    #[arg(long)]
    fenced_calls: bool,
    /// The prompt's template has opened the reasoning
    #[arg(long)]
    starts_in_reasoning: bool,
    /// A call ends reasoning
    #[arg(long)]
    call_ends_reasoning: bool,
    /// Each tag that is a name ends so
    #[arg(long, value_name = "TEXT")]
    tag_suffix: Option<String>,
    #[command(flatten)]
    specs: SpecFlags,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Tells real tags from those in code, prose, files and examples
    #[default]
    Robust,
    /// What the parser of Cline 4.0 makes of it, mistakes included
    Exact,
}

impl From<Mode> for inspect::Mode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Robust => Self::Robust,
            Mode::Exact => Self::Exact,
        }
    }
}

impl Parse {
    pub(crate) fn run(&self, console: &Console) -> Result<(), Failure> {
        let reason = stop_reason(self.stop_reason.as_deref());
        let reason = reason.map_err(|error| Failure::Usage(error.to_string()))?;
        let mut parser = self.parser(console)?;
        let mut stdin = std::io::stdin().lock();
        let mut chunk = vec![0; CHUNK_BYTES];
        let mut length = 0;
        loop {
            let read = match stdin.read(&mut chunk) {
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    let message = format!("standard input cannot be read: {error}");
                    return Err(Failure::input(message, "give the reply on standard input"));
                }
            };
            if read == 0 {
                break;
            }
            length += read as u64;
            if length > files::MAX_INPUT_BYTES {
                let message = format!("the reply is larger than {} bytes", files::MAX_INPUT_BYTES);
                return Err(Failure::input(message, "cut it into the replies that it is made of"));
            }
            self.print(console, parser.push(&chunk[..read]))?;
        }
        self.print(console, parser.finish(reason))?;
        if self.events { Ok(()) } else { self.print_blocks(console, &parser) }
    }

    fn parser(&self, console: &Console) -> Result<Parser, Failure> {
        let chosen = self.specs.choose(console)?;
        let named = self.dialect.as_deref().or(chosen.dialect.as_deref());
        let read = named.filter(|_| self.mode == Mode::Robust);
        let cut = Cut {
            mode: self.mode.into(),
            dialect: read.map(dialect).transpose()?,
            fenced_calls: self.fenced_calls,
            starts_in_reasoning: self.starts_in_reasoning,
            call_ends_reasoning: self.call_ends_reasoning,
            tag_suffix: self.tag_suffix.clone(),
        };
        cut.parser(&chosen).map_err(specs::problem)
    }

    fn typing(&self) -> Typing {
        if self.typed { Typing::BySchema } else { Typing::AsWritten }
    }

    /// The events of a chunk, as soon as it has come.
    fn print<'e>(
        &self,
        console: &Console,
        events: impl Iterator<Item = Event<'e>>,
    ) -> Result<(), Failure> {
        if !self.events {
            return Ok(());
        }
        let mut lines = Vec::new();
        for event in events {
            write_json(&mut lines, &Typed(&event, self.typing()))?;
            lines.push(b'\n');
        }
        if lines.is_empty() { Ok(()) } else { console.out(lines) }
    }

    fn print_blocks(&self, console: &Console, parser: &Parser) -> Result<(), Failure> {
        let blocks: Vec<Block<'_>> = parser.blocks().collect();
        let blocks: Vec<_> = blocks.iter().map(|block| Typed(block, self.typing())).collect();
        let mut text = serde_json::to_vec_pretty(&blocks).map_err(unwritten)?;
        text.push(b'\n');
        console.out(text)
    }
}

fn write_json(to: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Failure> {
    serde_json::to_writer(to, value).map_err(unwritten)
}

fn unwritten(error: serde_json::Error) -> Failure {
    Failure::input(format!("the result cannot be written as JSON: {error}"), "report this input")
}

fn dialect(name: &str) -> Result<Dialect, Failure> {
    if let Some(dialect) = Dialect::named(name) {
        return Ok(dialect);
    }
    let path = Path::new(name);
    if path.extension().is_none_or(|ending| ending != "toml") && !path.exists() {
        let known: Vec<&str> = Dialect::names().collect();
        let message = format!("there is no dialect `{name}`");
        return Err(Failure::Usage(format!(
            "{message}; give auto, a file, or one of {}",
            known.join(", ")
        )));
    }
    Dialect::from_toml(&files::read_file(path)?).map_err(|error| {
        Failure::input(
            format!("`{name}` is no dialect: {error}"),
            "`docs/replies.md` describes the table of a dialect",
        )
    })
}
